"""What is only mentioned, or only courtesy, gets no opinion, and what stands against praise does not share it."""

import pytest

from tests.analysis.make import make_analysis, opinions_of

POSITIVE, NEGATIVE, NEUTRAL = "POSITIVE", "NEGATIVE", "NEUTRAL"


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("fr", "La prof arrive toujours en retard.", "retard"),
        ("it", "Il caffè è arrivato insieme al conto.", "conto"),
    ],
)
def test_what_a_judging_phrase_mentions_behind_a_preposition_is_not_what_it_judges(
    lang: str, text: str, term: str
) -> None:
    assert opinions_of(text, lang).get(term, NEUTRAL) == NEUTRAL


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        (
            "nl",
            "Het scherm is haarscherp, de luidsprekertjes daarentegen klinken alsof ze onder water liggen.",
            "luidsprekertjes",
        ),
        ("it", "La suola ammortizza bene, ma i lacci si sciolgono ogni dieci minuti.", "lacci"),
    ],
)
def test_what_stands_against_praise_does_not_share_it(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("de", "Liebe @SBahnBerlin, eure Türen gehen zu während Leute noch aussteigen.", "Türen"),
        ("fr", "Cher SFR, ma ligne est bleue.", "ligne"),
    ],
)
def test_how_a_letter_opens_judges_nothing(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEUTRAL


def test_kind_words_to_somebody_are_praise_where_no_letter_goes_on() -> None:
    assert opinions_of("Lieve verpleegkundigen, maar het eten was koud.", "nl")["verpleegkundigen"] == POSITIVE


def test_bare_thanks_after_nothing_but_complaints_are_scorn() -> None:
    assert opinions_of("Still no internet, awful support, thanks Vodafone", "en")["Vodafone"] == NEGATIVE


def test_thanks_after_praise_are_meant() -> None:
    assert opinions_of("Great internet, lovely support, thanks Vodafone", "en")["Vodafone"] == POSITIVE


def test_a_hashtag_is_a_verdict_that_nothing_before_it_denies() -> None:
    found = opinions_of("Al heel de dag geen internet en nooit antwoord #fail", "nl")
    assert found["internet"] == NEGATIVE
    assert POSITIVE not in found.values()


def test_a_name_behind_zu_is_not_too_much_of_anything() -> None:
    assert opinions_of("Wir sind zu Deutsche Glasfaser gewechselt.", "de").get("Glasfaser", NEUTRAL) == NEUTRAL


def test_a_list_of_what_is_near_ends_before_the_next_subject() -> None:
    assert opinions_of("Tolle Lage direkt am Strand, der Pool war leider gesperrt.", "de")["Pool"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("pt", "Usamos a academia, que tem bons aparelhos.", "academia"),
        ("en", "We used the gym, which has great machines.", "gym"),
    ],
)
def test_what_a_relative_clause_says_its_noun_has_is_said_of_the_noun(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


def test_of_two_conditions_of_a_word_the_one_beside_it_counts() -> None:
    found = opinions_of("Long battery life, short charging time, but the camera is disappointing.", "en")
    assert found["battery life"] == POSITIVE


def test_nouns_side_by_side_are_equally_near() -> None:
    assert opinions_of("电池续航时间真的很长。", "zh")["电池续航时间"] == POSITIVE


def test_what_a_noun_lacks_is_not_what_the_next_one_is_like() -> None:
    assert opinions_of("Havia poucas frutas, pão velho e suco aguado.", "pt")["pão"] == NEGATIVE


def test_what_did_not_have_to_be_done_is_no_complaint() -> None:
    found = opinions_of("Com essa bateria passo o dia todo na rua sem lembrar do carregador.", "pt")
    assert NEGATIVE not in found.values()


def test_what_is_left_out_does_not_turn_the_verb_behind_it() -> None:
    text = "Een uur op het perron gestaan omdat de trein naar Zwolle zonder mededeling uitviel."
    assert opinions_of(text, "nl")["trein"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("zh", "以前这家的炒饭料很足，现在火腿丁都看不见几个。", "炒饭"),
        ("zh", "刚买的时候电池很耐用，现在半天就没电。", "电池"),
        ("zh", "上次来味道很好，这次来完全变了。", "味道"),
        ("en", "The garden was lovely previously, now there are cars.", "garden"),
    ],
)
def test_what_was_good_before_is_blamed_where_today_follows(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("以前服务很好，现在更好。", "服务"),
        ("上次买的裤子质量很好，这次又来买了。", "裤子质量"),
        ("以前服务很差，现在好多了。", "服务"),
    ],
)
def test_what_is_as_good_or_better_today_is_praised(text: str, term: str) -> None:
    assert opinions_of(text, "zh")[term] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("en", "Previously great staff, and today was no different.", "staff"),
        ("de", "Früher fand ich den Laden super, jetzt auch noch.", "Laden"),
        ("de", "Früher war der Service top, heute genauso.", "Service"),
        ("fr", "Avant l'accueil était bien, maintenant aussi.", "accueil"),
        ("it", "Il personale prima gentile, adesso ancora di più.", "personale"),
        ("nl", "Eerst was het eten lekker, nu nog steeds.", "eten"),
        ("es", "Antes el servicio era bueno, ahora también.", "servicio"),
        ("pt", "Antes o serviço era bom, hoje continua.", "serviço"),
    ],
)
def test_what_was_good_before_stays_praised_where_today_is_the_same(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("en", "Originally great food, now different.", "food"),
        ("de", "Früher fand ich den Laden super, jetzt auch nicht mehr.", "Laden"),
        ("nl", "Eerst was het eten lekker, nu ook niet meer.", "eten"),
        ("zh", "以前服务很好，今年没有人理。", "服务"),
    ],
)
def test_what_is_denied_today_is_not_the_same(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("之前买过一次，质量很好，这次买了两个。", "质量"),
        ("之前买过，质量很好，这次给朋友买。", "质量"),
        ("去年买的手机很好用，今年给妈妈也买了一个。", "手机"),
        ("９８年这家酒店开业时住过，感觉很好，今年还是选择了住在这里。", "酒店"),
        ("以前质量很好，现在没有变。", "质量"),
    ],
)
def test_who_comes_back_complains_of_nothing(text: str, term: str) -> None:
    assert opinions_of(text, "zh")[term] == POSITIVE


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("比图片上的颜色好看。", "颜色"),
        ("比我想象的房间大很多。", "房间"),
        ("比网上的照片漂亮。", "照片"),
        ("比一般的酒店干净。", "酒店"),
        ("这次比上次的房间好。", "房间"),
    ],
)
def test_what_is_better_than_expected_is_not_blamed_where_nothing_else_is_named(text: str, term: str) -> None:
    assert opinions_of(text, "zh")[term] != NEGATIVE


@pytest.mark.parametrize(
    ("text", "better", "standard"),
    [
        ("屏幕比苹果手机清晰。", "屏幕", "苹果手机"),
        ("服务比上次的酒店好。", "服务", "酒店"),
        ("味道比别家餐厅好。", "味道", "餐厅"),
    ],
)
def test_what_a_named_thing_is_better_than_is_not_praised(text: str, better: str, standard: str) -> None:
    found = opinions_of(text, "zh")
    assert (found[better], found[standard]) == (POSITIVE, NEGATIVE)


def test_what_was_good_before_and_is_not_compared_stays_praised() -> None:
    assert opinions_of("Wir waren früher schon hier. Der Garten ist schön.", "de")["Garten"] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("de", "Die Werkstatt hat den Fehler nicht behoben.", "Fehler"),
        ("fr", "Ils n'ont pas réparé la panne.", "panne"),
    ],
)
def test_a_fault_that_nobody_mended_stays_one(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("es", "El camarero no era demasiado simpático.", "camarero", NEGATIVE),
        ("it", "Il cameriere non era troppo simpatico.", "cameriere", NEGATIVE),
        ("it", "La musica non era troppo rumorosa.", "musica", POSITIVE),
    ],
)
def test_not_too_much_of_something_good_is_a_complaint(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was wonderful.", {"It": POSITIVE}),
        ("I would never recommend them!", {"them": NEGATIVE}),
        ("He was so kind and she was awful.", {"He": POSITIVE, "she": NEGATIVE}),
    ],
)
def test_a_pronoun_is_the_term_where_nothing_judged_has_a_name(text: str, expected: dict[str, str]) -> None:
    assert opinions_of(text) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [("It is expensive.", "expensive"), ("They fit badly.", "fit"), ("The soup? It was cold.", "soup")],
)
def test_a_pronoun_is_no_term_where_a_word_names_what_is_judged(text: str, named: str) -> None:
    assert set(opinions_of(text)) == {named}


def test_all_cases_of_a_pronoun_are_one_term() -> None:
    texts = "They were great.", "We love them."
    assert {e.term for text in texts for e in make_analysis(text).enrichments} == {"they__NOUN__1"}
