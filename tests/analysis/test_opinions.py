"""What a reader would say of a term is what the analysis says."""

import pytest

from tests.analysis.make import make_analysis, opinions_of

POSITIVE, NEGATIVE, NEUTRAL = "POSITIVE", "NEGATIVE", "NEUTRAL"

CASES = [
    ("en", "Great coffee and friendly staff.", {"coffee": POSITIVE, "staff": POSITIVE}),
    ("en", "The staff were rude.", {"staff": NEGATIVE}),
    ("en", "The food was not good.", {"food": NEGATIVE}),
    ("en", "The room was lovely but the bathroom was dirty.", {"room": POSITIVE, "bathroom": NEGATIVE}),
    ("en", "I didn't like the breakfast.", {"breakfast": NEGATIVE}),
    ("en", "I love the new app.", {"app": POSITIVE}),
    ("en", "The music was too loud.", {"music": NEGATIVE}),
    ("en", "No problems with the delivery.", {"delivery": POSITIVE}),
    ("en", "The staff and the food were excellent.", {"staff": POSITIVE, "food": POSITIVE}),
    ("en", "Although the hotel is old, the staff are wonderful.", {"hotel": NEGATIVE, "staff": POSITIVE}),
    ("en", "sooooo slow service", {"service": NEGATIVE}),
    ("en", "The service was less friendly than before.", {"service": NEGATIVE}),
    ("en", "Everything was great except the breakfast.", {"breakfast": NEGATIVE}),
    ("en", "Apart from the battery, everything is perfect.", {"battery": NEGATIVE}),
    ("en", "Everything is terrible except for the staff and the pool.", {"staff": POSITIVE, "pool": POSITIVE}),
    ("en", "Everything was great except the breakfast was cold.", {"breakfast": NEGATIVE}),
    ("en", "Dr. Smith was kind.", {"Smith": POSITIVE}),
    (
        "en",
        "Pros: battery, screen. Cons: price and weight.",
        {"battery": POSITIVE, "price": NEGATIVE, "weight": NEGATIVE},
    ),
    ("de", "@BVG_Bus der M29 ist schon wieder nicht gekommen", {"M29": NEGATIVE}),
    ("de", "Die Soße ist salzig.", {"Soße": NEGATIVE}),
    ("de", "Vorteile: Akku. Nachteile: Preis.", {"Akku": POSITIVE, "Preis": NEGATIVE}),
    ("fr", "Points forts : l'accueil. Points faibles : le bruit.", {"accueil": POSITIVE, "bruit": NEGATIVE}),
    ("it", "Pro: il prezzo. Contro: la batteria.", {"prezzo": POSITIVE, "batteria": NEGATIVE}),
    ("en", "If the parking were cheaper I would come more often.", {"parking": NEGATIVE}),
    ("es", "Si el parking fuera más barato vendría más.", {"parking": NEGATIVE}),
    ("zh", "意面一般般，服务很好。", {"意面": NEUTRAL, "服务": POSITIVE}),
    ("zh", "面一般，汤太一般。", {"面": NEUTRAL, "汤": NEGATIVE}),
    ("zh", "肉入口即化，汤回味无穷。", {"肉": POSITIVE, "汤": POSITIVE}),
    ("zh", "质量没问题，老板一点架子都没有。", {"质量": POSITIVE, "老板": POSITIVE}),
    ("zh", "我们在纽约吃到了很好吃的披萨。", {"披萨": POSITIVE, "纽约": NEUTRAL}),
    ("zh", "我从来没有吃过这么好吃的寿司。", {"寿司": POSITIVE}),
    ("de", "Das Essen war lecker, die Bedienung leider nicht.", {"Essen": POSITIVE, "Bedienung": NEGATIVE}),
    ("it", "La pizza era ottima, il caffè no.", {"pizza": POSITIVE, "caffè": NEGATIVE}),
    ("en", "The T-shirt shrank in the wash and the print faded.", {"T-shirt": NEGATIVE, "print": NEGATIVE}),
    ("fr", "Tout était parfait sauf la batterie.", {"batterie": NEGATIVE}),
    ("fr", "Encore un train supprimé.", {"train": NEGATIVE}),
    ("de", "Bis auf das Frühstück war alles gut.", {"Frühstück": NEGATIVE}),
    ("de", "Mit dem Berater zu sprechen war gut.", {"Berater": POSITIVE}),
    ("de", "Die Luft war zu trocken.", {"Luft": NEGATIVE}),
    ("nl", "Het is fijn om de app te gebruiken.", {"app": POSITIVE}),
    ("nl", "Alles was perfect behalve het ontbijt.", {"ontbijt": NEGATIVE}),
    ("es", "Todo perfecto excepto el desayuno.", {"desayuno": NEGATIVE}),
    ("es", "No tengo nada que objetar del servicio.", {"servicio": POSITIVE}),
    ("it", "Tutto ottimo tranne la colazione.", {"colazione": NEGATIVE}),
    ("pt", "Tudo ótimo exceto o pequeno-almoço.", {"pequeno-almoço": NEGATIVE}),
    ("zh", "除了早餐，其他都很好。", {"早餐": NEGATIVE}),
    ("zh", "除了价格贵点，其他都很好。", {"价格": NEGATIVE}),
    ("zh", "比我原来的笔记本强多了。", {"笔记本": NEGATIVE}),
    ("fr", "Le personnel est très aimable.", {"personnel": POSITIVE}),
    ("fr", "La chambre n'était pas propre.", {"chambre": NEGATIVE}),
    ("fr", "Bon restaurant mais service trop lent.", {"restaurant": POSITIVE, "service": NEGATIVE}),
    ("de", "Das Zimmer war sehr sauber, aber das Frühstück war schlecht.", {"Zimmer": POSITIVE, "Frühstück": NEGATIVE}),
    ("de", "Das Essen schmeckt nicht.", {"Essen": NEGATIVE}),
    (
        "de",
        "Der Aufzug ist ausser Betrieb, wieder eine Signalstoerung.",
        {"Aufzug": NEGATIVE, "Signalstoerung": NEGATIVE},
    ),
    ("de", "Früher war die App gut.", {"App": NEGATIVE}),
    ("de", "Das WLAN fällt nie aus.", {"WLAN": POSITIVE}),
    ("es", "La comida estaba deliciosa pero el servicio fue muy lento.", {"comida": POSITIVE, "servicio": NEGATIVE}),
    ("es", "No me gustó la habitación.", {"habitación": NEGATIVE}),
    ("it", "Il personale è gentilissimo.", {"personale": POSITIVE}),
    ("it", "La camera non era pulita.", {"camera": NEGATIVE}),
    ("nl", "Het personeel is erg vriendelijk.", {"personeel": POSITIVE}),
    ("nl", "De kamer was niet schoon.", {"kamer": NEGATIVE}),
    ("pt", "O atendimento foi excelente.", {"atendimento": POSITIVE}),
    ("pt", "O quarto não estava limpo.", {"quarto": NEGATIVE}),
    ("zh", "味道很好，服务员态度很差。", {"味道": POSITIVE, "态度": NEGATIVE}),
    ("zh", "烤鱼太好吃了，就是菜太咸。", {"烤鱼": POSITIVE, "菜": NEGATIVE}),
    ("zh", "散热不太好，价格不贵。", {"散热": NEGATIVE, "价格": POSITIVE}),
    ("zh", "服務很親切，廁所有點髒。", {"服務": POSITIVE, "廁所": NEGATIVE}),
    ("zh", "房间小 设施旧 早餐差 位置好", {"房间": NEGATIVE, "早餐": NEGATIVE, "位置": POSITIVE}),
    ("zh", "系统更新后闪退。", {"系统更新": NEGATIVE}),
]


@pytest.mark.parametrize(("lang", "text", "expected"), CASES, ids=[text for _, text, _ in CASES])
def test_a_term_has_the_opinion_a_reader_would_give(lang: str, text: str, expected: dict[str, str]) -> None:
    found = opinions_of(text, lang)
    assert {term: found.get(term) for term in expected} == expected


def test_a_comment_of_one_adjective_is_not_lost() -> None:
    assert opinions_of("Very expensive.") == {"expensive": NEGATIVE}


def test_a_plain_mention_is_neutral() -> None:
    assert opinions_of("We had a single room.")["single room"] == NEUTRAL


def test_praise_of_the_food_is_no_praise_of_how_the_guests_came() -> None:
    found = opinions_of("The food was excellent. We came by taxi. They have a garage on the corner.")
    assert found == {"food": POSITIVE, "taxi": NEUTRAL, "garage": NEUTRAL}


def test_a_complaint_is_not_about_where_it_arose() -> None:
    assert opinions_of("There were rats in the alley.") == {"rats": NEGATIVE, "alley": NEUTRAL}


def test_a_complaint_is_about_what_follows_with() -> None:
    assert opinions_of("There were problems with the heating.")["heating"] == NEGATIVE


def test_a_noun_that_is_itself_the_praise_is_no_term_beside_what_it_praises() -> None:
    assert opinions_of("The waiter was a sweetheart.") == {"waiter": POSITIVE}


def test_a_noun_that_is_itself_the_praise_is_not_lost_where_it_stands_alone() -> None:
    assert opinions_of("A sweetheart!") == {"sweetheart": POSITIVE}


@pytest.mark.parametrize(
    ("lang", "text"), [("en", "We were there on Saturday evening."), ("fr", "C'était samedi soir.")]
)
def test_several_words_that_name_nothing_name_nothing_together(lang: str, text: str) -> None:
    assert opinions_of(text, lang) == {}


def test_a_capital_begins_a_statement_in_a_text_without_full_stops() -> None:
    assert opinions_of("very nice bar Room was dirty") == {"bar": POSITIVE, "Room": NEGATIVE}


def test_a_number_and_its_unit_are_left_out_of_what_they_measure() -> None:
    assert opinions_of("Schon wieder 40 Minuten Verspätung.", "de") == {"Verspätung": NEGATIVE}


def test_a_delay_is_a_term_beside_the_train_and_a_nightmare_is_none() -> None:
    found = opinions_of("The train was dirty. The delay was announced too late. Total nightmare.")
    assert found == {"train": NEGATIVE, "delay": NEGATIVE}


def test_a_judgement_beside_stop_terms_alone_is_not_lost() -> None:
    assert opinions_of("It broke after two days.") == {"broke": NEGATIVE}


@pytest.mark.parametrize(
    ("text", "lang", "opinion"),
    [
        ("Never again!", "en", NEGATIVE),
        ("Nie wieder", "de", NEGATIVE),
        ("Au top", "fr", POSITIVE),
        ("Voor elk wat wils!", "nl", POSITIVE),
    ],
)
def test_a_turn_of_phrase_that_is_all_a_text_says_is_a_term(text: str, lang: str, opinion: str) -> None:
    assert opinions_of(text, lang) == {text.rstrip("!"): opinion}


@pytest.mark.parametrize(
    ("text", "lang", "term", "opinion"),
    [("Goede ervaring gehad.", "nl", "ervaring", POSITIVE), ("Goed idee.", "nl", "idee", POSITIVE)],
)
def test_a_stop_term_in_the_phrase_that_is_all_a_text_says_is_a_term(
    text: str, lang: str, term: str, opinion: str
) -> None:
    assert opinions_of(text, lang) == {term: opinion}


def test_a_middling_verdict_behind_a_noun_and_its_whole_is_on_both() -> None:
    found = opinions_of("Carne buona. Vino della casa nella media.", "it")
    assert (found["Carne"], found["Vino della casa"]) == (POSITIVE, NEUTRAL)


def test_a_middling_answer_to_a_label_leaves_out_what_the_others_say() -> None:
    assert opinions_of("Delivery: fast. Packaging: poor. Price: ok.") == {
        "Delivery": POSITIVE,
        "Packaging": NEGATIVE,
        "Price": NEUTRAL,
    }


def test_an_exception_in_a_sentence_of_its_own_is_from_what_was_said_before() -> None:
    assert opinions_of("Great boots!!! Except the zipper.") == {"boots": POSITIVE, "zipper": NEGATIVE}


@pytest.mark.parametrize(
    ("text", "lang", "term", "opinion"),
    [
        ("No complaints", "en", "no_complaint__NOUN__1", POSITIVE),
        ("nicht hektisch", "de", "nicht_hektisch__ADJ__1", POSITIVE),
        ("Not good", "en", "not_good__ADJ__1", NEGATIVE),
    ],
)
def test_what_is_denied_is_called_so(text: str, lang: str, term: str, opinion: str) -> None:
    assert [(e.term, e.opinion) for e in make_analysis(text, lang).enrichments] == [(term, opinion)]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Nothing", "en"),
        ("None", "en"),
        ("keine", "de"),
        ("Keine Angabe", "de"),
        ("rien", "fr"),
        ("Nada", "es"),
        ("没有", "zh"),
    ],
)
def test_who_has_nothing_to_say_blames_nothing(text: str, lang: str) -> None:
    assert opinions_of(text, lang) == {}


def test_a_fault_is_a_term_beside_what_has_it() -> None:
    assert opinions_of("The bathroom was full of puddles.") == {"bathroom": NEGATIVE, "puddles": NEGATIVE}
    assert opinions_of("L'écran a une rayure.", "fr") == {"écran": NEGATIVE, "rayure": NEGATIVE}


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("It would be nice if the room was clean.", "en", "room"),
        ("Estaría bien que el wifi funcionara.", "es", "wifi"),
        ("Wäre toll, wenn das Netz funktionieren würde.", "de", "Netz"),
    ],
)
def test_what_a_clause_of_its_own_wishes_for_is_missing(text: str, lang: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


def test_of_two_conditions_of_a_word_the_one_nearer_to_it_counts() -> None:
    # "Warm" complains of a restaurant and praises the welcome in it.
    assert opinions_of("Restaurant met een warme sfeer.", "nl")["sfeer"] == POSITIVE


@pytest.mark.parametrize(
    ("text", "lang", "term"),
    [
        ("the fabric is really cheap", "en", "fabric"),
        ("the room and bathroom look really cheap", "en", "bathroom"),
        ("The shirt came and it is really cheap.", "en", "shirt"),
        ("Der Geruch ist halt stark.", "de", "Geruch"),
    ],
)
def test_the_degree_of_an_adjective_is_no_nearer_condition_of_it(text: str, lang: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


def test_a_degree_alone_still_tells_what_an_adjective_means() -> None:
    assert opinions_of("It was very cheap.") == {"cheap": POSITIVE}
