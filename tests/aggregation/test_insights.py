"""Insights are right: figures against plain arithmetic, and queries that list what was counted."""

import random
from math import isclose, log, sqrt
from typing import Any

import pytest

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Invalid
from feedback.insights import associations, changes, drivers
from feedback.insights.statistics import discoveries, two_proportions
from tests.aggregation.reference import DAY, Doc, iso, matches
from tests.aggregation.shelf import Shelf, make_world

STAFF, QUEUE, PRICE = "staff__NOUN__1", "queue__NOUN__1", "price__NOUN__1"
MARCH = {"field": "createdAt", "from": iso(19_000 * DAY), "to": iso(19_050 * DAY - 1)}
APRIL = {"field": "createdAt", "from": iso(19_050 * DAY), "to": iso(19_100 * DAY)}


def make_docs() -> list[Doc]:
    """Friendly staff goes with high scores, queues with low ones and grow over time, price says nothing."""
    chance = random.Random(7)  # noqa: S311 -- repeatable data, no secret
    docs = []
    for n in range(400):
        day = 19_000 + n // 4
        terms = []
        if chance.random() < 0.4:
            terms.append((STAFF, "POSITIVE"))
        if chance.random() < 0.02 + 0.7 * n / 400:
            terms.append((QUEUE, "NEGATIVE"))
            terms += [(PRICE, "NEUTRAL")] if chance.random() < 0.7 else []
        elif chance.random() < 0.2:
            terms.append((PRICE, "NEUTRAL"))
        held = {term for term, _ in terms}
        score = 6 + 3 * (STAFF in held) - 4 * (QUEUE in held) + chance.randint(-1, 1)
        metadata = {} if chance.random() < 0.1 else {"nps": max(0, min(10, score))}
        docs.append(Doc(f"d{n}", day * DAY, day * DAY, metadata=metadata, terms=terms))
    return docs


DOCS = make_docs()


@pytest.fixture(scope="module")
def asked(shelf: Shelf) -> tuple[Aggregator, Dataset]:
    """An aggregator and a dataset with the documents above."""
    dataset = shelf.dataset()
    for start in range(0, len(DOCS), 90):
        shelf.put(dataset, DOCS[start : start + 90])
    return Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1), dataset


def points(docs: list[Doc]) -> list[float]:
    scores = [d.metadata["nps"] for d in docs if "nps" in d.metadata]
    return [100.0 if s >= 9 else -100.0 if s <= 6 else 0.0 for s in scores]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def holders(term: str) -> list[Doc]:
    return [d for d in DOCS if term in {t for t, _ in d.terms}]


def item_of(reply: dict[str, Any], term: str) -> dict[str, Any]:
    return next(item for item in reply["items"] if item["id"] == term)


def test_a_driver_compares_documents_with_the_term_to_those_without(asked: tuple[Aggregator, Dataset]) -> None:
    item = item_of(drivers(*asked, {"field": "metadata.nps"}), QUEUE)
    inside, outside = points(holders(QUEUE)), points([d for d in DOCS if d not in holders(QUEUE)])
    assert item["with"] == {"value": round(mean(inside), 6), "volume": len(inside)}
    assert item["without"] == {"value": round(mean(outside), 6), "volume": len(outside)}
    assert isclose(item["difference"], mean(inside) - mean(outside), abs_tol=1e-5)


def test_a_drivers_interval_is_welchs(asked: tuple[Aggregator, Dataset]) -> None:
    item = item_of(drivers(*asked, {"field": "metadata.nps"}), STAFF)
    error = 0.0
    for group in (points(holders(STAFF)), points([d for d in DOCS if d not in holders(STAFF)])):
        error += sum((v - mean(group)) ** 2 for v in group) / (len(group) - 1) / len(group)
    assert isclose((item["interval"][1] - item["interval"][0]) / 2, 1.959964 * sqrt(error), rel_tol=1e-5)


def test_a_drivers_impact_is_what_the_total_loses_without_it(asked: tuple[Aggregator, Dataset]) -> None:
    reply = drivers(*asked, {"field": "metadata.nps"})
    outside = points([d for d in DOCS if d not in holders(STAFF)])
    assert isclose(item_of(reply, STAFF)["impact"], mean(points(DOCS)) - mean(outside), abs_tol=1e-5)
    assert item_of(reply, STAFF)["significant"]
    assert reply["items"][0]["id"] in {STAFF, QUEUE}


def test_a_drivers_query_lists_its_documents(asked: tuple[Aggregator, Dataset]) -> None:
    item = item_of(drivers(*asked, {"field": "metadata.nps", "period": MARCH, "opinion": "NEGATIVE"}), QUEUE)
    listed = [d for d in DOCS if matches(make_world(DOCS), d, item["query"])]
    assert len(points(listed)) == item["with"]["volume"] > 0


def test_terms_under_the_minimum_volume_are_not_judged(asked: tuple[Aggregator, Dataset]) -> None:
    assert drivers(*asked, {"field": "metadata.nps", "minimumVolume": 395})["items"] == []


def test_drivers_of_a_field_without_scores_are_refused(asked: tuple[Aggregator, Dataset]) -> None:
    with pytest.raises(
        Invalid, match=r"must be an NPS, CSAT or CES field \(metadata.nps, metadata.csat, metadata.ces\)"
    ):
        drivers(*asked, {"field": "metadata.store"})


def test_a_change_compares_the_shares_of_two_periods(asked: tuple[Aggregator, Dataset]) -> None:
    reply = changes(*asked, {"periods": [MARCH, APRIL]})
    first, second = DOCS[:200], DOCS[200:]
    a, b = (sum(d in holders(QUEUE) for d in half) for half in (first, second))
    item = item_of(reply, QUEUE)
    assert [p["volume"] for p in reply["periods"]] == [200, 200]
    assert (item["before"]["volume"], item["after"]["volume"]) == (a, b)
    assert isclose(item["change"], (b - a) / 200, abs_tol=1e-6)
    assert item["significant"]
    assert reply["items"][0]["id"] == QUEUE


def test_a_changes_queries_list_the_documents_of_each_period(asked: tuple[Aggregator, Dataset]) -> None:
    item = item_of(changes(*asked, {"periods": [MARCH, APRIL]}), STAFF)
    world = make_world(DOCS)
    counted = [sum(matches(world, d, query) for d in DOCS) for query in item["queries"]]
    assert counted == [item["before"]["volume"], item["after"]["volume"]]


def test_changes_of_too_few_documents_say_nothing(asked: tuple[Aggregator, Dataset]) -> None:
    assert changes(*asked, {"periods": [MARCH, APRIL], "minimumVolume": 201})["items"] == []


def test_an_association_is_counted_and_ranked(asked: tuple[Aggregator, Dataset]) -> None:
    reply = associations(*asked, {"id": QUEUE})
    item = item_of(reply, PRICE)
    both = [d for d in holders(QUEUE) if d in holders(PRICE)]
    lift = len(both) * len(DOCS) / (len(holders(QUEUE)) * len(holders(PRICE)))
    assert (item["volume"], reply["volume"]) == (len(both), len(holders(QUEUE)))
    assert isclose(item["lift"], lift, abs_tol=1e-5)
    assert isclose(item["strength"], dunning(len(both), len(holders(QUEUE)), len(holders(PRICE))), rel_tol=1e-6)
    assert sum(matches(make_world(DOCS), d, item["query"]) for d in DOCS) == item["volume"]


def dunning(both: int, first: int, second: int) -> float:
    n = len(DOCS)
    observed = [both, first - both, second - both, n - first - second + both]
    expected = [first * second / n, first * (n - second) / n, (n - first) * second / n, (n - first) * (n - second) / n]
    return 2 * sum(o * log(o / e) for o, e in zip(observed, expected, strict=True))


def test_false_discoveries_are_limited_as_benjamini_and_hochberg_say() -> None:
    assert discoveries([0.01, 0.6, 0.02, 0.04]) == [True, False, True, False]
    assert discoveries([0.03, 0.04, 0.045, 0.049]) == [True] * 4


def test_the_two_proportion_test_gives_the_textbook_value() -> None:
    difference, _, p = two_proportions(60, 100, 45, 100)
    assert isclose(difference, 0.15)
    assert isclose(p, 0.0337, abs_tol=1e-4)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"periods": [MARCH]}, "periods"),
        ({"periods": [MARCH, {"field": "createdAt"}]}, "periods[1]"),
        ({"periods": [MARCH, APRIL], "by": "WORDS"}, "by"),
        ({"periods": [MARCH, APRIL], "limit": 0}, "limit"),
        ({"periods": [MARCH, APRIL], "colour": 1}, "colour"),
    ],
)
def test_a_wrong_member_is_named(asked: tuple[Aggregator, Dataset], body: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        changes(*asked, body)
    assert [p.field for p in caught.value.problems] == [field]
