"""What a judgement reaches, and what it does not, is what a reader would take it for."""

import pytest

from feedback.analysis import language
from feedback.analysis.comparatives import compares
from feedback.analysis.hits import NEGATED, Hit
from feedback.analysis.reading import read
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize(
    ("lang", "text", "service"),
    [
        ("en", "Two weeks without internet and terrible service.", "service"),
        ("de", "Zwei Wochen ohne Internet und die Hotline war unfreundlich.", "Hotline"),
        ("es", "Dos semanas sin internet y un servicio pésimo.", "servicio"),
        ("pt", "Duas semanas sem internet e um serviço péssimo.", "serviço"),
    ],
)
def test_without_denies_its_own_noun_and_not_the_next_complaint(lang: str, text: str, service: str) -> None:
    assert opinions_of(text, lang)[service] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("en", "Never had such good pizza.", "pizza", POSITIVE),
        ("en", "Never seen such rude staff.", "staff", NEGATIVE),
        ("es", "Nunca he comido una paella tan buena.", "paella", POSITIVE),
        ("es", "Nunca he visto un servicio tan malo.", "servicio", NEGATIVE),
        ("pt", "Nunca comi um bacalhau tão bom.", "bacalhau", POSITIVE),
    ],
)
def test_what_never_was_so_good_or_bad_is_the_best_or_worst(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("es", "Falta de limpieza y de organización.", {"limpieza": NEGATIVE, "organización": NEGATIVE}),
        ("it", "Mancanza di pulizia, cortesia e professionalità.", {"pulizia": NEGATIVE, "cortesia": NEGATIVE}),
        ("it", "Mancanza di pulizia e di organizzazione.", {"pulizia": NEGATIVE, "organizzazione": NEGATIVE}),
    ],
)
def test_all_that_a_lack_lists_is_lacking(lang: str, text: str, judged: dict[str, str]) -> None:
    found = opinions_of(text, lang)
    assert {term: found.get(term) for term in judged} == judged


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("en", "The jacket that my sister wore was ugly.", "jacket"),
        ("es", "El camarero que trajo la carta fue grosero.", "camarero"),
        ("fr", "Le serveur qui a apporté la carte était impoli.", "serveur"),
        ("nl", "We namen wijnen, die per gerecht perfect gekozen waren.", "wijnen"),
    ],
)
def test_what_follows_or_fills_a_relative_clause_is_said_of_the_noun_before_it(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] in {POSITIVE, NEGATIVE}


def test_what_something_is_compared_with_has_the_opposite_of_what_it_is_called() -> None:
    assert opinions_of("Laufen wäre schneller als die S-Bahn.", "de") == {"S-Bahn": NEGATIVE}


def test_a_lone_word_of_praise_before_a_complaint_is_scorn() -> None:
    assert opinions_of("Super, wieder im Tunnel stehen geblieben.", "de")["Tunnel"] != POSITIVE


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("要是屏幕再大一点就好了。", "屏幕"),
        ("像素再高一点就好了。", "像素"),
        ("如果早餐丰富一些就更好。", "早餐"),
        ("价格再降500，就完美了。", "价格"),
    ],
)
def test_what_a_wish_hopes_for_before_it_says_so_is_no_praise(text: str, term: str) -> None:
    assert opinions_of(text, "zh")[term] == NEGATIVE


@pytest.mark.parametrize(("lang", "text", "term"), [("zh", "服务很好希望多开几家店。", "服务")])
def test_a_wish_leaves_the_praise_before_it_alone(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("fr", "Quand j'ai eu une panne le technicien est passé rapidement.", "technicien"),
        ("it", "Quando il computer si è rotto l'assistenza è stata rapida.", "assistenza"),
    ],
)
def test_what_had_happened_before_is_not_said_of_whoever_came(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


def test_lines_that_begin_with_a_plus_or_a_minus_judge_what_they_list() -> None:
    found = opinions_of("+ Display, Akku\n- Preis, Gewicht", "de")
    assert found == {"Display": POSITIVE, "Akku": POSITIVE, "Preis": NEGATIVE, "Gewicht": NEGATIVE}


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("de", "Von Freundlichkeit keine Spur.", "Freundlichkeit"),
        ("de", "Kundenfreundlichkeit? Fehlanzeige!", "Kundenfreundlichkeit"),
        ("nl", "Van gastvrijheid is hier geen sprake.", "gastvrijheid"),
        ("fr", "L'amabilité brille par son absence.", "amabilité"),
    ],
)
def test_praise_by_name_of_what_is_not_there_complains(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


def test_a_phrase_whose_condition_fails_hides_none_of_its_words() -> None:
    assert opinions_of("The lipstick was gone by the time I got to work.")["lipstick"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("de", "Eine Frechheit!", {"Frechheit": NEGATIVE}),
        ("nl", "Wat een aanfluiting!", {"aanfluiting": NEGATIVE}),
        ("es", "Una vergüenza.", {"vergüenza": NEGATIVE}),
    ],
)
def test_a_verdict_that_is_all_that_is_said_is_not_lost(lang: str, text: str, judged: dict[str, str]) -> None:
    assert opinions_of(text, lang) == judged


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("nl", "Dankzij de app sta ik nooit meer in de rij.", {"app", "rij"}),
        ("fr", "Elle lit beaucoup.", set()),
        ("nl", "Heerlijk ontbijt.", {"ontbijt"}),
        ("it", "Ottimo locale!", {"locale"}),
    ],
)
def test_a_verb_beside_its_subject_is_no_term_and_a_praised_noun_is_one(
    lang: str, text: str, expected: set[str]
) -> None:
    assert set(opinions_of(text, lang)) == expected


@pytest.mark.parametrize(
    ("lang", "text", "place"),
    [
        ("fr", "Hôtel idéalement situé, à deux pas de la gare.", "gare"),
        ("it", "Posizione ottima, a due passi dal duomo.", "duomo"),
        ("pt", "Localização excelente, perto do mercado e da farmácia.", "farmácia"),
        ("en", "The location could not be better, two minutes from the beach.", "beach"),
    ],
)
def test_what_something_is_near_to_is_not_praised_with_it(lang: str, text: str, place: str) -> None:
    assert opinions_of(text, lang)[place] == "NEUTRAL"


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("fr", "Sept mois pour un passeport.", "passeport"),
        ("en", "Two hours for a pizza.", "pizza"),
        ("it", "Otto euro per un bonifico!", "bonifico"),
    ],
)
def test_a_sum_that_is_all_that_is_said_complains_of_what_it_is_for(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The zip sticks and the buds keep falling out.", {"zip", "buds"}),
        ("Autofocus misses half the shots.", {"Autofocus", "shots"}),
    ],
)
def test_what_a_noun_does_is_no_part_of_it(text: str, expected: set[str]) -> None:
    assert set(opinions_of(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The assistant ignored my question.", {"assistant": NEGATIVE, "question": "NEUTRAL"}),
        ("Ce fond de teint tient du matin au soir sans faire de plaques.", {"fond de teint": POSITIVE}),
    ],
)
def test_a_verb_judges_its_subject_and_not_what_stands_behind(text: str, expected: dict[str, str]) -> None:
    found = opinions_of(text, "fr" if text.startswith("Ce ") else "en")
    assert {term: found.get(term) for term in expected} == expected


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("The collar is not wide and is flattering.", "collar", POSITIVE),
        ("The collar is not soft or flattering.", "collar", NEGATIVE),
        ("Nothing really your staff were lovely.", "staff", POSITIVE),
        ("Nothing the staff did was helpful.", "staff", NEGATIVE),
        ("Nothing my waiter brought was good.", "waiter", NEGATIVE),
        ("Nothing they did a great job.", "job", POSITIVE),
        ("Nothing the food we had was lovely.", "food", POSITIVE),
        ("Nothing food was lovely.", "food", POSITIVE),
        ("Nothing really the room a bit small", "room", NEGATIVE),
        ("No the room was small", "room", NEGATIVE),
        ("No food was lovely.", "food", NEGATIVE),
        ("Nothing on the menu was good.", "menu", NEGATIVE),
    ],
)
def test_no_negator_denies_a_statement_that_begins_after_it(text: str, term: str, expected: str) -> None:
    assert opinions_of(text)[term] == expected


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("fr", "Aucune des chambres n'était propre.", "chambres"),
        ("fr", "Rien des plats n'était bon.", "plats"),
        ("de", "Keines unserer Zimmer war sauber.", "Zimmer"),
        ("de", "Nichts unserer Speisen war gut.", "Speisen"),
        ("nl", "Geen der kamers was schoon.", "kamers"),
        ("en", "There was no way the room was clean.", "room"),
        ("en", "No way the food was fresh.", "food"),
        ("en", "Nobody the whole evening was friendly.", "evening"),
    ],
)
def test_a_negator_that_is_no_whole_answer_denies_what_follows_its_article(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("fr", "Rien la chambre était bonne.", "chambre"),
        ("es", "Nada el hotel es perfecto.", "hotel"),
        ("it", "Niente la camera era buona.", "camera"),
        ("de", "Nichts unser Zimmer war schön.", "Zimmer"),
    ],
)
def test_a_bare_answer_denies_nothing_of_the_statement_behind_it(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


def test_a_degree_within_a_judging_phrase_leaves_it_denied() -> None:
    assert opinions_of("The room was not very big.")["room"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text"),
    [("es", "Nada que el hotel ofrezca."), ("pt", "Nada que o hotel ofereça."), ("en", "Nobody came.")],
)
def test_a_denial_in_which_no_word_judges_is_no_comparison(lang: str, text: str) -> None:
    assert not compares(read(text, language.load(lang)), Hit(0, 1, -0.6, NEGATED, "VERB"))
