"""Turns that everyday reviews take: lists in titles, warnings, relative clauses behind an exception."""

import pytest

from feedback.analysis.language import load
from feedback.analysis.pipeline import evidence_on
from feedback.analysis.reading import read
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE, NEUTRAL = "POSITIVE", "NEGATIVE", "NEUTRAL"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Great Cookies, Cakes, and Customer Service", "Customer Service"),
        ("Great cookies, cakes and coffee.", "coffee"),
    ],
)
def test_praise_of_a_list_reaches_its_last_member(text: str, last: str) -> None:
    assert opinions_of(text)[last] == POSITIVE


def test_who_is_told_to_stay_away_from_something_is_warned_of_it() -> None:
    assert opinions_of("Stay away from this garage.")["garage"] == NEGATIVE


def test_what_a_relative_clause_says_of_an_exception_is_not_said_of_the_rest() -> None:
    found = opinions_of("The bath was clean except the shower stall which had mildew problems.")
    assert (found["bath"], found["shower stall"]) == (POSITIVE, NEGATIVE)


@pytest.mark.parametrize(
    "text", ["I am made to feel special in this salon.", "I never seem to feel rushed in this salon."]
)
def test_how_customers_are_made_to_feel_is_no_property_of_a_product(text: str) -> None:
    assert "feel" not in opinions_of(text)


@pytest.mark.parametrize(
    ("text", "term", "opinion"),
    [
        ("The grilled cheese was good.", "grilled cheese", POSITIVE),
        ("They have a wonderful grooming service.", "grooming service", POSITIVE),
        ("The buses have spacious reclining seats.", "reclining seats", POSITIVE),
        ("Nobody was free to help, all were busy chatting customers up.", "chatting customers", None),
    ],
)
def test_a_participle_before_its_noun_tells_a_kind(text: str, term: str, opinion: str | None) -> None:
    assert opinions_of(text).get(term) == opinion


@pytest.mark.parametrize(
    ("text", "term", "opinion"),
    [
        ("The scallops were cold, but the rest of the food was lovely.", "food", POSITIVE),
        ("The pool was nice, but the rest of the hotel was a dump.", "hotel", NEGATIVE),
    ],
)
def test_what_is_said_of_the_rest_is_said_of_what_it_is_the_rest_of(text: str, term: str, opinion: str) -> None:
    assert opinions_of(text)[term] == opinion


def test_a_relative_clause_about_all_that_was_said_is_not_said_of_the_last_noun() -> None:
    text = "No vegan options on the menu, which is a shame because the place looks lovely."
    (proof,) = evidence_on([read(text, load("en"))])
    said = {proof.reading.surface[node.head]: proof.said(n) for n, node in enumerate(proof.nodes)}
    assert (said["options"], said["menu"]) == (True, False)


def test_the_part_that_the_writer_plays_is_not_judged() -> None:
    found = opinions_of("As a smartphone owner I know the camera is pretty fast.")
    assert (found["camera"], found["smartphone owner"]) == (POSITIVE, NEUTRAL)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The work on my car was done quickly.", {"work": POSITIVE, "car": NEUTRAL}),
        ("There was a hair in my rice.", {"rice": NEGATIVE}),
        ("I was delighted with my room.", {"room": POSITIVE}),
    ],
)
def test_what_is_the_customers_own_is_not_praised_with_what_was_done_to_it(text: str, terms: dict[str, str]) -> None:
    found = opinions_of(text)
    assert {term: found[term] for term in terms} == terms


def test_a_name_that_is_also_a_verb_judges_nobody() -> None:
    assert opinions_of("I have been going to Nick for years.")["Nick"] == NEUTRAL
    assert opinions_of("We Loved this place.")["place"] == POSITIVE


def test_that_something_was_done_on_time_names_no_time() -> None:
    assert "on time" not in opinions_of("They finished the job on time.")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The staff took good care of us.", {"staff"}),
        ("The phone stands the test of time.", {"phone"}),
        ("The shampoo makes my hair soft.", {"shampoo", "hair"}),
    ],
)
def test_the_words_of_a_verbs_praise_are_not_praised_themselves(text: str, terms: set[str]) -> None:
    assert set(opinions_of(text)) == terms


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("tiramisu, halloumi and paella all excellent", "paella"),
        ("aioli tasty, nice staff", "aioli"),
        ("affogato tasty, nice staff", "affogato"),
    ],
)
def test_a_dish_no_treebank_shows_is_a_noun_where_no_article_says_so(text: str, thing: str) -> None:
    assert opinions_of(text).get(thing) == POSITIVE
