"""No text makes the analysis raise, lie about offsets, or answer differently the second time."""

import gc
import pickle
import re
import time

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feedback.analysis import Profile, analyse, analyse_many, features, opinions
from feedback.domain.document import Opinion
from tests.analysis.make import make_analysis

LANGUAGES = ["en", "fr", "de", "es", "it", "nl", "pt", "zh", "ja", "ar", "xx"]
PLANES = st.characters(min_codepoint=0, max_codepoint=0x10FFFF, exclude_categories=())
WORDS = st.sampled_from(
    [
        "not",
        "very",
        "the",
        "good",
        "bad",
        "staff",
        ",",
        ".",
        "!",
        "?",
        "but",
        "and",
        "of",
        "pas",
        "très",
        "bueno",
        "不",
        "好",
        "😀",
        ":(",
        "n't",
        "#",
        "\n",
        "I",
        "was",
        "too",
    ]
)
TERM = re.compile(r"[^/\s]+__(NOUN|PROPN|ADJ|VERB|ADV)__\d+")


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.text(alphabet=PLANES, max_size=120), st.lists(WORDS, max_size=40).map(" ".join)),
    st.sampled_from(LANGUAGES),
)
@example("\ud800", "zh")
@example("服务\udfff很好", "zh")
def test_terms_are_slices_of_any_text(text: str, lang: str) -> None:
    for found in make_analysis(text, lang).enrichments:
        assert 0 <= found.offset.begin < found.offset.end <= len(text)
        assert TERM.fullmatch(found.term), found.term


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join), st.sampled_from(LANGUAGES))
def test_the_same_text_always_gives_the_same_answer(text: str, lang: str) -> None:
    assert make_analysis(text, lang) == make_analysis(text, lang)


def test_an_answer_does_not_depend_on_what_was_analysed_before() -> None:
    texts = ["Great coffee.", "The staff were rude.", "No wifi, but a lovely view."]
    profile = Profile()
    together = analyse_many([(text, None, None) for text in texts], profile)
    assert together == [analyse(text, profile) for text in reversed(texts)][::-1]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.lists(WORDS, max_size=12).map(" ".join), st.sampled_from(LANGUAGES)), max_size=40))
def test_texts_of_several_languages_analysed_together_have_the_answers_they_have_alone(
    items: list[tuple[str, str]],
) -> None:
    profile = Profile()
    together = analyse_many([(text, lang, None) for text, lang in items], profile)
    assert together == [analyse(text, profile, lang) for text, lang in items]


def test_a_long_text_has_the_same_answer_wherever_it_stands_among_others() -> None:
    long = "The room was small and the staff very kind, but nobody answered the phone when we called about it. " * 60
    alone = analyse(long, Profile())
    for before in range(0, 600, 40):
        found = analyse_many([("not " * before, None, None), (long, None, None)], Profile())
        assert found[1] == alone


def test_the_opinion_on_a_noun_phrase_is_the_same_whatever_others_are_decided_with_it() -> None:
    rows = np.random.default_rng(7).choice([0.0, 0.0, 0.1, 1.0], (1500, len(features.FEATURES))).tolist()
    assert opinions.decide(rows) == [opinions.decide([row])[0] for row in rows]


def cpu_seconds(text: str, lang: str = "en") -> float:
    """The less of two analyses, without collecting the garbage of the tests before."""
    gc.collect()
    gc.disable()
    try:
        taken = []
        for _ in range(2):
            start = time.process_time()
            make_analysis(text, lang)
            taken.append(time.process_time() - start)
        return min(taken)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "unit",
    ["good service ", "but ", "x", "the room and ", "not ", "a, ", "!? ", "n't", "très ", "好", "<b ", "&a", "😀👍"],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_hundred_thousand_characters_take_time_in_proportion(unit: str, lang: str) -> None:
    text = (unit * 100_000)[:100_000]
    make_analysis(text[:1000], lang)
    assert cpu_seconds(text, lang) < 9 * cpu_seconds(text[:20_000], lang) + 0.25


@pytest.mark.parametrize(
    "sentence",
    [
        "The shirt fits well and looks good. ",
        "Unlike the train, the bus was clean. ",
        "All great, especially the fish. ",
        "Pros: room ",
        "Late again. Thanks @x. ",
    ],
)
def test_a_hundred_thousand_characters_of_sentences_take_time_in_proportion(sentence: str) -> None:
    text = (sentence * 10_000)[:100_000]
    make_analysis(text[:1000])
    assert cpu_seconds(text) < 9 * cpu_seconds(text[:20_000]) + 0.1


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [("zh", "以前服务很好，现在服务很差。"), ("zh", "屏幕比苹果手机清晰，"), ("es", "antes todo iba de maravilla. ")],
)
def test_former_times_and_comparisons_take_time_in_proportion(lang: str, sentence: str) -> None:
    text = (sentence * 10_000)[:100_000]
    make_analysis(text[:1000], lang)
    assert cpu_seconds(text, lang) < 9 * cpu_seconds(text[:20_000], lang) + 0.1


def test_turns_of_phrase_take_time_in_proportion() -> None:
    text = "per il resto zona tranquilla reso fatto " * 6000
    make_analysis(text[:1000], "it")
    assert cpu_seconds(text, "it") < 9 * cpu_seconds(text[:40_000], "it") + 0.1


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ja", "このホテルはとても良いです。"),
        ("pl", "Hotel był bardzo dobry"),
        ("ar", "الخدمة سيئة"),
        ("th", "อาหารอร่อยมาก"),
    ],
)
def test_a_language_without_data_gives_neutral_terms(lang: str, text: str) -> None:
    found = make_analysis(text, lang).enrichments
    assert found
    assert {e.opinion for e in found} == {"NEUTRAL"}


def test_a_missing_language_is_detected() -> None:
    found = analyse("Das Zimmer war leider sehr schmutzig und die Heizung kaputt.", Profile(lang=None))
    assert "NEGATIVE" in {e.opinion for e in found.enrichments}


def test_a_region_is_part_of_its_language() -> None:
    assert make_analysis("Great coffee", "en-GB") == make_analysis("Great coffee", "en")


def test_a_profile_travels_between_processes() -> None:
    profile = Profile(lang="fr", industry="RESTAURANT")
    assert pickle.loads(pickle.dumps(profile)) == profile  # noqa: S301 - our own bytes
    assert hash(profile) == hash(msgspec.structs.replace(profile))


def test_phrases_are_listed_with_the_phrases_inside_them() -> None:
    text = "The customer service was slow."
    assert {text[e.offset.begin : e.offset.end] for e in make_analysis(text).enrichments} >= {
        "customer service",
        "service",
    }


@pytest.mark.parametrize(
    ("lang", "text", "label"),
    [
        ("en", "Staff rude.", "staff__NOUN__1"),
        ("en", "The facilities were dirty.", "facility__NOUN__1"),
        ("it", "La musica alta.", "musica__NOUN__1"),
        ("nl", "De vlucht was laat.", "vlucht__NOUN__1"),
        ("zh", "服务员很热情。", "服务员__NOUN__1"),
    ],
)
def test_a_noun_has_one_label_wherever_it_stands(lang: str, text: str, label: str) -> None:
    assert label in {e.term for e in analyse(text, Profile(lang=lang)).enrichments}


def test_in_a_language_without_data_every_word_is_a_term_and_none_is_judged() -> None:
    found = analyse("Personel çok kibar, oda temizdi.", Profile(lang="tr")).enrichments
    assert [(e.term, e.opinion) for e in found] == [
        (f"{word}__NOUN__1", Opinion.NEUTRAL) for word in ("personel", "çok", "kibar", "oda", "temizdi")
    ]
