"""Which words name something: nouns however they were tagged, and no verbs beside them."""

import pytest

from feedback.analysis import Profile, analyse
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


@pytest.mark.parametrize(
    ("text", "lang", "noun"),
    [
        ("Panela muito boa", "pt", "Panela"),
        ("Teclado muito bom.", "pt", "Teclado"),
        ("Seguradora nota 10", "pt", "Seguradora"),
        ("Console travou", "pt", "Console"),
        ("Palestra piena, spogliatoi sporchi.", "it", "spogliatoi"),
        ("Orologio preciso, cinturino che irrita il polso.", "it", "cinturino"),
        ("The burger was juicy, fries a bit too salty for me.", "en", "fries"),
        ("Reso fatto in due clic.", "it", "Reso"),
        ("Entrega: rápida.", "es", "Entrega"),
        ("Fit: perfect.", "en", "Fit"),
        ("Chefia que grita.", "pt", "Chefia"),
        ("Muziek iets te hard.", "nl", "Muziek"),
        ("Casque au top, son puissant.", "fr", "son"),
        ("Ristorante da provare assolutamente.", "it", "Ristorante"),
        ("Letto che cigola.", "it", "Letto"),
        ("Letto king size da favola.", "it", "Letto"),
        ("Tende ottime.", "it", "Tende"),
        ("Letto un po' duro per i miei gusti.", "it", "Letto"),
        ("Bel locale con terrazza.", "it", "locale"),
        ("Finca demasiado pequeña.", "es", "Finca"),
        ("Ambientador demasiado fuerte.", "es", "Ambientador"),
    ],
)
def test_a_noun_at_the_start_of_a_statement_is_a_term_however_it_was_tagged(text: str, lang: str, noun: str) -> None:
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


def test_a_verb_at_the_start_of_a_statement_stays_one_though_the_taxonomy_lists_it() -> None:
    assert "Dormi" not in opinions_of("Dormi na metade do filme.", "pt")


def test_a_noun_tagged_a_verb_keeps_its_verb() -> None:
    assert "self checkouts" in opinions_of("The self checkouts never work.")


def test_a_line_in_small_letters_is_a_term() -> None:
    assert opinions_of("@RMVdialog rb51 heute nur mit einem wagen, stehen wie die sardinen", "de")["rb51"] == NEGATIVE


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The map shows streets that no longer exist.", "map"),
        ("My skin drinks this serum up.", "skin"),
        ("The widget shows yesterday's weather.", "widget"),
        ("The grip peels.", "grip"),
    ],
)
def test_of_two_nouns_without_a_verb_the_second_is_the_verb_where_they_agree(text: str, subject: str) -> None:
    assert min(opinions_of(text), key=text.index) == subject


@pytest.mark.parametrize(
    ("text", "lang", "noun"),
    [
        ("A diária não condiz com o que é oferecido.", "pt", "diária"),
        ("respekt an die jungs vom entstördienst bei dem wetter", "de", "entstördienst"),
    ],
)
def test_an_article_makes_a_noun_also_where_a_preposition_holds_it(text: str, lang: str, noun: str) -> None:
    assert noun in opinions_of(text, lang)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Fit is perfect.", "Fit"),
        ("Excellent print quality.", "print quality"),
        ("They hid the cancel button.", "cancel button"),
    ],
)
def test_a_verb_in_the_place_of_a_noun_is_one(text: str, term: str) -> None:
    assert term in opinions_of(text)


def test_a_property_is_praised_in_earnest_whatever_is_complained_of_behind_it() -> None:
    assert opinions_of("Fit great, feels cheap.") == {"Fit": POSITIVE, "feels": NEGATIVE}


def test_a_chinese_stop_term_that_is_judged_is_a_term_beside_what_it_is_of() -> None:
    assert opinions_of("清酒种类很多。", "zh")["种类"] == POSITIVE


def test_an_article_that_may_be_a_pronoun_leads_a_noun() -> None:
    assert set(opinions_of("La entrega tardó.", "es")) == {"entrega"}


@pytest.mark.parametrize("text", ["Les petits plats sont excellents.", "De bons petits plats faits maison."])
def test_the_last_of_several_adjectives_is_their_noun_where_it_may_be_one(text: str) -> None:
    assert opinions_of(text, "fr")["plats"] == POSITIVE


@pytest.mark.parametrize("noun", ["resto", "restaurant", "service", "hôtel"])
def test_what_ranks_a_noun_is_its_adjective(noun: str) -> None:
    assert opinions_of(f"Le pire {noun} de la ville.", "fr")[noun] == NEGATIVE


@pytest.mark.parametrize(("noun", "lemma"), [("tone", "tone"), ("tape", "tape"), ("plane", "plane"), ("maps", "map")])
def test_a_noun_is_not_cut_short_to_another(noun: str, lemma: str) -> None:
    found = analyse(f"The {noun} was awful.", Profile(lang="en")).enrichments
    assert [e.term for e in found] == [f"{lemma}__NOUN__1"]


def test_a_noun_after_an_article_ends_a_text_though_it_was_taken_for_an_adjective() -> None:
    assert opinions_of("I struggled with the zipper") == {"zipper": "NEGATIVE"}


def test_what_follows_the_name_of_an_account_is_a_term_though_a_judging_phrase_begins_with_it() -> None:
    assert opinions_of("@gol voo cancelado sem aviso", "pt")["voo"] == "NEGATIVE"


def test_a_verb_behind_its_reflexive_pronoun_is_no_noun() -> None:
    assert "lit" not in opinions_of("Un roman qui se lit facilement.", "fr")


@pytest.mark.parametrize("text", ["Great color and fit.", "Love the color and cut!"])
def test_what_ends_a_list_of_nouns_is_one_though_it_was_taken_for_a_verb(text: str) -> None:
    assert opinions_of(text) == dict.fromkeys(("color", text[:-1].rsplit(maxsplit=1)[-1]), POSITIVE)


@pytest.mark.parametrize(
    ("text", "term"),
    [("De zalm was perfect gebakken.", "zalm"), ("De sushi was vers en mooi gepresenteerd, echt.", "sushi")],
)
def test_what_was_done_to_a_thing_is_no_term_beside_it(text: str, term: str) -> None:
    assert opinions_of(text, "nl") == {term: POSITIVE}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The zipper works", {"zipper": POSITIVE}),
        ("My laptop freezes", {"laptop": NEGATIVE}),
        ("The shower leaks", {"shower": NEGATIVE}),
        ("It functions as advertised", {"It": POSITIVE}),
        ("The fridge froze overnight.", {"fridge": NEGATIVE}),
        ("The strap tore after a week.", {"strap": NEGATIVE}),
        ("The strap slips and I sent it back.", {"strap": NEGATIVE}),
        ("Great coffee beans", {"coffee beans": POSITIVE, "beans": POSITIVE}),
    ],
)
def test_what_something_does_is_no_part_of_its_name_whatever_its_tag(text: str, expected: dict[str, str]) -> None:
    assert opinions_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has a great feel", {"feel": POSITIVE}),
        ("The jacket has a good feel.", {"jacket": POSITIVE, "feel": POSITIVE}),
        ("The fabric has a heavier feel", {"fabric": NEGATIVE, "feel": NEGATIVE}),
        ("Perfect for everyday wear!", {"everyday wear": POSITIVE, "wear": POSITIVE}),
    ],
)
def test_a_noun_that_treebanks_show_as_a_verb_alone_is_one_behind_what_describes_it(
    text: str, expected: dict[str, str]
) -> None:
    assert opinions_of(text) == expected


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Our it team is great", "it team"),
        ("the it system is great", "it system"),
        ("The it support was great", "it support"),
    ],
)
def test_behind_a_determiner_it_is_the_department(text: str, term: str) -> None:
    assert opinions_of(text) == {term: POSITIVE, term.removeprefix("it "): POSITIVE}


@pytest.mark.parametrize("text", ["It arrived in about 45minutes which was slow.", "The decor was bad, very 1990s."])
def test_a_number_written_with_what_it_counts_is_no_term(text: str) -> None:
    assert not any(term[0].isdecimal() for term in opinions_of(text))


@pytest.mark.parametrize("text", ["Het geheel was heerlijk.", "Een mooi geheel."])
def test_a_word_that_elsewhere_strengthens_is_a_term_where_it_is_a_noun_something_is_said_of(text: str) -> None:
    assert opinions_of(text, "nl") == {"geheel": POSITIVE}


@pytest.mark.parametrize("text", ["Cadre superbe, attente trop longue.", "Points négatifs : attente trop longue."])
def test_what_is_too_much_of_something_is_said_of_the_noun_before_it(text: str) -> None:
    assert opinions_of(text, "fr")["attente"] == NEGATIVE


@pytest.mark.parametrize("dish", ["terrine", "saucisse", "semoule"])
def test_a_dish_no_treebank_shows_is_a_noun(dish: str) -> None:
    assert opinions_of(f"La {dish} maison est excellente.", "fr")[dish] == POSITIVE


@pytest.mark.parametrize(
    ("text", "lang", "terms"),
    [
        ("The receptionist never wrote to [EMAIL] or called [PHONE].", "en", {"receptionist"}),
        ("[EMAIL] war nicht erreichbar, mein Konto [ACCOUNT] gesperrt.", "de", {"Konto"}),
        ("请打[PHONE]，服务很好", "zh", {"服务"}),
        ("The PHONE was great", "en", {"PHONE"}),
    ],
)
def test_what_stands_for_masked_personal_data_is_no_term(text: str, lang: str, terms: set[str]) -> None:
    assert set(opinions_of(text, lang)) == terms
