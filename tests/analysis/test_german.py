"""What German says with the ending of an adjective is read as a German reads it."""

import pytest

from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize("text", ["Freundlicher Service", "Freundlicher Service, leckeres Essen."])
def test_an_adjective_that_agrees_with_its_noun_compares_nothing(text: str) -> None:
    assert opinions_of(text, "de")["Service"] == POSITIVE


def test_what_is_denied_in_front_of_its_noun_is_not_the_best_there_is() -> None:
    assert opinions_of("Kein freundlicher Service.", "de") == {"Service": NEGATIVE}


def test_a_comparative_with_its_ending_still_asks_for_more() -> None:
    assert opinions_of("Freundlichere Bedienung", "de") == {"Bedienung": NEGATIVE}


@pytest.mark.parametrize("price", ["wirklich guten", "sehr angenehmen", "sehr humanen"])
def test_a_preposition_before_a_price_is_no_excess(price: str) -> None:
    assert NEGATIVE not in opinions_of(f"Leckere Burger zu {price} Preisen.", "de").values()


def test_an_excess_before_a_noun_is_one_all_the_same() -> None:
    assert opinions_of("Wir schliefen in zu warmen Zimmern.", "de")["Zimmern"] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("Ohne diese Hundeschule wären wir verzweifelt.", "Hundeschule", POSITIVE),
        ("Ohne den Lärm wäre das Hotel perfekt gewesen.", "Lärm", NEGATIVE),
    ],
)
def test_what_would_have_been_without_something_is_said_of_it_the_other_way_round(
    text: str, term: str, expected: str
) -> None:
    assert opinions_of(text, "de")[term] == expected


@pytest.mark.parametrize("denied", ["leider nicht", "einfach nicht", "immer noch nicht", "mal wieder nicht"])
def test_a_longer_way_to_say_no_denies_praise_as_well(denied: str) -> None:
    assert opinions_of(f"Die Bahn war {denied} pünktlich.", "de") == {"Bahn": NEGATIVE}


def test_neither_of_two_things_that_pleased_is_praised() -> None:
    assert opinions_of("Weder die Pizza noch die Pasta hat geschmeckt.", "de") == {"Pizza": NEGATIVE, "Pasta": NEGATIVE}


def test_how_often_something_failed_is_not_denied_with_what_failed() -> None:
    assert opinions_of("Bahn zum dritten Mal nicht pünktlich.", "de") == {"Bahn": NEGATIVE}


def test_nothing_better_anywhere_is_praise() -> None:
    assert opinions_of("Es gibt keinen freundlicheren Service.", "de") == {"Service": POSITIVE}
    assert opinions_of("Nirgends ist der Service so freundlich.", "de") == {"Service": POSITIVE}


def test_what_would_be_if_it_were_is_not() -> None:
    assert opinions_of("Wenn die Bahn pünktlich wäre, würde ich öfter fahren.", "de")["Bahn"] == NEGATIVE
    assert opinions_of("Wäre der Service freundlicher, käme ich wieder.", "de")["Service"] == NEGATIVE


def test_simply_before_a_complaint_praises_nothing() -> None:
    assert opinions_of("Die Kündigung wurde einfach ignoriert.", "de")["Kündigung"] == NEGATIVE
    assert opinions_of("Die Kündigung ging einfach.", "de")["Kündigung"] == POSITIVE


@pytest.mark.parametrize("first", ["Generell", "Ansonsten", "Neulich", "Momentan", "Naja", "Hoffentlich", "Wen"])
def test_a_sentence_does_not_begin_with_a_thing_only_because_it_has_a_capital(first: str) -> None:
    assert first not in opinions_of(f"{first} war die Bahn schlecht.", "de")


@pytest.mark.parametrize(
    ("text", "term"), [("Personal top", "Personal"), ("bus mal wieder schlecht", "bus"), ("SERVICE TOP", "SERVICE")]
)
def test_an_adverb_in_small_letters_is_no_part_of_the_thing_before_it(text: str, term: str) -> None:
    assert set(opinions_of(text, "de")) == {term}


def test_a_phrase_without_a_gap_goes_before_one_with_a_gap() -> None:
    assert opinions_of("Das Gerät funktioniert nicht schlecht.", "de") == {"Gerät": POSITIVE}
