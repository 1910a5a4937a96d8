"""The largest terms under a filter where they are not the largest of all: how most terms come not to be counted."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from feedback.aggregation import Aggregator, counting, leaders, survey
from feedback.aggregation.holders import holds_opinion
from feedback.domain.dataset import Dataset
from feedback.store.segments.cache import prepared
from feedback.store.segments.decode import Segment
from feedback.store.segments.encode import encode
from feedback.store.segments.loose import Loose, Pairs
from tests.aggregation.reference import DAY, Doc, World, evaluate
from tests.aggregation.shelf import Shelf, make_world

FIRST_DAY = 19_000
# Paris speaks of the first half of the terms, which are most, and Zürich of the second.
TERMS = tuple(f"t{n:02d}__NOUN__1" for n in range(40))
OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")

FILTERS: dict[str, Any] = {
    "none": None,
    "half": {"field": "metadata.nps", "operator": "GTE", "value": 5},
    "other": {"field": "metadata.store", "operator": "EQ", "value": "Zürich"},
    "few": {"field": "externalId", "operator": "IN", "value": [f"d{n}" for n in range(0, 300, 8)]},
    "nothing": {"field": "metadata.nps", "operator": "GT", "value": 100},
}
ALL = {"field": "TERMS", "group": "POLARITY_ALL", "limit": 5}
NEGATIVE = {"field": "TERMS", "group": "POLARITY_NEGATIVE", "limit": 4}
DISTINCT = {"field": "TERMS", "group": "DISTINCT", "limit": 6}
WEEK = {"field": "createdAt", "group": "WEEK"}
SHAPES: dict[str, dict[str, Any]] = {
    "polarity": {"field": "TERMS", "dimensions": [ALL]},
    "negative": {"field": "TERMS", "dimensions": [NEGATIVE]},
    "weeks": {"field": "TERMS", "dimensions": [WEEK, ALL]},
    "pairs": {"field": "TERMS", "dimensions": [DISTINCT, DISTINCT]},
    "unequal pairs": {"field": "lang", "dimensions": [DISTINCT, NEGATIVE]},
    "qualified": {"field": "TERMS", "dimensions": [DISTINCT, {"field": "TERMS_POLARITY", "group": "POSITIVE"}]},
    "scores": {"field": "metadata.nps", "type": "NPS", "dimensions": [DISTINCT]},
}
# A good guess at which terms to count, a bad one, and counting all; each with another number of bitmaps.
WAYS = {"good": (0.7, 10, 128), "bad": (6, 10, 7), "bad, without bitmaps": (6, 10, 0), "all": (0.7, 0, 7)}


def make_doc(chance: random.Random, n: int) -> Doc:
    store = "Zürich" if n % 6 == 0 else "Paris"
    mine = TERMS[20:] if store == "Zürich" else TERMS[:20]
    terms = [(mine[min(int(chance.expovariate(0.2)), 19)], chance.choice(OPINIONS)) for _ in range(4)]
    created = (FIRST_DAY + n // 5) * DAY
    return Doc(f"d{n}", created, created, metadata={"nps": chance.randrange(11), "store": store}, terms=terms)


@pytest.fixture(scope="module")
def told(shelf: Shelf) -> tuple[Dataset, World]:
    """Three hundred documents in four segments, the last of which replaces some of the others."""
    chance = random.Random(5)  # noqa: S311 -- nothing secret
    docs = {f"d{n}": make_doc(chance, n) for n in range(300)}
    dataset = shelf.dataset()
    listed = list(docs.values())
    for start in range(0, 300, 100):
        shelf.put(dataset, listed[start : start + 100])
    again = [make_doc(chance, n) for n in range(0, 300, 40)]
    shelf.put(dataset, again)
    return dataset, make_world((docs | {doc.external_id: doc for doc in again}).values())


@pytest.fixture(params=WAYS)
def aggregator(shelf: Shelf, request: pytest.FixtureRequest) -> Iterator[Aggregator]:
    """An aggregator that goes the ways of large datasets in small ones."""
    margin, few, bitmaps = WAYS[request.param]
    made = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    made.loader.cache.bitmaps = bitmaps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaders, "LOOK_UP", 0)
        patch.setattr(leaders, "MARGIN", margin)
        patch.setattr(leaders, "FEW", few)
        patch.setattr(counting, "WORTH_LANES", 0)
        patch.setattr(survey, "SPARSE", 4)
        yield made


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("condition", FILTERS)
def test_the_largest_terms_are_those_a_naive_count_finds(
    aggregator: Aggregator, told: tuple[Dataset, World], condition: str, shape: str
) -> None:
    dataset, world = told
    request = SHAPES[shape] | ({} if FILTERS[condition] is None else {"query": FILTERS[condition]})
    assert aggregator.aggregate(dataset, request) == evaluate(world, request, None)


def test_a_bitmap_says_what_its_rows_say() -> None:
    pairs = [(row, key) for row in range(130) for key in (0, 4, 7) if row % (key + 1) == 0]
    rows, keys = (np.array(column) for column in zip(*pairs, strict=True))
    postings = Segment(1, prepared(encode(Loose(130, {"TERMS": Pairs(rows, keys)})))).postings("TERMS")
    assert postings is not None
    assert counting.ones(postings.bits).tolist() == postings.counts().tolist() == [130, 26, 17]


@pytest.mark.parametrize("opinions", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_an_opinions_bitmap_says_what_the_postings_say(opinions: tuple[int, ...]) -> None:
    pairs = [(row, key) for row in range(130) for key in (1, 3, 8, 11) if row % (key + 1) == 0]
    rows, keys = (np.array(column) for column in zip(*pairs, strict=True))
    stored = encode(Loose(130, {"TERMS": Pairs(rows, keys)}))
    held = sorted({row for row, key in pairs if key % 3 in opinions})
    for data in (stored, prepared(stored)):
        assert np.flatnonzero(holds_opinion(Segment(1, data), "TERMS", opinions)).tolist() == held
