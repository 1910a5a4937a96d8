"""How readily feedback judges what a noun names."""

import numpy as np
import pytest

from feedback.analysis import aspect_training, aspects, gold, language
from feedback.analysis.aspects import Aspects
from feedback.analysis.features import FLAG_AT
from feedback.analysis.pieces import checksum
from feedback.analysis.pipeline import evidence_on
from feedback.analysis.reading import read
from tests.analysis.make import opinions_of


@pytest.mark.parametrize(
    ("lang", "judged", "mentioned"),
    [
        ("de", "Personal", "Ehemann"),
        ("en", "staff", "husband"),
        ("es", "servicio", "marido"),
        ("fr", "personnel", "mari"),
        ("it", "personale", "marito"),
        ("nl", "personeel", "echtgenoot"),
        ("pt", "atendimento", "marido"),
        ("zh", "服务", "老公"),
    ],
)
def test_staff_is_judged_where_husbands_are_mentioned(lang: str, judged: str, mentioned: str) -> None:
    form = language.load(lang).form
    assert form(judged).aspect > form(mentioned).aspect + 1


def test_a_word_nobody_knows_says_nothing() -> None:
    assert language.load("en").form("zzyzx").aspect == 0.0


def test_a_compound_says_what_its_last_part_says() -> None:
    form = language.load("de").form
    assert form("Zirkuspersonal").aspect == form("Personal").aspect != 0.0


def test_the_first_known_word_counts() -> None:
    table = sorted([(checksum("soup"), 32), (checksum("spoon"), -64)])
    known = Aspects(np.array([c for c, _ in table], np.uint32), np.array([s for _, s in table], np.int8))
    assert known.readiness(["fork", "soup", "spoon"]) == 1.0
    assert known.readiness(["spoon"]) == -2.0
    assert known.readiness([]) == 0.0


def test_mentions_tell_judged_from_merely_mentioned_nouns() -> None:
    text, terms = gold.parse("My sister liked the [soups|+].")
    found = dict(aspect_training.mentions([gold.GoldText("1", "en", "RESTAURANT", text, terms)]))
    assert found == {"sister": False, "soup": True}


def test_what_means_the_same_is_judged_as_readily() -> None:
    chance = np.random.default_rng(1)
    meant = chance.normal(size=(400, 8))
    readily = (meant[:, 0] > 0).astype(np.float64)
    weights = aspect_training.fit(meant[:200], 5.0 * readily[:200], np.full(200, 5.0))
    told = meant[200:] @ weights[:-1] + weights[-1] > 0
    assert (told == readily[200:]).mean() >= 0.9


def test_it_counts_for_nouns_of_which_nothing_is_said_themselves() -> None:
    (proof,) = evidence_on([read("My husband and I had breakfast, the staff was lovely.", language.load("en"))])
    found = {proof.reading.words[n.head]: r[FLAG_AT["aspect"]] for n, r in zip(proof.nodes, proof.rows, strict=True)}
    assert found["husband"] == language.load("en").form("husband").aspect < 0
    assert found["breakfast"] == language.load("en").form("breakfast").aspect > 0
    assert found["staff"] == 0.0


def test_of_two_nouns_that_stand_alike_the_one_that_feedback_judges_shares_the_praise() -> None:
    found = {noun: opinions_of(f"We had the {noun} and the soup was great.")[noun] for noun in ("meeting", "dessert")}
    assert found == {"meeting": "NEUTRAL", "dessert": "POSITIVE"}


def test_all_words_share_one_small_table() -> None:
    known = aspects.known()
    assert len(known.checks) == len(known.scores) > 30_000
    assert np.all(np.diff(known.checks.astype(np.int64)) > 0)
