"""Portuguese and Spanish as customers write them."""

import pytest

from feedback.analysis import Profile, analyse
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


def test_what_an_exclamation_is_about_is_a_term_though_it_might_be_a_verb() -> None:
    assert "feijoada" in opinions_of("Que feijoada! Farta e bem temperada.", "pt")


def test_a_dish_keeps_its_name_though_its_last_word_is_a_turn_of_phrase_elsewhere() -> None:
    assert opinions_of("A carne de sol estava dura.", "pt")["carne de sol"] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "lang", "term", "expected"),
    [
        ("Amava esse app, mas depois que colocaram assinatura ficou inútil.", "pt", "app", NEGATIVE),
        ("Me encantaba esta app hasta que pusieron la suscripción.", "es", "app", NEGATIVE),
        ("Só falta um modo escuro pra ficar perfeito.", "pt", "modo escuro", NEGATIVE),
        ("El muchacho no tenía ni idea.", "es", "muchacho", NEGATIVE),
    ],
)
def test_praise_that_is_over_or_still_to_come_complains(text: str, lang: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("text", "lang", "term", "expected"),
    [
        ("Com exceção do wifi, adorei tudo.", "pt", "wifi", NEGATIVE),
        ("A excepción del wifi, me encantó todo.", "es", "wifi", NEGATIVE),
        ("Solo se salva la atención.", "es", "atención", POSITIVE),
        ("Só se salva a piscina.", "pt", "piscina", POSITIVE),
    ],
)
def test_an_exception_holds_before_a_contracted_article_too(text: str, lang: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


def test_a_word_of_a_judging_phrase_is_a_term_where_something_is_said_of_it() -> None:
    assert opinions_of("La cámara saca unas fotos increíbles.", "es") == {"cámara": POSITIVE, "fotos": POSITIVE}
    assert opinions_of("El paquete llegó abierto y faltaba el cargador.", "es")["cargador"] == NEGATIVE


def test_a_participle_is_not_taken_for_the_thing_that_does_it() -> None:
    terms = {found.term for found in analyse("El vestido es precioso.", Profile(lang="es")).enrichments}
    assert terms == {"vestido__NOUN__1"}
