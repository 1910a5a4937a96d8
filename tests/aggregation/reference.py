# ruff: noqa: PLR0917 -- plain functions of plain arguments are the point of a reference.
"""The naive evaluator: what the interface and its decisions say, in plain loops, sharing nothing with the kernel."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400_000
OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")
MOST = 100_000


class TooLong(Exception):
    """The reply would hold more items than a reply may."""


@dataclass
class Doc:
    """A document as the reference sees it. Datetime metadata are epoch milliseconds."""

    external_id: str
    created_at: int
    updated_at: int
    type: str = "SURVEY"
    lang: str = "en"
    metadata: dict[str, Any] = field(default_factory=dict)
    terms: list[tuple[str, str]] = field(default_factory=list)
    topics: list[tuple[str, str, str]] = field(default_factory=list)
    classifiers: dict[str, str] = field(default_factory=dict)


@dataclass
class World:
    """All living documents of a dataset, and the type of each metadata code."""

    docs: list[Doc]
    types: dict[str, str]
    uppers: dict[str, float] = field(default_factory=dict)


def label_of(term: str) -> str:
    return term.rsplit("__", 2)[0].replace("_", " ")


def value_of(doc: Doc, name: str) -> Any:
    """The single value of a field, None where the document lacks it."""
    if name.startswith("metadata."):
        return doc.metadata.get(name.removeprefix("metadata."))
    if name.startswith("classifier."):
        return doc.classifiers.get(name.removeprefix("classifier."))
    return {
        "createdAt": doc.created_at,
        "updatedAt": doc.updated_at,
        "externalId": doc.external_id,
        "type": doc.type,
        "lang": doc.lang,
    }[name]


def fold(text: str) -> str:
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def pairs_of(doc: Doc, name: str, q: str | None) -> set[tuple[str, str, str]]:
    """(id, label, opinion) of the document's terms or topics; with q, of the matching terms."""
    if name == "TOPICS":
        return set(doc.topics)
    pairs = {(term, label_of(term), opinion) for term, opinion in doc.terms}
    return pairs if q is None else {p for p in pairs if fold(q) in fold(p[1])}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def at(ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=ms)


# -- queries ---------------------------------------------------------------------------------------------------------


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


def kind_of(world: World, name: str) -> str:
    if name in {"createdAt", "updatedAt"}:
        return "Datetime"
    return world.types.get(name.removeprefix("metadata."), "String") if name.startswith("metadata.") else "String"


# -- dimensions ------------------------------------------------------------------------------------------------------


def number_text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def plain_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, int | float) else str(value)


def bucket(ms: int, group: str) -> Any:
    day = EPOCH.date() + timedelta(days=ms // DAY)
    if group == "YEAR":
        return (day.year,)
    if group == "MONTH":
        return (day.year, day.month)
    if group == "WEEK":
        return tuple(day.isocalendar())[:2]
    return day


def bucket_text(bucketed: Any, group: str) -> str:
    if group == "YEAR":
        return f"{bucketed[0]:04d}"
    if group == "MONTH":
        return f"{bucketed[0]:04d}-{bucketed[1]:02d}"
    if group == "WEEK":
        return f"{bucketed[0]:04d}-W{bucketed[1]:02d}"
    return f"{bucketed.day:02d}"


def next_bucket(bucketed: Any, group: str) -> Any:
    if group == "YEAR":
        return (bucketed[0] + 1,)
    if group == "MONTH":
        return (bucketed[0] + bucketed[1] // 12, bucketed[1] % 12 + 1)
    if group == "WEEK":
        return tuple((date.fromisocalendar(*bucketed, 1) + timedelta(days=7)).isocalendar())[:2]
    return bucketed + timedelta(days=1)


def in_range(value: float, span: Mapping[str, Any], upper: float | None) -> bool:
    low, high = span.get("min"), span.get("max")
    if low is not None and value < low:
        return False
    return high is None or value < high or (value == high and high == upper)


def nps_group(value: float) -> str:
    return "promoters" if value >= 9 else "detractors" if value <= 6 else "neutrals"


def qualifiers(dimensions: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Which TERMS or TOPICS dimension each TERMS_POLARITY dimension qualifies."""
    found: dict[int, int] = {}
    for i, dimension in enumerate(dimensions):
        if dimension["field"] != "TERMS_POLARITY":
            continue
        free = [j for j, d in enumerate(dimensions) if d["field"] in {"TERMS", "TOPICS"} and j not in found.values()]
        before = [j for j in free if j < i]
        if free:
            found[i] = before[-1] if before else free[0]
    return found


ENRICHED = {"TERMS", "TOPICS"}
TIMES = {"YEAR", "MONTH", "WEEK", "DAY"}


def keys_of(world: World, doc: Doc, dimensions: Sequence[Mapping[str, Any]], q: str | None) -> set[tuple[Any, ...]]:
    """Every combination of dimension values that the document lies in, one key a dimension."""
    tied = qualifiers(dimensions)
    choices: list[list[Any]] = []
    for i, dimension in enumerate(dimensions):
        name, group = dimension["field"], dimension["group"]
        if i in tied:
            choices.append([None])
        elif name in ENRICHED:
            choices.append(sorted(pairs_of(doc, name, q)))
        elif name == "TERMS_POLARITY":
            choices.append(sorted({p[2] for p in pairs_of(doc, "TERMS", q)}))
        else:
            value = value_of(doc, name)
            choices.append([] if value is None else single_keys(world, dimension, group, name, value))
    found = set()
    for combination in product(*choices):
        key = list(combination)
        for i, dimension in enumerate(dimensions):
            if i in tied:
                key[i] = combination[tied[i]][2]
            elif dimension["field"] in ENRICHED and not dimension["group"].startswith("POLARITY"):
                key[i] = combination[i][:2]
        if all(polarity_fits(d, combination[i], key[i]) for i, d in enumerate(dimensions)):
            found.add(tuple(key))
    return found


def polarity_fits(dimension: Mapping[str, Any], whole: Any, key: Any) -> bool:
    group = dimension["group"]
    if dimension["field"] == "TERMS_POLARITY":
        return group in {"DISTINCT", key}
    if group.startswith("POLARITY_") and group != "POLARITY_ALL":
        return whole[2] == group.removeprefix("POLARITY_")
    return True


def single_keys(world: World, dimension: Mapping[str, Any], group: str, name: str, value: Any) -> list[Any]:
    if group in TIMES:
        return [bucket(value, group)]
    if group == "RANGE":
        upper = world.uppers.get(name.removeprefix("metadata."))
        return [i for i, span in enumerate(dimension["ranges"]) if in_range(float(value), span, upper)]
    if group == "NPS_GROUP":
        return [nps_group(float(value))]
    return [float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value]


def listed(
    world: World,
    dimensions: Sequence[Mapping[str, Any]],
    i: int,
    docs: list[Doc],
    period: Mapping[str, Any] | None,
    q: str | None,
) -> list[Any]:
    """The keys of a dimension that the reply shows, in its order."""
    dimension = dimensions[i]
    name, group, limit = dimension["field"], dimension["group"], dimension.get("limit")
    if group == "RANGE":
        return list(range(len(dimension["ranges"])))[:limit]
    if group == "NPS_GROUP":
        return ["promoters", "neutrals", "detractors"][:limit]
    if group in TIMES:
        return time_keys(world, dimension, docs, period)[:limit]
    tied = qualifiers(dimensions)
    volume: dict[Any, int] = {}
    parents: dict[Any, int] = {}
    for doc in docs:
        for key in own_keys(world, doc, dimensions, i, q, tied):
            volume[key] = volume.get(key, 0) + 1
        if name in ENRICHED:
            for parent in {k[:2] for k in own_keys(world, doc, dimensions, i, q, tied)}:
                parents[parent] = parents.get(parent, 0) + 1
    if name == "TERMS_POLARITY":
        limit = limit if group == "DISTINCT" else None
        return sorted(volume, key=lambda k: (-volume[k], k))[: limit or 20]
    if name in ENRICHED:
        best = sorted(parents, key=lambda k: (-parents[k], k[1], k[0]))[: limit or 20]
        kept = [k for k in volume if k[:2] in best]
        return sorted(kept, key=lambda k: (-volume[k], k[1], k[0], k[2:]))
    return sorted(volume, key=lambda k: (-volume[k], plain_text(k) if isinstance(k, bool | str) else k))[: limit or 20]


def own_keys(
    world: World, doc: Doc, dimensions: Sequence[Mapping[str, Any]], i: int, q: str | None, tied: Mapping[int, int]
) -> set[Any]:
    """The document's keys of one dimension, with its qualifier's polarity in force."""
    dimension = dimensions[i]
    if dimension["field"] not in ENRICHED:
        name = "TERMS_POLARITY"
        if dimension["field"] != name:
            return {k[0] for k in keys_of(world, doc, [dimension], q)}
        source = dimensions[tied[i]]["field"] if i in tied else "TERMS"
        return {p[2] for p in pairs_of(doc, source, q) if polarity_fits(dimension, None, p[2])}
    pairs = pairs_of(doc, dimension["field"], q)
    qualifier = next((dimensions[j] for j, t in tied.items() if t == i), None)
    if qualifier is not None:
        pairs = {p for p in pairs if polarity_fits(qualifier, None, p[2])}
    pairs = {p for p in pairs if polarity_fits(dimension, p, p)}
    return pairs if dimension["group"].startswith("POLARITY") else {p[:2] for p in pairs}


def time_keys(
    world: World, dimension: Mapping[str, Any], docs: list[Doc], period: Mapping[str, Any] | None
) -> list[Any]:
    group = dimension["group"]
    seen = sorted(bucket(v, group) for d in docs if (v := value_of(d, dimension["field"])) is not None)
    first, last = (seen[0], seen[-1]) if seen else (None, None)
    if period is not None and period["field"] == dimension["field"]:
        if period.get("from"):
            first = bucket((instant(period["from"]) - EPOCH) // timedelta(milliseconds=1), group)
        if period.get("to"):
            last = bucket((instant(period["to"]) - EPOCH) // timedelta(milliseconds=1), group)
    if first is None or last is None:
        return []
    found = []
    while first <= last:
        found.append(first)
        first = next_bucket(first, group)
    return found


# -- values ----------------------------------------------------------------------------------------------------------


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


# -- the reply -------------------------------------------------------------------------------------------------------


def iso(ms: int) -> str:
    return at(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
