"""Which words name something: nouns however they were tagged, and no verbs beside them."""

import pytest

from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize(
    ("text", "lang", "noun"),
    [
        ("Panela muito boa", "pt", "Panela"),
        ("Teclado muito bom.", "pt", "Teclado"),
        ("Palestra piena, spogliatoi sporchi.", "it", "spogliatoi"),
        ("Orologio preciso, cinturino che irrita il polso.", "it", "cinturino"),
        ("The burger was juicy, fries a bit too salty for me.", "en", "fries"),
    ],
)
def test_a_noun_at_the_start_of_a_statement_is_a_term_though_it_was_tagged_a_verb(
    text: str, lang: str, noun: str
) -> None:
    assert noun in opinions_of(text, lang)


@pytest.mark.parametrize(
    ("text", "lang", "subject", "verb"),
    [
        ("Coffee tastes like dishwater.", "en", "Coffee", "tastes"),
        ("The pool closes at six, useless for us.", "en", "pool", "closes"),
        ("El técnico vino al día siguiente, muy profesional.", "es", "técnico", "vino"),
        ("L'appli demande trop d'autorisations.", "fr", "appli", "demande"),
        ("Il capo controlla tutto.", "it", "capo", "controlla"),
        ("De kluisjes werken enkel met een munt.", "nl", "kluisjes", "werken"),
    ],
)
def test_a_verb_behind_its_subject_is_no_part_of_the_term(text: str, lang: str, subject: str, verb: str) -> None:
    found = opinions_of(text, lang)
    assert subject in found
    assert not [term for term in found if verb in term.split()]


def test_a_noun_tagged_a_verb_keeps_its_verb() -> None:
    assert "self checkouts" in opinions_of("The self checkouts never work.")
