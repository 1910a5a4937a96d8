"""A judgement reaches the nouns it is meant for, however the sentence puts them."""

import pytest

from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE, NEUTRAL = "POSITIVE", "NEGATIVE", "NEUTRAL"


def _judged(text: str, lang: str, terms: dict[str, str]) -> dict[str, str | None]:
    found = opinions_of(text, lang)
    return {term: found.get(term) for term in terms}


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("en", "Everything was superb, including the breakfast and the spa.", {"breakfast": POSITIVE, "spa": POSITIVE}),
        ("es", "Las tapas buenísimas, sobre todo el pulpo y las bravas.", {"pulpo": POSITIVE, "bravas": POSITIVE}),
        ("de", "Tolles Hotel, vor allem das Frühstück und der Pool.", {"Frühstück": POSITIVE, "Pool": POSITIVE}),
        ("en", "The food was awful. Especially the fries!", {"fries": NEGATIVE}),
        ("zh", "菜很好吃，特别是红烧肉和鱼。", {"红烧肉": POSITIVE, "鱼": POSITIVE}),
    ],
)
def test_what_is_singled_out_shares_the_judgement_before_it(lang: str, text: str, judged: dict[str, str]) -> None:
    assert _judged(text, lang, judged) == judged


def test_a_degree_before_an_adjective_singles_nothing_out() -> None:
    assert opinions_of("The bed was hard, but we had an especially good fish.", "en")["fish"] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("en", "The service was 10/10.", {"service": POSITIVE}),
        ("en", "Location 10/10, food 2/10.", {"Location": POSITIVE, "food": NEGATIVE}),
        ("zh", "服务10/10，环境3/10", {"服务": POSITIVE, "环境": NEGATIVE}),
        ("en", "We left on 4/5.", {}),
    ],
)
def test_a_score_judges_and_a_date_does_not(lang: str, text: str, judged: dict[str, str]) -> None:
    found = opinions_of(text, lang)
    assert {term: opinion for term, opinion in found.items() if opinion != NEUTRAL} == judged


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("de", "Für den Preis bekommt man kein besseres Zelt.", "Zelt", POSITIVE),
        ("es", "Por ese precio no vas a encontrar una tienda mejor.", "tienda", POSITIVE),
        ("fr", "On ne trouve pas de meilleure pizza ailleurs.", "pizza", POSITIVE),
        ("it", "Non ho mai mangiato una pizza migliore.", "pizza", POSITIVE),
        ("it", "Per il prezzo non si trova una tenda migliore.", "tenda", POSITIVE),
        ("de", "Der neue Akku hat keine bessere Laufzeit.", "Laufzeit", NEGATIVE),
    ],
)
def test_that_nothing_better_can_be_had_is_praise(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("es", "Local pequeño pero acogedor.", "Local", POSITIVE),
        ("it", "È un albergo vecchio ma molto curato.", "albergo", POSITIVE),
        ("fr", "La carte est courte mais tout est fait maison.", "carte", POSITIVE),
    ],
)
def test_praise_after_but_outweighs_the_complaint_it_answers(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


def test_praise_that_only_one_thing_limits_is_no_scorn() -> None:
    found = opinions_of("Passt perfekt, nur der Stoff ist dünn.", "de")
    assert found["Stoff"] == NEGATIVE
    assert found.get("Passt", POSITIVE) == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        (
            "pt",
            "Gostei muito do terraço e da pequena biblioteca no lobby.",
            {"terraço": POSITIVE, "biblioteca": POSITIVE},
        ),
        ("en", "We loved the terrace and the little bar.", {"terrace": POSITIVE, "bar": POSITIVE}),
    ],
)
def test_a_list_goes_on_into_the_next_clause(lang: str, text: str, judged: dict[str, str]) -> None:
    assert _judged(text, lang, judged) == judged


def test_a_verdict_behind_a_colon_sums_up_the_whole_list_before_it() -> None:
    judged = {"Camera": POSITIVE, "colazione": POSITIVE, "personale": POSITIVE}
    assert opinions_of("Camera, colazione, personale: tutto perfetto.", "it") == judged


def test_a_verb_after_a_conjunction_is_said_of_the_subject_before() -> None:
    assert (
        opinions_of("Het interieur is helemaal vernieuwd en straalt warmte uit, jammer.", "nl")["interieur"] == POSITIVE
    )


def test_a_verdict_before_a_comma_is_said_of_the_noun_after_it() -> None:
    assert opinions_of("Worth every penny, this mixer.", "en")["mixer"] == POSITIVE


def test_a_list_goes_on_behind_what_belongs_to_one_of_its_members() -> None:
    found = opinions_of("Tout était sale : le lit, la salle de bain, le balcon.", "fr")
    assert found["balcon"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("en", "It is the waiters who make this restaurant special, not the food.", {"food": NEGATIVE}),
        ("en", "Unlike the train, the bus was clean.", {"train": NEGATIVE, "bus": POSITIVE}),
        ("es", "Salvo las empanadas, la comida deja mucho que desear.", {"empanadas": POSITIVE, "comida": NEGATIVE}),
        ("de", "Im Gegensatz zum Zimmer war das Frühstück top.", {"Zimmer": NEGATIVE, "Frühstück": POSITIVE}),
        (
            "en",
            "Apart from the breakfast, which was poor, we loved the hotel.",
            {"breakfast": NEGATIVE, "hotel": POSITIVE},
        ),
    ],
)
def test_what_is_set_apart_has_the_opposite_and_what_it_is_set_apart_from_has_not(
    lang: str, text: str, judged: dict[str, str]
) -> None:
    assert _judged(text, lang, judged) == judged


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("es", "Te ahorras un dineral en taxis con esta ubicación.", "ubicación"),
        ("pt", "Meu cabelo parece outro depois desse shampoo.", "shampoo"),
        ("en", "We slept so well in this hotel.", "hotel"),
    ],
)
def test_what_a_text_points_at_is_judged_behind_a_preposition_too(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "judged"),
    [
        ("en", "Lack of beds, lack of staff, lack of doctors.", {"beds": NEGATIVE, "staff": NEGATIVE}),
        ("pt", "Falta de leitos, falta de remédios, falta de médicos.", {"remédios": NEGATIVE, "médicos": NEGATIVE}),
        ("es", "Falta de educación y falta de respeto.", {"educación": NEGATIVE, "respeto": NEGATIVE}),
        ("es", "Falta de limpieza y suciedad por todas partes.", {"limpieza": NEGATIVE, "suciedad": NEGATIVE}),
    ],
)
def test_one_lack_after_another_complains_of_each(lang: str, text: str, judged: dict[str, str]) -> None:
    assert _judged(text, lang, judged) == judged


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("pt", "Antes da atualização funcionava.", "atualização", NEGATIVE),
        ("pt", "O app funcionava bem antes da atualização.", "app", NEGATIVE),
        ("es", "Antes me encantaba este restaurante.", "restaurante", NEGATIVE),
        ("pt", "O pedido sempre chegava antes do prazo.", "pedido", POSITIVE),
        ("es", "Antes de la cena tomamos unas copas buenísimas.", "copas", POSITIVE),
        ("es", "Antes tenía dolores, este colchón es una maravilla.", "colchón", POSITIVE),
    ],
)
def test_praise_of_what_used_to_be_blames_today(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("es", "Todo estaba limpio antes de llegar.", "limpio"),
        ("es", "Nos explicaban todo muy bien antes de la operación.", "operación"),
        ("es", "El personal era amable antes y después del tratamiento.", "personal"),
        ("es", "Ya había estado antes y la comida estaba buenísima.", "comida"),
        ("es", "Era un hotel precioso, habíamos leído las reseñas antes.", "hotel"),
        ("es", "Antes de entrar el personal era amable.", "personal"),
        ("pt", "O quarto estava limpo antes da chegada.", "quarto"),
        ("pt", "Explicavam tudo muito bem antes da cirurgia.", "cirurgia"),
        ("pt", "A comida estava ótima, já tinha ido antes.", "comida"),
        ("pt", "O pessoal era simpático e explicava tudo antes.", "pessoal"),
    ],
)
def test_what_was_so_before_something_else_is_still_so(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("es", "Antes de la reforma el hotel era precioso.", "hotel"),
        ("es", "El servicio era mejor antes.", "servicio"),
        ("es", "Antes, la comida era buenísima.", "comida"),
        ("pt", "O app antes funcionava bem.", "app"),
        ("pt", "Antigamente a comida era boa.", "comida"),
    ],
)
def test_what_was_so_in_former_times_or_before_a_change_is_so_no_more(lang: str, text: str, term: str) -> None:
    assert opinions_of(text, lang)[term] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("es", "El local es pequeño pero con encanto.", "local", POSITIVE),
        ("es", "Es un restaurante caro, pero lo vale.", "restaurante", POSITIVE),
        ("pt", "É um restaurante caro, mas vale cada centavo.", "restaurante", POSITIVE),
        ("es", "La cama era dura pero lo recomiendo.", "cama", NEGATIVE),
        ("pt", "A cama era dura mas recomendo.", "cama", NEGATIVE),
    ],
)
def test_what_makes_up_for_a_fault_is_about_the_same_thing(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


@pytest.mark.parametrize(
    ("lang", "text", "term", "expected"),
    [
        ("es", "Todo perfecto menos el desayuno.", "desayuno", NEGATIVE),
        ("pt", "Tudo gostoso menos a lasanha.", "lasanha", NEGATIVE),
        ("es", "Por lo menos el personal era amable.", "personal", POSITIVE),
        ("pt", "Pelo menos a cama era boa.", "cama", POSITIVE),
    ],
)
def test_all_but_one_excepts_that_one(lang: str, text: str, term: str, expected: str) -> None:
    assert opinions_of(text, lang)[term] == expected


def test_what_is_said_of_a_part_before_its_whole_is_said_of_both() -> None:
    found = opinions_of("性价比很高的一款手机。", "zh")
    assert found == {"性价比": POSITIVE, "手机": POSITIVE}


def test_what_stands_behind_a_postposition_is_what_is_judged() -> None:
    assert opinions_of("城市路况下油耗高。", "zh")["油耗"] == NEGATIVE


@pytest.mark.parametrize(
    ("lang", "text", "account", "expected"),
    [
        ("en", "Thanks @united for losing my bag again.", "@united", NEGATIVE),
        ("fr", "Merci @SNCF pour le retard.", "@SNCF", NEGATIVE),
        ("es", "Gracias @iberia por perderme la maleta otra vez.", "@iberia", NEGATIVE),
        ("pt", "Parabéns @tim pelo péssimo atendimento.", "@tim", NEGATIVE),
        ("fr", "Bravo @SNCF, encore un retard.", "@SNCF", NEGATIVE),
        ("pt", "Parabéns @tim, 3 dias sem sinal.", "@tim", NEGATIVE),
        ("en", "Thanks @hotel for fixing the leak so fast.", "@hotel", POSITIVE),
        ("en", "Thanks @united, great crew and smooth flight.", "@united", POSITIVE),
    ],
)
def test_thanks_for_something_bad_are_scorn(lang: str, text: str, account: str, expected: str) -> None:
    assert opinions_of(text, lang)[account] == expected


@pytest.mark.parametrize(
    ("lang", "text", "account"),
    [
        ("en", "Thank you @nhs for the difficult operation.", "@nhs"),
        ("en", "Thank you @nhs for your hard work, sadly the bed was broken.", "@nhs"),
        ("de", "Danke @klinikum für die schwierige Operation.", "@klinikum"),
        ("es", "Gracias @hospital por el duro trabajo.", "@hospital"),
        ("nl", "Bedankt @umc voor het moeilijke werk.", "@umc"),
    ],
)
def test_thanks_for_something_hard_are_meant(lang: str, text: str, account: str) -> None:
    assert opinions_of(text, lang)[account] == POSITIVE


@pytest.mark.parametrize(
    ("lang", "text", "word"),
    [
        ("en", "Thank you for your hard work.", "hard work"),
        ("de", "Danke für die schwierige Operation.", "Operation"),
        ("fr", "Merci pour le départ tardif.", "départ"),
        ("fr", "Merci pour ce travail difficile.", "travail"),
        ("es", "Gracias por el duro trabajo.", "trabajo"),
        ("it", "Grazie per il difficile lavoro.", "lavoro"),
        ("pt", "Obrigado pelo trabalho difícil.", "trabalho"),
    ],
)
def test_hard_work_is_no_bad_work(lang: str, text: str, word: str) -> None:
    assert opinions_of(text, lang)[word] != NEGATIVE


def test_what_is_hard_work_to_get_is_blamed() -> None:
    assert opinions_of("It was hard work to get a refund.")["refund"] == NEGATIVE
