"""Insights are right: figures against plain arithmetic, and queries that list what was counted."""

import random
from math import isclose, log
from typing import Any

import pytest

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Invalid
from feedback.insights import associations, changes, drivers
from feedback.insights.statistics import Sample, discoveries, independence, two_proportions, welch
from feedback.insights.student import quantile, tails
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
        topics = [("STAFF", "Staff", opinion) for term, opinion in terms if term == STAFF]
        docs.append(Doc(f"d{n}", day * DAY, day * DAY, metadata=metadata, terms=terms, topics=topics))
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


def test_a_drivers_interval_and_p_value_are_welchs(asked: tuple[Aggregator, Dataset]) -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with the extra `learn`")
    item = item_of(drivers(*asked, {"field": "metadata.nps"}), STAFF)
    inside, outside = points(holders(STAFF)), points([d for d in DOCS if d not in holders(STAFF)])
    expected = stats.ttest_ind(inside, outside, equal_var=False)
    assert item["interval"] == pytest.approx(list(expected.confidence_interval()), abs=1e-6)
    assert item["pValue"] == pytest.approx(expected.pvalue, rel=1e-5)


def test_documents_that_all_score_alike_are_told_apart_without_an_interval() -> None:
    alike, others = Sample.of({100.0: 30}), Sample.of({0.0: 40})
    assert welch(alike, others) == (100, (100, 100), 0)
    assert welch(alike, alike)[2] == 1


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.706205), (2, 4.302653), (5, 2.570582), (29, 2.045230), (120, 1.979930)]
)
def test_the_quantiles_of_students_t_are_those_of_the_tables(freedom: float, expected: float) -> None:
    assert isclose(quantile(freedom), expected, abs_tol=1e-6)
    assert isclose(tails(expected, freedom), 0.05, abs_tol=1e-7)


def test_a_drivers_impact_is_what_the_total_loses_without_it(asked: tuple[Aggregator, Dataset]) -> None:
    reply = drivers(*asked, {"field": "metadata.nps"})
    outside = points([d for d in DOCS if d not in holders(STAFF)])
    assert isclose(item_of(reply, STAFF)["impact"], mean(points(DOCS)) - mean(outside), abs_tol=1e-5)
    assert item_of(reply, STAFF)["significant"]
    assert reply["items"][0]["id"] in {STAFF, QUEUE}


@pytest.mark.parametrize("body", [{}, {"period": MARCH}, {"opinion": "NEGATIVE"}, {"by": "TOPICS"}])
def test_a_drivers_queries_list_exactly_the_documents_counted(
    asked: tuple[Aggregator, Dataset], body: dict[str, Any]
) -> None:
    reply = drivers(*asked, {"field": "metadata.nps", "minimumVolume": 10, **body})
    counted = [(reply["total"]["query"], reply["total"]["volume"])]
    for item in reply["items"]:
        counted += [(item["query"], item["with"]["volume"]), (item["queryWithout"], item["without"]["volume"])]
    world = make_world(DOCS)
    assert len(counted) > 2
    assert [sum(matches(world, d, query) for d in DOCS) for query, _ in counted] == [volume for _, volume in counted]


def test_the_query_of_an_item_nests_no_deeper_than_the_one_that_was_sent(asked: tuple[Aggregator, Dataset]) -> None:
    sent = {"operator": "AND", "criteria": [{"field": "metadata.nps", "operator": "LTE", "value": 9}]}
    for item in drivers(*asked, {"field": "metadata.nps", "period": MARCH, "query": sent})["items"]:
        assert all("criteria" not in criterion for criterion in item["query"]["criteria"])


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


def test_the_interval_of_two_proportions_is_that_of_newcombes_article() -> None:
    difference, interval, _ = two_proportions(56, 70, 48, 80)
    assert isclose(difference, 0.2)
    assert [round(bound, 4) for bound in interval] == [0.0524, 0.3339]


def test_thirty_of_thirty_documents_prove_no_certainty() -> None:
    _, (low, high), _ = two_proportions(30, 30, 0, 30)
    assert low < 0.85
    assert high == 1


def test_a_tie_of_independent_terms_is_no_discovery() -> None:
    assert independence(20, 100, 200, 1_000) == (0, 1)
    strength, p = independence(40, 100, 200, 1_000)
    # Of scipy.stats.chi2_contingency, by the log-likelihood and without a correction.
    assert isclose(strength, 23.7898, abs_tol=1e-3)
    assert isclose(p, 1.07448e-06, rel_tol=1e-5)


def test_a_compound_is_not_said_to_go_with_its_own_noun(shelf: Shelf) -> None:
    dataset, desk, lobby = shelf.dataset(), "front desk__NOUN__1", "lobby__NOUN__1"
    both = [(desk, "POSITIVE"), ("desk__NOUN__1", "POSITIVE"), (lobby, "NEUTRAL")]
    shelf.put(dataset, [Doc(f"d{n}", n, n, terms=both if n % 2 else []) for n in range(40)])
    one = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    assert [item["id"] for item in associations(one, dataset, {"id": "desk__NOUN__1"})["items"]] == [lobby]
    assert [item["id"] for item in associations(one, dataset, {"id": desk})["items"]] == [lobby]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"periods": [MARCH]}, "periods"),
        ({"periods": [MARCH, {"field": "createdAt"}]}, "periods[1]"),
        ({"periods": [MARCH, APRIL], "by": "WORDS"}, "by"),
        ({"periods": [MARCH, APRIL], "limit": 0}, "limit"),
        ({"periods": [MARCH, APRIL], "colour": 1}, "colour"),
        ({"periods": [MARCH, APRIL], "query": "nps > 5"}, "query"),
    ],
)
def test_a_wrong_member_is_named(asked: tuple[Aggregator, Dataset], body: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        changes(*asked, body)
    assert [p.field for p in caught.value.problems] == [field]
