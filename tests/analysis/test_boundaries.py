"""Where a term begins and ends where writing hides it or shows it: Chinese without blanks, German capitals."""

import pytest

from feedback.analysis import language
from tests.analysis.make import make_analysis, opinions_of

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
        ("这本书写得很好。", {"书": POSITIVE}),
        ("这套书很贵。", {"书": NEGATIVE}),
        ("整本书都很枯燥。", {"书": NEGATIVE}),
        ("以前菜很好吃。", {"菜": POSITIVE}),
        ("床小点，价格贵点。", {"床": NEGATIVE, "价格": NEGATIVE}),
        ("重量轻，汤咸。", {"重量": POSITIVE, "汤": NEGATIVE}),
        ("前台适时地帮忙，很贴心。", {"前台": POSITIVE}),
        ("这台机器有很高性价比。", {"机器": POSITIVE, "性价比": POSITIVE}),
        ("此书很枯燥。", {"书": NEGATIVE}),
        ("usb接口太少，系统用久了会卡。", {"usb接口": NEGATIVE, "接口": NEGATIVE, "系统": NEGATIVE}),
        ("房间竟然不打扫。", {"房间": NEGATIVE}),
        ("位置偏，出行还比较方便。", {"位置": NEGATIVE, "出行": POSITIVE}),
        ("入住时前台很热情。", {"前台": POSITIVE}),
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


def test_what_tells_which_one_is_meant_makes_a_longer_term() -> None:
    found = opinions_of("The staff at the front desk were rude.")
    assert found["staff"] == found["staff at the front desk"] == NEGATIVE


def test_where_something_was_done_makes_no_longer_term() -> None:
    assert "fee at the desk" not in opinions_of("We paid a fee at the desk and left.")


def test_what_somebody_does_is_a_term_where_it_is_the_subject() -> None:
    found = opinions_of("Returning the car was horrible.")
    assert found["Returning"] == found["Returning the car"] == NEGATIVE


def test_a_verb_without_a_subject_is_what_is_judged() -> None:
    assert opinions_of("Fits perfectly! Sadly the zip broke.") == {"Fits": POSITIVE, "zip": NEGATIVE}


def test_the_name_of_an_account_is_a_term_where_something_is_said_of_it() -> None:
    assert opinions_of("@northernrail is terrible today.") == {"@northernrail": NEGATIVE}
    assert "@marie" not in opinions_of("@marie the train was late again.")


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Easy to set up.", "en", {"set": POSITIVE, "set up": POSITIVE}),
        ("Très difficile à nettoyer.", "fr", {"nettoyer": NEGATIVE}),
        ("Leicht zu reinigen.", "de", {"reinigen": POSITIVE}),
        ("Happy to see you.", "en", {}),
    ],
)
def test_what_is_called_easy_or_hard_is_a_term(text: str, lang: str, expected: dict[str, str]) -> None:
    assert expected.items() <= opinions_of(text, lang).items()
    assert expected or not opinions_of(text, lang)


def test_a_complaint_in_several_words_that_names_nothing_is_not_lost() -> None:
    assert opinions_of("Does not work.") == {"work": NEGATIVE}


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("It fits great and the colour is nice.", "en", {"fits": POSITIVE, "colour": POSITIVE}),
        ("Feels cheap, the print is ugly.", "en", {"Feels": NEGATIVE, "print": NEGATIVE}),
        ("Sie passt super und der Stoff ist schön.", "de", {"passt": POSITIVE, "Stoff": POSITIVE}),
    ],
)
def test_a_verb_that_names_a_property_is_a_term_whatever_else_is_judged(
    text: str, lang: str, expected: dict[str, str]
) -> None:
    assert opinions_of(text, lang) == expected


def test_a_verb_that_only_joins_a_verdict_to_its_noun_is_no_term() -> None:
    assert opinions_of("The fabric feels cheap.") == {"fabric": NEGATIVE}


def test_a_property_is_one_term_whether_a_verb_or_a_noun_names_it() -> None:
    texts = "It fits perfectly.", "The fit is perfect."
    assert {e.term for text in texts for e in make_analysis(text).enrichments} == {"fit__NOUN__1"}


def test_a_verb_that_tells_of_the_customer_is_no_property() -> None:
    assert "felt" not in opinions_of("I felt cheated by the staff.")


def test_a_noun_that_a_turn_of_phrase_is_said_of_is_a_term() -> None:
    assert opinions_of("Train cancelled again.") == {"Train": NEGATIVE}


def test_a_verb_is_no_term_where_only_a_verb_can_stand() -> None:
    assert set(opinions_of("I can't charge my phone and the screen is bad.")) == {"phone", "screen"}


def test_an_adjective_and_nothing_after_it_make_a_word_a_noun() -> None:
    assert opinions_of("Small rooms. Warm welcome.")["welcome"] == POSITIVE


def test_a_genitive_ties_a_noun_to_the_one_before_and_is_no_subject() -> None:
    found = opinions_of("Die Mitarbeiter der Bahn sind unfreundlich.", "de")
    assert found["Mitarbeiter der Bahn"] == found["Mitarbeiter"] == NEGATIVE
    assert "Durchsage der Zug" not in opinions_of("Laut Durchsage der Zug defekt.", "de")


def test_a_known_noun_in_small_letters_shows_that_a_german_text_spares_capitals() -> None:
    assert "warenkorb" in opinions_of("Die App hängt beim Bezahlen und der warenkorb ist danach leer.", "de")


def test_of_a_chain_of_nouns_the_later_ones_are_a_term_as_well() -> None:
    assert "pièces de théâtre" in opinions_of("Ce genre de pièces de théâtre est ennuyeux.", "fr")


def test_a_plural_that_some_write_for_a_possessive_is_a_noun() -> None:
    assert "owners" in opinions_of("The owners treat you like family.")


def test_a_verb_that_no_treebank_shows_is_no_part_of_its_subject() -> None:
    found = opinions_of("The owner wraps everything beautifully. The garlic knots were great.")
    assert {"owner", "garlic knots"} <= set(found)
    assert "owner wraps" not in found


def test_a_noun_between_its_article_and_what_it_is_like_is_found_whatever_its_tag() -> None:
    assert opinions_of("El local muy bonito.", "es") == {"local": POSITIVE}


def test_an_ordinal_before_a_noun_is_no_course_of_a_meal() -> None:
    assert set(opinions_of("Nos traen los primeros tacos.", "es")) == {"tacos"}


@pytest.mark.parametrize(
    ("text", "lang", "praised", "blamed"),
    [
        ("De jas is mooi, jammer dat de rits stuk gaat.", "nl", "jas", "rits"),
        ("Das Essen war lecker, schade, dass der Service langsam war.", "de", "Essen", "Service"),
    ],
)
def test_a_pity_after_a_comma_is_of_what_follows_and_not_of_what_came_before(
    text: str, lang: str, praised: str, blamed: str
) -> None:
    assert opinions_of(text, lang) == {praised: POSITIVE, blamed: NEGATIVE}


def test_a_verb_phrase_that_opens_with_a_noun_ends_the_term_before_it() -> None:
    assert opinions_of("Jammer dat de rits stuk ging.", "nl") == {"rits": NEGATIVE}
