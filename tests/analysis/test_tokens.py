"""Tokens keep their place in the text, whatever the text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.analysis import tokens

FAMILIES = ["en", "fr", "de", "es", "it", "nl", "pt", "zh", "ja", ""]


@given(st.text(max_size=200), st.sampled_from(FAMILIES))
def test_every_token_is_the_slice_it_says(text: str, family: str) -> None:
    for surface, begin, end, _ in zip(*tokens.cut(text, family), strict=True):
        assert text[begin:end] == surface


@given(st.text(max_size=200), st.sampled_from(FAMILIES))
def test_tokens_do_not_overlap_and_are_never_empty(text: str, family: str) -> None:
    found = tokens.cut(text, family)
    assert all(begin < end for begin, end in zip(found.begin, found.end, strict=True))
    assert all(end <= begin for end, begin in zip(found.end, found.begin[1:], strict=False))


@pytest.mark.parametrize(
    ("family", "text", "expected"),
    [
        ("en", "I can't, Wi-Fi isn’t good", ["I", "ca", "n't", ",", "Wi-Fi", "is", "n’t", "good"]),
        (
            "fr",
            "L'accueil n'est pas top, est-ce qu'il vient ?",
            ["L'", "accueil", "n'", "est", "pas", "top", ",", "est", "-ce", "qu'", "il", "vient", "?"],
        ),
        ("en", "It didn t work", ["It", "did", "n t", "work"]),
        ("en", "a brown t shirt", ["a", "brown", "t", "shirt"]),
        ("it", "l'hotel dell'aeroporto", ["l'", "hotel", "dell'", "aeroporto"]),
        ("de", "WLAN-Stick für 9,99€ :-(", ["WLAN-Stick", "für", "9,99€", ":-("]),
        ("es", "¡Qué asco! 10/10", ["¡", "Qué", "asco", "!", "10/10"]),
        (
            "en",
            "see https://a.b/c?d or mail x@y.org #fail 👍🏽",
            ["see", "https://a.b/c?d", "or", "mail", "x@y.org", "#fail", "👍🏽"],
        ),
    ],
)
def test_a_text_is_cut_as_its_language_writes(family: str, text: str, expected: list[str]) -> None:
    assert tokens.cut(text, family).surface == expected


@pytest.mark.parametrize("unit", ["a", "a.a", ":", "l'", "@", "1,", "-a", "n't", "\U0001f468\u200d", "¯\\_", "e\u0301"])
@pytest.mark.parametrize("family", ["en", "fr", "nl", ""])
def test_cutting_takes_time_in_proportion_to_length(unit: str, family: str) -> None:
    text = (unit * 100_000)[:100_000]
    start = time.perf_counter()
    tokens.cut(text, family)
    assert time.perf_counter() - start < 2


def test_the_number_of_an_order_is_no_hashtag() -> None:
    found = tokens.cut("#Fail order #12345")
    assert next(zip(found.surface, found.kind, strict=True)) == ("#Fail", tokens.HASHTAG)
    assert found.surface[-2:] == ["#", "12345"]
