"""Which documents a query matches."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.aggregation.reference.documents import OPINIONS, Doc, World, at, instant, kind_of, pairs_of, value_of


def without_terms(query: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if "criteria" in query:
        kept = [c for c in map(without_terms, query["criteria"]) if c is not None]
        return {"operator": query["operator"], "criteria": kept} if kept else None
    return None if query["field"] == "TERMS" else query


def matches(world: World, doc: Doc, query: Mapping[str, Any] | None) -> bool:
    if not query:
        return True
    if "criteria" in query:
        told = [matches(world, doc, c) for c in query["criteria"] if not empty(c)]
        if not told:
            return True
        return all(told) if query["operator"] == "AND" else any(told)
    values = query["value"] if isinstance(query["value"], list) else [query["value"]]
    operator = query["operator"]
    if operator in {"NEQ", "NIN"}:
        return not holds(world, doc, query, "IN", values)
    return holds(world, doc, query, "IN" if operator == "EQ" else operator, values)


def empty(query: Mapping[str, Any]) -> bool:
    return not query or ("criteria" in query and all(empty(c) for c in query["criteria"]))


def holds(world: World, doc: Doc, leaf: Mapping[str, Any], operator: str, values: list[Any]) -> bool:
    name = leaf["field"]
    if name in {"TERMS", "TOPICS"}:
        opinions = [leaf["opinion"]] if leaf.get("opinion") else OPINIONS
        return any(p[0] in values and p[2] in opinions for p in pairs_of(doc, name, None))
    if name == "TERMS_POLARITY":
        return any(p[2] in values for p in pairs_of(doc, "TERMS", None))
    mine: Any = value_of(doc, name)
    if mine is None:
        return False
    kind = kind_of(world, name)
    if kind == "Datetime":
        mine, values = at(mine), [instant(v) for v in values]
    elif kind in {"NPS", "CSAT", "CES", "Number"}:
        mine, values = float(mine), [float(v) for v in values]
    elif kind == "Boolean":
        values = [v if isinstance(v, bool) else v.lower() == "true" for v in values]
    compare: dict[str, Callable[[], bool]] = {
        "IN": lambda: mine in values,
        "GT": lambda: mine > values[0],
        "GTE": lambda: mine >= values[0],
        "LT": lambda: mine < values[0],
        "LTE": lambda: mine <= values[0],
    }
    return compare[operator]()
