# ruff: noqa: PLR0917 -- plain functions of plain arguments are the point of a reference.
"""Which values of a dimension the reply shows, and in which order."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from tests.aggregation.reference.buckets import bucket, next_bucket, plain_text
from tests.aggregation.reference.documents import EPOCH, Doc, World, instant, pairs_of, value_of
from tests.aggregation.reference.keys import ENRICHED, TIMES, keys_of, polarity_fits, qualifiers


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
