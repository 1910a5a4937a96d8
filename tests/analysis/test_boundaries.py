"""Where a term begins and ends where writing hides it or shows it: Chinese without blanks, German capitals."""

import pytest

from feedback.analysis import language
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("广告太多。", {"广告": NEGATIVE}),
        ("护士打针很温柔。", {"护士": POSITIVE}),
        ("网速慢得要死。", {"网速": NEGATIVE}),
        ("功能强大，操作方便。", {"功能": POSITIVE, "操作": POSITIVE}),
        ("打游戏卡顿。", {"游戏": NEGATIVE}),
        ("办事效率高。", {"办事效率": POSITIVE}),
        ("床很舒服，地板脏，早餐好吃。", {"床": POSITIVE, "地板": NEGATIVE, "早餐": POSITIVE}),
    ],
)
def test_a_chinese_term_is_the_noun_without_what_is_said_of_it(text: str, expected: dict[str, str]) -> None:
    assert opinions_of(text, "zh") == expected


@pytest.mark.parametrize("text", ["太浅", "并不大", "停车难", "服务周到", "汤太咸"])
def test_what_the_dictionary_joins_is_cut_before_the_word_that_judges(text: str) -> None:
    assert len(language.load("zh").cut(text).surface) > 1


def test_a_german_word_in_small_letters_is_no_term_where_nouns_have_capitals() -> None:
    assert set(opinions_of("Der Berater hat alles verständlich erklärt.", "de")) == {"Berater"}


def test_a_german_who_writes_no_capitals_is_read_all_the_same() -> None:
    assert opinions_of("der zug war voll und der schaffner unfreundlich", "de") == {
        "zug": NEGATIVE,
        "schaffner": NEGATIVE,
    }


def test_a_hashtag_says_what_its_word_says() -> None:
    assert opinions_of("Heute #Verspätung in Köln.", "de")["#Verspätung"] == NEGATIVE


def test_a_chinese_noun_is_also_a_term_with_the_noun_it_belongs_to() -> None:
    assert opinions_of("屏幕的色彩很鲜艳。", "zh")["屏幕的色彩"] == POSITIVE
