"""The values of a Number, however many: with a counter each, or put in order as they come."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.aggregation import Aggregator
from feedback.aggregation.numbers import NumberCounts, distinct_counts
from tests.aggregation.reference import DAY, Doc, evaluate
from tests.aggregation.shelf import Shelf, make_world

DOCUMENTS = 420
# What the n-th document's amount is. The first have a counter for each number, the others do not.
AMOUNTS: dict[str, Any] = {
    "a counter each": lambda n: n * 7 % 310,
    "scores from one": lambda n: n * 7 % 10 + 1,
    "below zero": lambda n: n * 7 % 310 - 400,
    "hundredths": lambda n: (n * 7 % 310) / 100,
    "far apart": lambda n: n * 7 % 310 * 1_000_003,
    "scales that differ from segment to segment": lambda n: n * 7 % 310 / (10 if n < 200 else 1),
    "no common scale": lambda n: 1e300 if n % 100 == 3 else n * 7 % 310 / 1000,
}
BY_AMOUNT = {"field": "metadata.amount", "group": "DISTINCT", "limit": 15}
REQUESTS: dict[str, Any] = {
    "count": {"field": "metadata.amount", "dimensions": [BY_AMOUNT]},
    "filtered": {
        "field": "metadata.nps",
        "type": "NPS",
        "dimensions": [BY_AMOUNT, {"field": "metadata.store", "group": "DISTINCT"}],
        "query": {"field": "metadata.nps", "operator": "GTE", "value": 4},
    },
    "by term": {"field": "TERMS", "dimensions": [BY_AMOUNT, {"field": "TERMS", "group": "DISTINCT"}]},
}


def make_docs(way: str, first: int, last: int) -> list[Doc]:
    amount = AMOUNTS[way]
    found = []
    for n in range(first, last):
        given: dict[str, Any] = {"nps": n % 11, "store": ("Paris", "Łódź")[n % 2]}
        given |= {"amount": amount(n)} if n % 13 else {}
        found.append(Doc(f"d{n}", n * DAY // 50, n, metadata=given, terms=[(f"t{n % 3}__NOUN__1", "NEUTRAL")]))
    return found


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("way", AMOUNTS)
def test_the_most_frequent_numbers_are_those_a_naive_count_finds(shelf: Shelf, way: str, name: str) -> None:
    dataset, docs, request = shelf.dataset(), make_docs(way, 0, DOCUMENTS), REQUESTS[name]
    for start in range(0, DOCUMENTS, 150):
        shelf.put(dataset, docs[start : start + 150])
    aggregator = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    assert aggregator.aggregate(dataset, request) == evaluate(make_world(docs), request, None)


@pytest.mark.parametrize("way", AMOUNTS)
def test_asked_again_numbers_of_new_documents_are_counted_too(shelf: Shelf, way: str) -> None:
    dataset, docs, request = shelf.dataset(), make_docs(way, 0, DOCUMENTS), REQUESTS["count"]
    aggregator = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    shelf.put(dataset, docs[:400])
    assert aggregator.aggregate(dataset, request) == evaluate(make_world(docs[:400]), request, None)
    # The last of them lie beyond all that were there before.
    shelf.put(dataset, docs[400:])
    shelf.put(dataset, more := [Doc("x", 0, 0, metadata={"amount": -500}), Doc("y", 0, 0, metadata={"amount": 350})])
    assert aggregator.aggregate(dataset, request) == evaluate(make_world(docs + more), request, None)


@given(st.lists(st.lists(st.integers(-9, 9), max_size=30), max_size=8))
def test_runs_put_together_count_what_a_counter_counts(chunks: list[list[int]]) -> None:
    counts = NumberCounts()
    for chunk in chunks:
        numbers, times = distinct_counts(np.array(chunk, np.float64))
        counts.take((numbers, times))
    numbers, times = counts.whole()
    expected = sorted(Counter(number for chunk in chunks for number in chunk).items())
    assert list(zip(numbers.tolist(), times.tolist(), strict=True)) == expected
