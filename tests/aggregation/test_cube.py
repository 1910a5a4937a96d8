"""Sums over many combinations at once: the cells that they are added up in, and what leaves those room or none."""

from collections.abc import Iterator
from typing import Any

import pytest

from feedback.aggregation import Aggregator, columns, cube, places
from feedback.aggregation.columns import Reach
from feedback.domain.dataset import Dataset
from tests.aggregation.reference import DAY, Doc, evaluate
from tests.aggregation.shelf import Shelf, make_world

STORES = ("Łódź", "Paris", "paris", "東京", "Zürich")
REQUEST = {
    "field": "metadata.amount",
    "type": "AVG",
    "dimensions": [
        {"field": "metadata.store", "group": "DISTINCT", "limit": 2},
        {"field": "createdAt", "group": "DAY"},
        {"field": "metadata.csat", "group": "DISTINCT"},
    ],
}


@pytest.fixture
def roomy() -> Iterator[None]:
    """However few documents there are, all combinations have a cell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cube, "MAX_DOCUMENTS", 4)
        patch.setattr(columns, "MAX_DOCUMENTS", 4)
        patch.setattr(places, "CUBE", 1)
        patch.setattr(places, "FULL", 0.001)
        yield


def make_docs(amounts: list[float]) -> list[Doc]:
    """Most documents are of one store, day and score; some lack the amount, the store or the score."""
    found = []
    for n, amount in enumerate(amounts):
        given: dict[str, Any] = {"csat": 5} if n % 7 else {}
        given |= {"amount": amount} if n % 5 else {}
        given |= {"store": STORES[0 if n % 9 else n // 9 % 5]} if n % 11 else {}
        found.append(Doc(f"d{n}", n // 50 * DAY, n, metadata=given))
    return found


def stored(shelf: Shelf, docs: list[Doc]) -> Dataset:
    """A dataset of the documents in segments of four."""
    dataset = shelf.dataset()
    for start in range(0, len(docs), 4):
        shelf.put(dataset, docs[start : start + 4])
    return dataset


@pytest.mark.parametrize("bits", [63, 24, 21])
def test_cells_that_run_full_are_emptied_in_between(shelf: Shelf, roomy: None, bits: int) -> None:
    docs = make_docs([-4_950 if n == 1 else 4_950 - n for n in range(60)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BITS", bits)
        told = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1).aggregate(
            stored(shelf, docs), REQUEST
        )
    assert told == evaluate(make_world(docs), REQUEST, None)


def test_a_column_that_no_cell_can_take_is_counted_the_other_way(shelf: Shelf, roomy: None) -> None:
    docs = make_docs([1e300 if n == 5 else n / 10 for n in range(40)])
    told = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1).aggregate(stored(shelf, docs), REQUEST)
    assert told == evaluate(make_world(docs), REQUEST, None)


def test_a_cell_has_room_for_ten_million_prices() -> None:
    assert Reach(2, 0, 20_000).room(10_000_000) == 10_000_000


def test_a_cell_has_no_room_for_numbers_as_large_as_can_be_stored() -> None:
    assert Reach(0, -(10**15), 10**15).room(1) == 0
