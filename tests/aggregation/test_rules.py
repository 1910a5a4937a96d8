"""Every combination of operation or group and field is either answered or refused with what is legal instead."""

from typing import Any

import pytest

from feedback.aggregation import Aggregator
from feedback.aggregation.rules import GROUPS, OPERATIONS, Grouping, Operation
from feedback.domain.dataset import Dataset
from feedback.domain.fields import Field, Kind, find_field
from feedback.domain.query import OPERATORS, Operator
from feedback.errors import Code, Invalid, Problem
from tests.aggregation.shelf import Shelf
from tests.aggregation.strategies import NAMES

RANGES = [{"name": "all"}]


@pytest.fixture(scope="module")
def asked(shelf: Shelf) -> tuple[Aggregator, Dataset]:
    """An aggregator and an empty dataset with a field of every kind."""
    return Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1), shelf.dataset()


def problems(asked: tuple[Aggregator, Dataset], request: dict[str, Any], q: str | None = None) -> list[Problem]:
    """What is wrong with a request, empty where it is answered."""
    try:
        reply = asked[0].aggregate(asked[1], request, q)
    except Invalid as error:
        return list(error.problems)
    assert reply["field"] == request["field"]
    return []


def only(asked: tuple[Aggregator, Dataset], request: dict[str, Any], q: str | None = None) -> Problem:
    (problem,) = problems(asked, request, q)
    return problem


def field_of(asked: tuple[Aggregator, Dataset], name: str) -> Field:
    field = find_field(asked[1], name, "", {"mood"})
    assert isinstance(field, Field)
    return field


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_answered_or_refused_with_those_allowed(
    asked: tuple[Aggregator, Dataset], name: str, operation: Operation
) -> None:
    field = field_of(asked, name)
    found = problems(asked, {"field": name, "type": operation.value})
    if field.kind in OPERATIONS[operation] and name != "metadata.note":
        assert not found
        return
    assert [(p.code, p.field) for p in found] == [(Code.ILLEGAL_COMBINATION, "type")]
    legal = [o for o, kinds in OPERATIONS.items() if field.kind in kinds]
    assert name == "metadata.note" or all(o in found[0].description for o in legal)


@pytest.mark.parametrize("group", Grouping)
@pytest.mark.parametrize("name", NAMES)
def test_a_group_is_answered_or_refused_with_those_allowed(
    asked: tuple[Aggregator, Dataset], name: str, group: Grouping
) -> None:
    field = field_of(asked, name)
    dimension = {"field": name, "group": group.value} | ({"ranges": RANGES} if group is Grouping.RANGE else {})
    found = problems(asked, {"field": "externalId", "dimensions": [dimension]})
    if field.kind in GROUPS[group]:
        assert not found
        return
    assert [(p.code, p.field) for p in found] == [(Code.ILLEGAL_COMBINATION, "dimensions[0].group")]
    assert all(g in found[0].description for g in Grouping if field.kind in GROUPS[g])


@pytest.mark.parametrize("operator", Operator)
@pytest.mark.parametrize("name", NAMES)
def test_an_operator_is_answered_or_refused_with_those_allowed(
    asked: tuple[Aggregator, Dataset], name: str, operator: Operator
) -> None:
    field = field_of(asked, name)
    value = _value(field.kind)
    query = {"field": name, "operator": operator.value, "value": [value] if "IN" in operator else value}
    found = problems(asked, {"field": "externalId", "query": query})
    legal = OPERATORS[field.kind]
    assert [p.field for p in found] == ([] if operator in legal else ["query.operator"])
    assert all(o in p.description for p in found for o in legal)


def _value(kind: Kind) -> Any:
    samples: dict[Kind, Any] = {
        Kind.DATETIME: "2026-01-01T00:00:00Z",
        Kind.BOOLEAN: True,
        Kind.POLARITY: "NEGATIVE",
        **dict.fromkeys((Kind.NPS, Kind.CSAT, Kind.CES, Kind.NUMBER), 3),
    }
    return samples.get(kind, "text")


WRONG: list[tuple[dict[str, Any], str, Code]] = [
    ({"field": "colour"}, "field", Code.UNKNOWN_FIELD),
    ({}, "field", Code.REQUIRED),
    ({"field": 3}, "field", Code.WRONG_TYPE),
    ({"field": "metadata.phone"}, "field", Code.PERSONAL_DATA),
    ({"field": "metadata.nps", "type": "MEDIAN"}, "type", Code.INVALID_VALUE),
    ({"field": "metadata.nps", "dimension": []}, "dimension", Code.UNKNOWN_FIELD),
    ({"field": "metadata.nps", "dimensions": {}}, "dimensions", Code.WRONG_TYPE),
    ({"field": "metadata.nps", "dimensions": [1]}, "dimensions[0]", Code.WRONG_TYPE),
    ({"field": "metadata.nps", "dimensions": [{"field": "lang"}]}, "dimensions[0].group", Code.REQUIRED),
    (
        {"field": "metadata.nps", "dimensions": [{"field": "lang", "group": "DISTINCT"}] * 5},
        "dimensions",
        Code.TOO_MANY,
    ),
    (
        {"field": "metadata.nps", "dimensions": [{"field": "lang", "group": "DISTINCT", "limit": 101}]},
        "dimensions[0].limit",
        Code.OUT_OF_BOUNDS,
    ),
    (
        {"field": "metadata.nps", "dimensions": [{"field": "lang", "group": "DISTINCT", "limit": 0}]},
        "dimensions[0].limit",
        Code.OUT_OF_BOUNDS,
    ),
    (
        {"field": "metadata.nps", "dimensions": [{"field": "lang", "group": "DISTINCT", "limit": True}]},
        "dimensions[0].limit",
        Code.WRONG_TYPE,
    ),
    (
        {"field": "metadata.nps", "dimensions": [{"field": "metadata.amount", "group": "RANGE"}]},
        "dimensions[0].ranges",
        Code.REQUIRED,
    ),
    (
        {
            "field": "metadata.nps",
            "dimensions": [
                {"field": "metadata.amount", "group": "RANGE", "ranges": [{"name": "a", "min": 2, "max": 1}]}
            ],
        },
        "dimensions[0].ranges[0]",
        Code.INVALID_VALUE,
    ),
    (
        {
            "field": "metadata.nps",
            "dimensions": [{"field": "metadata.amount", "group": "RANGE", "ranges": [{"name": "a"}, {"name": "a"}]}],
        },
        "dimensions[0].ranges",
        Code.DUPLICATE,
    ),
    (
        {
            "field": "metadata.nps",
            "dimensions": [{"field": "metadata.amount", "group": "RANGE", "ranges": [{"name": "a", "max": 1e308}]}],
        },
        "dimensions[0].ranges[0].max",
        Code.OUT_OF_BOUNDS,
    ),
    ({"field": "metadata.nps", "periods": [{"field": "metadata.nps"}]}, "periods[0].field", Code.ILLEGAL_COMBINATION),
    ({"field": "metadata.nps", "periods": [{"field": "createdAt"}] * 51}, "periods", Code.TOO_MANY),
    (
        {"field": "metadata.nps", "periods": [{"field": "createdAt", "from": "2026-01-01"}]},
        "periods[0].from",
        Code.INVALID_VALUE,
    ),
    (
        {
            "field": "metadata.nps",
            "periods": [{"field": "createdAt", "from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}],
        },
        "periods[0]",
        Code.INVALID_VALUE,
    ),
    ({"field": "metadata.nps", "query": 3}, "query", Code.WRONG_TYPE),
    (
        {"field": "metadata.nps", "query": {"field": "lang", "operator": "IN", "value": "en"}},
        "query.value",
        Code.WRONG_TYPE,
    ),
    (
        {"field": "metadata.nps", "query": {"field": "metadata.nps", "operator": "EQ", "value": "many"}},
        "query.value",
        Code.WRONG_TYPE,
    ),
    (
        {"field": "metadata.nps", "query": {"field": "lang", "operator": "EQ", "value": "en", "opinion": "POSITIVE"}},
        "query.opinion",
        Code.ILLEGAL_COMBINATION,
    ),
    ({"field": "metadata.nps", "query": {"operator": "XOR", "criteria": []}}, "query.operator", Code.INVALID_VALUE),
    ({"field": "metadata.nps", "query": {"operator": "AND"}}, "query.criteria", Code.WRONG_TYPE),
]


@pytest.mark.parametrize(("request_body", "path", "code"), WRONG)
def test_a_wrong_member_is_refused_with_its_path(
    asked: tuple[Aggregator, Dataset], request_body: dict[str, Any], path: str, code: Code
) -> None:
    found = only(asked, request_body)
    assert (found.field, found.code) == (path, code)


def test_all_problems_are_reported_at_once(asked: tuple[Aggregator, Dataset]) -> None:
    request = {"field": "colour", "type": "X", "periods": [{"field": "lang"}], "dimensions": [{"group": "NPS_GROUP"}]}
    assert [p.field for p in problems(asked, request, "a")] == [
        "field",
        "type",
        "periods[0].field",
        "dimensions[0].field",
        "q",
    ]


def test_a_query_may_nest_ten_groups_and_not_eleven(asked: tuple[Aggregator, Dataset]) -> None:
    query: dict[str, Any] = {"field": "lang", "operator": "EQ", "value": "en"}
    for _ in range(10):
        query = {"operator": "AND", "criteria": [query]}
    assert not problems(asked, {"field": "lang", "query": query})
    found = only(asked, {"field": "lang", "query": {"operator": "OR", "criteria": [query]}})
    assert found.code is Code.TOO_MANY


def test_a_query_may_hold_a_thousand_conditions_and_not_more(asked: tuple[Aggregator, Dataset]) -> None:
    leaf = {"field": "lang", "operator": "EQ", "value": "en"}
    assert not problems(asked, {"field": "lang", "query": {"operator": "OR", "criteria": [leaf] * 1000}})
    assert only(asked, {"field": "lang", "query": {"operator": "OR", "criteria": [leaf] * 1001}}).code is Code.TOO_MANY


@pytest.mark.parametrize(("q", "code"), [("a", Code.TOO_SHORT), ("", Code.TOO_SHORT), ("ab", None), ("配", None)])
def test_q_needs_two_characters_or_one_of_chinese(asked: tuple[Aggregator, Dataset], q: str, code: Code | None) -> None:
    assert [p.code for p in problems(asked, {"field": "lang"}, q)] == ([] if code is None else [code])


def test_an_empty_dataset_has_an_implicit_period_without_bounds(asked: tuple[Aggregator, Dataset]) -> None:
    reply = asked[0].aggregate(asked[1], {"field": "metadata.nps", "type": "NPS"})
    assert reply == {
        "field": "metadata.nps",
        "type": "NPS",
        "periods": [
            {
                "period": {"field": "createdAt", "from": None, "to": None},
                "total": {"value": None, "volume": 0},
                "values": [],
            }
        ],
    }
