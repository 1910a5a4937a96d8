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


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("Der IC 2442 war voll.", "de", "IC 2442"),
        ("Die Linie 42 war pünktlich.", "de", "Linie 42"),
        ("Gate 14 was crowded.", "en", "Gate 14"),
        ("Windows 7 runs smoother than ever.", "en", "Windows 7"),
        ("A moça do guichê 7 foi ótima.", "pt", "guichê 7"),
    ],
)
def test_a_number_behind_a_noun_is_part_of_its_name(text: str, lang: str, term: str) -> None:
    found = opinions_of(text, lang)
    assert {term, term.split(maxsplit=1)[0]} <= set(found)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("We waited in the restaurant 40 minutes.", "en"),
        ("Windows 7 or 8?", "en"),
        ("Nous avons payé le menu 25 euros.", "fr"),
        ("atendimento da recepcao nota 10", "pt"),
    ],
)
def test_a_number_that_counts_or_rates_is_no_part_of_a_name(text: str, lang: str) -> None:
    assert not [term for term in opinions_of(text, lang) if term.endswith(("40", "8", "25", "10"))]


def test_a_line_in_small_letters_is_a_term() -> None:
    assert opinions_of("@RMVdialog rb51 heute nur mit einem wagen, stehen wie die sardinen", "de")["rb51"] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("Per il resto zona tranquilla.", "it", "zona"),
        ("Over het algemeen kamer schoon.", "nl", "kamer"),
        ("Las calles del centro dan asco.", "es", "calles del centro"),
        ("The foundation stays put all day.", "en", "foundation"),
        ("La vue coupe le souffle.", "fr", "vue"),
        ("Quarant'anni di attesa.", "it", "attesa"),
    ],
)
def test_a_term_ends_where_a_turn_of_phrase_begins_or_ends(text: str, lang: str, term: str) -> None:
    found = opinions_of(text, lang)
    assert max(found, key=len) == term


def test_a_noun_with_which_a_verdict_begins_stays_with_the_noun_before() -> None:
    assert "customer service" in opinions_of("Customer service sucks.".lower())
