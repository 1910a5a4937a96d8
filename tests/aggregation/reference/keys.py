"""The combinations of dimension values that a document lies in."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from tests.aggregation.reference.buckets import bucket, in_range, nps_group
from tests.aggregation.reference.documents import Doc, World, pairs_of, value_of


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
        return bool(whole[2] == group.removeprefix("POLARITY_"))
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
