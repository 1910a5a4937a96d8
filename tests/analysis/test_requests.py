"""Whoever is asked what could be better answers with a few words of praise, and means what there is now."""

import pytest

from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("More staff", "en", "staff"),
        ("Lower prices please", "en", "prices"),
        ("Better lighting needed", "en", "lighting"),
        ("Less noise", "en", "noise"),
        ("Improve the wifi", "en", "wifi"),
        ("Please improve the wifi", "en", "wifi"),
        ("Schnellere Lieferung", "de", "Lieferung"),
        ("Parkplätze verbessern", "de", "Parkplätze"),
        ("Des horaires plus larges", "fr", "horaires"),
        ("Améliorer le parking", "fr", "parking"),
        ("Más personal", "es", "personal"),
        ("Prezzi più bassi", "it", "Prezzi"),
        ("Meer toiletten graag", "nl", "toiletten"),
        ("Melhorar o estacionamento", "pt", "estacionamento"),
        ("增加人手", "zh", "人手"),
    ],
)
def test_what_somebody_asks_for_is_lacking(text: str, lang: str, term: str) -> None:
    assert opinions_of(text, lang) == {term: NEGATIVE}


def test_a_list_of_requests_asks_for_each() -> None:
    assert opinions_of("More staff, better food and lower prices") == {
        "staff": NEGATIVE,
        "food": NEGATIVE,
        "prices": NEGATIVE,
    }


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Love this phone. Better camera and longer battery life.", "en"),
        ("Great location, better rooms than before", "en"),
        ("Hotel más bonito de Madrid", "es"),
        ("Melhor pizza da cidade", "pt"),
        ("Le plus bel hôtel de Paris", "fr"),
        ("Saubere Zimmer", "de"),
    ],
)
def test_what_is_better_or_best_beside_praise_or_by_itself_is_praised(text: str, lang: str) -> None:
    assert NEGATIVE not in opinions_of(text, lang).values()
    assert POSITIVE in opinions_of(text, lang).values()


def test_a_request_among_praise_complains_of_its_own_thing_alone() -> None:
    assert opinions_of("Lovely rooms. Improve the parking.") == {"rooms": POSITIVE, "parking": NEGATIVE}
