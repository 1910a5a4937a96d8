"""Documents of many terms have very many combinations of several, which are counted some at a time."""

import tracemalloc
from typing import Any

import pytest

from feedback.aggregation import Aggregator, bitwise, spread
from feedback.errors import Code, Invalid
from tests.aggregation.reference import DAY, Doc, evaluate
from tests.aggregation.shelf import Shelf, make_world

OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")
PEAK = 300 << 20
"""In bytes; the combinations of one document below would take 500 MB at eight bytes each."""

NEVER, ALWAYS = 0, 10**9
"""What a combination costs, beside which bitmaps are never worth it, or always."""
RANGES = [{"name": "few", "max": 30}, {"name": "many", "min": 10}]
MEASURES = (
    ("TERMS", "COUNT"),
    ("metadata.amount", "COUNT"),
    ("metadata.amount", "SUM"),
    ("metadata.amount", "AVG"),
    ("metadata.amount", "MIN"),
    ("metadata.nps", "NPS"),
)


def make_docs(documents: int, terms: int) -> list[Doc]:
    """Each document holds most terms, some of them with two opinions; some documents lack the score."""
    found = []
    for n in range(documents):
        held = [(f"t{t:03d}__NOUN__1", OPINIONS[(n + t) % 3]) for t in range(terms) if (n * t) % 7 != 1]
        held += [(f"t{t:03d}__NOUN__1", OPINIONS[(n + t + 1) % 3]) for t in range(0, terms, 5)]
        given = {"nps": n % 11, "amount": (n * 37 - 99) / 10} if n % 4 else {}
        found.append(Doc(f"d{n}", n * DAY, n, metadata=given, terms=held))
    return found


def dimension(group: str, limit: int) -> dict[str, Any]:
    return {"field": "TERMS", "group": group, "limit": limit}


def ask(shelf: Shelf, docs: list[Doc], request: dict[str, Any]) -> dict[str, Any]:
    """The reply about these documents, half of them in a segment of their own."""
    dataset, half = shelf.dataset(), len(docs) // 2
    for some in (docs[:half], docs[half:]):
        shelf.put(dataset, some)
    return Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1).aggregate(dataset, request)


@pytest.mark.parametrize("at_once", [1, 20, 1 << 20])
@pytest.mark.parametrize(
    "dimensions",
    [
        [dimension("DISTINCT", 3), dimension("DISTINCT", 4), dimension("POLARITY_ALL", 3)],
        [dimension("DISTINCT", 5), dimension("POLARITY_NEGATIVE", 3), {"field": "createdAt", "group": "YEAR"}],
        [dimension("DISTINCT", 2)] * 4,
    ],
)
def test_how_many_combinations_are_made_at_once_changes_no_figure(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, at_once: int, dimensions: list[dict[str, Any]]
) -> None:
    monkeypatch.setattr(spread, "AT_ONCE", at_once)
    monkeypatch.setattr(bitwise, "WORDS", NEVER)
    docs = make_docs(12, 6)
    request = {"field": "metadata.nps", "type": "NPS", "dimensions": dimensions}
    assert ask(shelf, docs, request) == evaluate(make_world(docs), request, None)


@pytest.mark.parametrize("worth", [NEVER, ALWAYS])
@pytest.mark.parametrize("measure", MEASURES, ids=" ".join)
@pytest.mark.parametrize(
    "dimensions",
    [
        [dimension("DISTINCT", 4)] * 2,
        [dimension("DISTINCT", 3)] * 3,
        [dimension("DISTINCT", 4), dimension("POLARITY_ALL", 3)],
        [dimension("POLARITY_NEGATIVE", 3), {"field": "metadata.amount", "group": "RANGE", "ranges": RANGES}],
        [dimension("DISTINCT", 2), {"field": "TERMS_POLARITY", "group": "DISTINCT"}, dimension("DISTINCT", 3)],
    ],
)
def test_bitmaps_say_what_combinations_made_one_by_one_say(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, dimensions: Any, measure: tuple[str, str], worth: int
) -> None:
    monkeypatch.setattr(bitwise, "WORDS", worth)
    docs = make_docs(70, 8)
    request = {"field": measure[0], "type": measure[1], "dimensions": dimensions}
    few = request | {"query": {"field": "metadata.nps", "operator": "LTE", "value": 7}}
    dataset = shelf.dataset()
    shelf.put(dataset, docs)
    aggregator = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    for asked in (request, few):
        assert aggregator.aggregate(dataset, asked) == evaluate(make_world(docs), asked, None)


@pytest.mark.parametrize("more", [[], [{"field": "metadata.nps", "group": "NPS_GROUP"}]])
def test_millions_of_combinations_are_refused_before_all_are_made(shelf: Shelf, more: list[dict[str, Any]]) -> None:
    terms = [dimension("DISTINCT", 100)] * (4 - len(more))
    tracemalloc.start()
    try:
        with pytest.raises(Invalid, match="items or more") as caught:
            ask(shelf, make_docs(20, 100), {"field": "TERMS", "dimensions": [*terms, *more]})
        assert tracemalloc.get_traced_memory()[1] < PEAK
    finally:
        tracemalloc.stop()
    assert caught.value.problems[0].code is Code.TOO_MANY
