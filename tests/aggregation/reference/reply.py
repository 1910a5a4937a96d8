# ruff: noqa: PLR0917 -- plain functions of plain arguments are the point of a reference.
"""The whole reply: the value of each combination, computed of its documents one by one."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from tests.aggregation.reference.buckets import bucket_text, plain_text
from tests.aggregation.reference.documents import Doc, World, at, instant, iso, pairs_of, value_of
from tests.aggregation.reference.keys import ENRICHED, TIMES, keys_of, qualifiers
from tests.aggregation.reference.listing import listed
from tests.aggregation.reference.queries import matches, without_terms

MOST = 100_000


class TooLong(Exception):
    """The reply would hold more items than a reply may."""


def evaluate(world: World, request: Mapping[str, Any], q: str | None = None) -> dict[str, Any]:
    """The reply to a legal request."""
    operation = request.get("type") or "COUNT"
    query = request.get("query")
    if q is not None and query:
        query = without_terms(query)
    periods = request.get("periods") or [implicit(world)]
    told = [period_reply(world, request, operation, query, period, q) for period in periods]
    if sum(len(period["values"]) for period in told) > MOST:
        raise TooLong
    return {"field": request["field"], "type": operation, "periods": told}


def implicit(world: World) -> dict[str, Any]:
    created = [d.created_at for d in world.docs]
    return {
        "field": "createdAt",
        "from": iso(min(created)) if created else None,
        "to": iso(max(created)) if created else None,
    }


def in_period(doc: Doc, period: Mapping[str, Any]) -> bool:
    value = value_of(doc, period["field"])
    if value is None:
        return False
    low, high = period.get("from"), period.get("to")
    return (not low or at(value) >= instant(low)) and (not high or at(value) <= instant(high))


def period_reply(
    world: World, request: Mapping[str, Any], operation: str, query: Any, period: Mapping[str, Any], q: str | None
) -> dict[str, Any]:
    docs = [d for d in world.docs if in_period(d, period) and matches(world, d, query)]
    if q is not None:
        docs = [d for d in docs if pairs_of(d, "TERMS", q)]
    dimensions = request.get("dimensions") or []
    total = {"value": compute(world, docs, operation, request["field"], q), "volume": len(docs)}
    return {
        "period": dict(period),
        "total": total,
        "values": items(world, request, operation, docs, dimensions, period, q) if dimensions else [],
    }


def items(
    world: World,
    request: Mapping[str, Any],
    operation: str,
    docs: list[Doc],
    dimensions: Sequence[Mapping[str, Any]],
    period: Mapping[str, Any],
    q: str | None,
) -> list[dict[str, Any]]:
    shown = [listed(world, dimensions, i, docs, period, q) for i in range(len(dimensions))]
    held: dict[tuple[Any, ...], list[Doc]] = {}
    for doc in docs:
        for key in keys_of(world, doc, dimensions, q):
            held.setdefault(key, []).append(doc)
    ranked = any(d["group"] not in {"RANGE", "NPS_GROUP", *TIMES} for d in dimensions)
    if ranked:
        places = [{key: place for place, key in enumerate(keys)} for keys in shown]
        occurring = [key for key in held if all(one in place for one, place in zip(key, places, strict=True))]
        combinations = sorted(occurring, key=lambda key: [place[one] for one, place in zip(key, places, strict=True)])
    else:
        if prod(len(keys) for keys in shown) > MOST:
            raise TooLong
        combinations = list(product(*shown))
    found = []
    for key in combinations:
        mine = held.get(key, [])
        value = compute(world, mine, operation, request["field"], q)
        found.append({"value": value, "volume": len(mine), "dimensions": told_dimensions(dimensions, key)})
    if len(found) > MOST:
        raise TooLong
    return found


def told_dimensions(dimensions: Sequence[Mapping[str, Any]], key: Iterable[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for dimension, one in zip(dimensions, key, strict=True):
        name, group = dimension["field"], dimension["group"]
        told: dict[str, Any] = {"field": name}
        if name in ENRICHED:
            told |= {"value": one[1], "id": one[0]}
            if len(one) > 2:
                told["polarity"] = one[2].lower()
        elif group == "RANGE":
            told["value"] = dimension["ranges"][one]["name"]
        elif group in TIMES:
            told["value"] = bucket_text(one, group)
        else:
            told["value"] = plain_text(one)
        found.append(told)
    for i, target in qualifiers(dimensions).items():
        found[target]["polarity"] = tuple(key)[i].lower()
    return found


def compute(world: World, docs: list[Doc], operation: str, name: str, q: str | None) -> Any:
    if name in ENRICHED:
        return sum(1 for d in docs if pairs_of(d, name, q))
    values = [v for d in docs if (v := value_of(d, name)) is not None]
    if operation == "COUNT":
        return len(values)
    exact = [Fraction(Decimal(repr(float(v)))) for v in values]
    if operation == "SUM":
        return float(sum(exact, Fraction(0)))
    if not values:
        return None
    if operation in {"AVG", "CSAT", "CES"}:
        return float(sum(exact, Fraction(0)) / len(exact))
    if operation == "NPS":
        promoters = sum(1 for v in values if v >= 9)
        detractors = sum(1 for v in values if v <= 6)
        return float(Fraction(100 * (promoters - detractors), len(values)))
    return min(values) if operation == "MIN" else max(values)
