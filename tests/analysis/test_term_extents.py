"""How far a term reaches: what belongs to a name, and where what is said of it begins."""

import pytest

from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


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


def test_two_nouns_in_a_fragment_stay_one_term() -> None:
    found = opinions_of("The front desk staff in the morning. Great customer service and hotel staff.")
    assert {"front desk staff", "customer service", "hotel staff"} <= set(found)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("排队时间很长。", "排队时间"),
        ("充电时间太长。", "充电时间"),
        ("上菜时间很长。", "上菜时间"),
        ("送货时间太久了。", "送货时间"),
    ],
)
def test_a_chinese_verb_and_the_time_it_takes_are_a_term(text: str, term: str) -> None:
    assert opinions_of(text, "zh")[term] == NEGATIVE


def test_time_that_is_spent_is_no_term_with_its_verb() -> None:
    assert "花时间" not in opinions_of("花时间太多。", "zh")


def test_what_a_chinese_statement_is_about_is_a_term_beside_its_part() -> None:
    found = opinions_of("耳机性价比很高，镜头变焦环很松。", "zh")
    assert {"耳机", "耳机性价比", "性价比"} <= set(found)
    assert found["耳机"] == POSITIVE


@pytest.mark.parametrize(("text", "part"), [("安装师傅很准时。", "安装"), ("飞机餐很难吃。", "飞机")])
def test_what_only_tells_the_kind_is_no_chinese_term(text: str, part: str) -> None:
    assert part not in opinions_of(text, "zh")


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("La señora de la cocina nos preparó algo especial.", "es", "señora de la cocina"),
        ("As meninas da recepção foram ótimas.", "pt", "meninas da recepção"),
        ("A máquina de lavar deixou manchas nas roupas.", "pt", "máquina de lavar"),
        ("La machine à laver est bruyante.", "fr", "machine à laver"),
    ],
)
def test_what_follows_tells_who_or_what_for(text: str, lang: str, term: str) -> None:
    assert term in opinions_of(text, lang)


def test_a_stop_term_stays_one_where_what_follows_only_counts() -> None:
    assert not [term for term in opinions_of("Mon fils de 6 ans a adoré le parc.", "fr") if "fils" in term]


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("Parking payant à 25 euros, c'est abusé.", "fr", "Parking payant"),
        ("Een kamer van 140 euro zonder raam.", "nl", "kamer"),
        ("Colas de dos horas.", "es", "Colas"),
    ],
)
def test_what_it_costs_or_takes_is_no_part_of_a_term(text: str, lang: str, term: str) -> None:
    found = opinions_of(text, lang)
    assert term.split(maxsplit=1)[0] in found
    assert not [name for name in found if len(name) > len(term)]


@pytest.mark.parametrize(
    ("text", "noun"), [("Na een week gaat de rits stuk.", "rits"), ("Na drie maanden laat de zool los.", "zool")]
)
def test_a_particle_of_the_verb_is_no_part_of_the_subject_before_it(text: str, noun: str) -> None:
    assert opinions_of(text, "nl") == {noun: NEGATIVE}


def test_the_number_of_the_next_of_a_list_is_no_name() -> None:
    assert set(opinions_of("1. friendly staff 2. slow checkout 3. dirty toilets")) == {"staff", "checkout", "toilets"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Le petit déjeuner est excellent.", "petit déjeuner"),
        ("Le foie gras est excellent.", "foie gras"),
        ("Le vin rouge est excellent.", "vin rouge"),
        ("Le chocolat chaud est excellent.", "chocolat chaud"),
    ],
)
def test_an_adjective_that_is_listed_as_part_of_a_name_belongs_to_the_term(text: str, name: str) -> None:
    assert opinions_of(text, "fr")[name] == POSITIVE


@pytest.mark.parametrize("noun", ["service", "cuisine", "accueil"])
def test_a_word_that_only_opens_a_point_is_no_part_of_its_name(noun: str) -> None:
    assert opinions_of(f"Côté {noun}, c'est une catastrophe.", "fr") == {noun: NEGATIVE}


@pytest.mark.parametrize("written", ["qualité/prix", "qualité / prix", "prix/qualité", "qualité prix"])
def test_a_ratio_is_one_term_however_it_is_written(written: str) -> None:
    assert opinions_of(f"Mauvais rapport {written}.", "fr")[f"rapport {written}"] == NEGATIVE


def test_a_phrase_of_the_taxonomy_is_a_term_though_its_noun_alone_is_none() -> None:
    assert opinions_of("Gostei, mas falta modo noturno no app.", "pt")["modo noturno"] == "NEGATIVE"


@pytest.mark.parametrize(
    ("text", "lang", "terms"),
    [
        ("Atención de diez.", "es", {"Atención": POSITIVE}),
        ("Tem um problema grave: falta humor.", "pt", {"problema": NEGATIVE, "humor": NEGATIVE}),
        ("A gente adorou o hotel.", "pt", {"hotel": POSITIVE}),
    ],
)
def test_a_turn_of_phrase_is_no_part_of_a_term(text: str, lang: str, terms: dict[str, str]) -> None:
    assert opinions_of(text, lang) == terms


@pytest.mark.parametrize("term", ["qualité des plats", "prix des boissons", "fraîcheur des produits"])
def test_a_contracted_preposition_joins_two_nouns_though_it_may_be_an_article(term: str) -> None:
    assert opinions_of(f"J'ai aimé la {term}.", "fr")[term] == POSITIVE


def test_a_contracted_preposition_that_stays_an_article_joins_nothing() -> None:
    assert "public des œuvres" not in opinions_of("Ils rendent accessibles au public des œuvres rares.", "fr")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Il y a dans la chambre des cafards.", {"chambre", "cafards"}),
        ("Il y avait sur la table des miettes.", {"table", "miettes"}),
        ("On trouve dans ce magasin des produits frais.", {"magasin", "produits frais", "produits"}),
        ("Nous avons trouvé dans la petite chambre des cafards.", {"chambre", "cafards"}),
    ],
)
def test_an_article_behind_the_place_of_a_deed_leads_its_object(text: str, terms: set[str]) -> None:
    assert set(opinions_of(text, "fr")) == terms


@pytest.mark.parametrize("text", ["Déçu par la qualité des plats.", "Rien à dire sur la qualité des plats."])
def test_a_preposition_that_leads_no_place_leaves_two_joined_nouns_one_term(text: str) -> None:
    assert "qualité des plats" in opinions_of(text, "fr")


@pytest.mark.parametrize(
    ("text", "lang", "name"),
    [("Bravo Kevin !", "fr", "Kevin"), ("Complimenti Marco!", "it", "Marco"), ("Bedankt Kevin!", "nl", "Kevin")],
)
def test_a_word_of_praise_before_a_name_is_no_part_of_it(text: str, lang: str, name: str) -> None:
    assert opinions_of(text, lang) == {name: POSITIVE}


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("The 24hour reception was great.", "en", "reception"),
        ("The 100ml bottle is great.", "en", "bottle"),
        ("Das 3tage Ticket ist super.", "de", "Ticket"),
        ("De 24uurs receptie was super.", "nl", "receptie"),
    ],
)
def test_an_amount_before_a_noun_is_no_part_of_its_term(text: str, lang: str, term: str) -> None:
    assert opinions_of(text, lang) == {term: POSITIVE}
