"""Single cases that a person would ask about, beside the random ones."""

import gc
from collections.abc import Callable
from typing import Any

import pytest

from feedback.aggregation import Aggregator
from feedback.aggregation.calendar import label
from feedback.aggregation.rules import Grouping
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from tests.aggregation.reference import DAY, Doc
from tests.aggregation.shelf import Shelf

MONDAY = 19_002 * DAY


def ask(shelf: Shelf, docs: list[Doc], request: dict[str, Any], q: str | None = None) -> Any:
    """The first period of the reply about these documents, each in a segment of its own."""
    dataset = shelf.dataset()
    for doc in docs:
        shelf.put(dataset, [doc])
    return aggregator(shelf).aggregate(dataset, request, q)["periods"][0]


def aggregator(shelf: Shelf) -> Aggregator:
    return Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)


def make_doc(n: int, *terms: tuple[str, str], **metadata: Any) -> Doc:
    return Doc(f"d{n}", MONDAY + n, MONDAY + n, metadata=metadata, terms=list(terms))


def test_a_tenth_and_two_tenths_are_three_tenths(shelf: Shelf) -> None:
    docs = [make_doc(1, amount=0.1), make_doc(2, amount=0.2)]
    assert ask(shelf, docs, {"field": "metadata.amount", "type": "SUM"})["total"]["value"] == 0.3


def test_a_sum_of_giants_and_crumbs_loses_nothing(shelf: Shelf) -> None:
    docs = [make_doc(n, amount=value) for n, value in enumerate((1e300, 0.25, -1e300, 0.5))]
    assert ask(shelf, docs, {"field": "metadata.amount", "type": "SUM"})["total"]["value"] == 0.75


def test_a_sum_that_no_double_holds_is_null(shelf: Shelf) -> None:
    docs = [make_doc(n, amount=1.7e308) for n in range(2)]
    assert ask(shelf, docs, {"field": "metadata.amount", "type": "SUM"})["total"] == {"value": None, "volume": 2}


def test_scores_are_listed_as_five_and_not_as_five_point_nought(shelf: Shelf) -> None:
    request = {"field": "lang", "dimensions": [{"field": "metadata.amount", "group": "DISTINCT"}]}
    docs = [make_doc(n, amount=value) for n, value in enumerate((5.0, 2.5, 2**53))]
    values = ask(shelf, docs, request)["values"]
    assert [v["dimensions"][0]["value"] for v in values] == ["2.5", "5", "9007199254740992"]


def test_a_document_with_a_term_in_two_contexts_counts_once_under_the_term(shelf: Shelf) -> None:
    docs = [make_doc(1, ("staff__NOUN__1", "POSITIVE"), ("staff__NOUN__1", "NEGATIVE"), nps=9)]
    request = {"field": "metadata.nps", "type": "SUM", "dimensions": [{"field": "TERMS", "group": "DISTINCT"}]}
    assert [(v["value"], v["volume"]) for v in ask(shelf, docs, request)["values"]] == [(9, 1)]


def test_polarity_all_tells_the_contexts_of_one_term_apart(shelf: Shelf) -> None:
    docs = [make_doc(1, ("staff__NOUN__1", "POSITIVE"), ("staff__NOUN__1", "NEGATIVE"))]
    request = {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL", "limit": 1}]}
    values = ask(shelf, docs, request)["values"]
    assert [v["dimensions"][0]["polarity"] for v in values] == ["negative", "positive"]


def test_q_makes_terms_criteria_void_and_cuts_the_terms(shelf: Shelf) -> None:
    docs = [make_doc(1, ("café__NOUN__1", "POSITIVE"), ("staff__NOUN__1", "NEUTRAL")), make_doc(2)]
    request = {
        "field": "TERMS",
        "query": {"field": "TERMS", "operator": "EQ", "value": "nothing__NOUN__1"},
        "dimensions": [{"field": "TERMS", "group": "DISTINCT"}],
    }
    found = ask(shelf, docs, request, "CAFE")
    assert found["total"] == {"value": 1, "volume": 1}
    assert [v["dimensions"][0]["value"] for v in found["values"]] == ["café"]


@pytest.mark.parametrize(
    ("day", "unit", "expected"),
    [
        (18_628, Grouping.WEEK, "2020-W53"),
        (-719_162, Grouping.WEEK, "0001-W01"),
        (-719_162, Grouping.MONTH, "0001-01"),
        (-1, Grouping.YEAR, "1969"),
        (2_932_896, Grouping.WEEK, "9999-W52"),
        (-1, Grouping.DAY, "31"),
    ],
)
def test_buckets_are_labelled_as_the_interface_says(day: int, unit: Grouping, expected: str) -> None:
    from feedback.aggregation.calendar import bucket_of  # noqa: PLC0415 -- beside its only use

    assert label(bucket_of(day * DAY, unit), unit) == expected


def test_a_long_period_of_days_is_too_many_items(shelf: Shelf) -> None:
    period = {"field": "createdAt", "from": "0001-01-01T00:00:00Z", "to": "9999-12-31T23:59:59Z"}
    request = {"field": "lang", "periods": [period], "dimensions": [{"field": "createdAt", "group": "DAY"}]}
    with pytest.raises(Invalid) as caught:
        ask(shelf, [make_doc(1)], request)
    assert caught.value.code is Code.TOO_MANY


def test_the_same_long_period_is_answered_where_empty_combinations_are_left_out(shelf: Shelf) -> None:
    period = {"field": "createdAt", "from": "0001-01-01T00:00:00Z", "to": "9999-12-31T23:59:59Z"}
    dimensions = [{"field": "createdAt", "group": "DAY"}, {"field": "lang", "group": "DISTINCT"}]
    request = {"field": "lang", "periods": [period], "dimensions": dimensions}
    docs = [make_doc(1), Doc("old", -719_162 * DAY, MONDAY), Doc("late", 2_932_896 * DAY, MONDAY)]
    assert [v["volume"] for v in ask(shelf, docs, request)["values"]] == [1, 1, 1]


def test_no_topic_by_the_days_of_decades_is_no_item(shelf: Shelf) -> None:
    dimensions = [{"field": "metadata.when", "group": "DAY"}, {"field": "TOPICS", "group": "DISTINCT"}]
    query = {"field": "metadata.nps", "operator": "GTE", "value": 9}
    dataset = shelf.dataset()
    shelf.put(dataset, [make_doc(n, nps=n, when=n * 1_000 * DAY) for n in range(10)])
    request = {"field": "metadata.nps", "type": "NPS", "query": query, "dimensions": dimensions}
    assert aggregator(shelf).aggregate(dataset, request)["periods"][0]["values"] == []


def test_three_time_dimensions_over_millennia_are_answered_from_what_occurs(shelf: Shelf) -> None:
    names = ("createdAt", "updatedAt", "metadata.when")
    dimensions = [{"field": n, "group": "DAY"} for n in names] + [{"field": "lang", "group": "DISTINCT"}]
    docs = [Doc(f"d{n}", n * DAY, -n * DAY, metadata={"when": n * 7 * DAY}) for n in (-700_000, 0, 400_000)]
    found = ask(shelf, docs, {"field": "lang", "dimensions": dimensions})
    assert [v["volume"] for v in found["values"]] == [1, 1, 1]


HOSTILE: list[dict[str, Any]] = [
    {"field": "lang", "query": {"field": "externalId", "operator": "EQ", "value": "\ud800"}},
    {"field": "lang", "query": {"field": "TERMS", "operator": "IN", "value": ["\0", "\udfff"]}},
    {"field": "lang", "query": {"field": "metadata.store", "operator": "NIN", "value": ["\0"]}},
    {"field": "lang", "query": {"field": "metadata.nps", "operator": "GT", "value": "nan"}},
    {"field": "lang", "query": {"field": "metadata.nps", "operator": "GT", "value": 10**400}},
    {"field": "lang", "query": {"field": "createdAt", "operator": "GT", "value": "9999-12-31T23:59:59.999999-23:59"}},
    {"field": "lang", "query": {"criteria": {}}},
    {"field": ["lang"]},
    {"field": "lang", "type": {}},
    {"field": "lang", "periods": [{"field": "createdAt", "from": "0001-01-01T00:00:00+23:59"}]},
    {"field": "lang", "dimensions": [{"field": "lang", "group": []}]},
    {
        "field": "lang",
        "dimensions": [{"field": "metadata.amount", "group": "RANGE", "ranges": [{"name": "a", "min": 10**400}]}],
    },
    {"field": "lang", "dimensions": [{"field": "metadata.amount", "group": "RANGE", "ranges": {"name": "a"}}]},
]


@pytest.mark.parametrize("request_body", HOSTILE)
def test_whatever_is_asked_is_answered_or_refused(shelf: Shelf, request_body: dict[str, Any]) -> None:
    dataset: Dataset = shelf.dataset()
    shelf.put(dataset, [make_doc(1, ("staff__NOUN__1", "NEUTRAL"), nps=3, amount=1, store="Paris")])
    assert told(shelf, dataset, request_body)


def told(shelf: Shelf, dataset: Dataset, request: dict[str, Any]) -> bool:
    """Whether there was a reply with a period, or a refusal whose every problem names its place."""
    try:
        return bool(aggregator(shelf).aggregate(dataset, request)["periods"])
    except Invalid as error:
        return all(problem.field for problem in error.problems)


def test_a_question_leaves_nothing_for_the_garbage_collector(shelf: Shelf) -> None:
    dataset, one = shelf.dataset(), aggregator(shelf)
    shelf.put(dataset, [make_doc(n, ("staff__NOUN__1", "NEGATIVE"), nps=n) for n in range(5)])
    query = {"field": "metadata.nps", "operator": "GTE", "value": 2}
    request = {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL"}], "query": query}
    one.reply(dataset, request)
    # The least of several, as threads of other tests may drop something meanwhile.
    assert min(_left_behind(lambda: one.reply(dataset, request)) for _ in range(5)) == 0


def _left_behind(ask: Callable[[], object]) -> int:
    """How many objects the garbage collector finds after a question."""
    gc.collect()
    gc.disable()
    try:
        ask()
        return gc.collect()
    finally:
        gc.enable()
