"""The reply's JSON, with the field names and the strings of the request put back."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, product, starmap
from math import prod
from typing import Any

import msgspec
import numpy as np

from feedback.aggregation.answer import PeriodAnswer
from feedback.aggregation.choices import Item
from feedback.aggregation.figures import Value
from feedback.aggregation.partial import Ints
from feedback.aggregation.plan import Dimension, Plan, Polarities
from feedback.aggregation.rules import MAX_DIMENSIONS, POLARITY_WORDS, Operation
from feedback.aggregation.snapshot import Snapshot
from feedback.domain.timestamps import to_iso

# Where less than one combination in so many is shown, those that are are looked up one by one.
FEW = 4


class Row(msgspec.Struct, gc=False, frozen=True):
    """The figures of one combination, and a struct of the JSON of its values, which many rows share.

    Dicts and lists in their place would be looked through by the garbage collector over and over while they are made.
    """

    value: Value
    volume: int
    dimensions: msgspec.Struct


_VALUES = [
    msgspec.defstruct(f"Values{n}", [f"value{i}" for i in range(n)], array_like=True, gc=False, frozen=True)
    for n in range(MAX_DIMENSIONS + 1)
]


def make_reply(
    echo: Mapping[str, Any],
    periods: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    plan: Plan,
    answers: Sequence[PeriodAnswer],
) -> dict[str, Any]:
    """The whole reply, to be encoded as JSON; `names` are the dimensions' fields."""
    told = [_period(sent, names, plan, answer) for sent, answer in zip(periods, answers, strict=True)]
    return {**echo, "periods": told}


def implicit_period(snapshot: Snapshot) -> dict[str, Any]:
    """The period that is meant when none is sent: from the dataset's first createdAt to its last."""
    if snapshot.created is None:
        return {"field": "createdAt", "from": None, "to": None}
    first, last = snapshot.created
    return {"field": "createdAt", "from": to_iso(first), "to": to_iso(last)}


def _period(sent: Mapping[str, Any], names: Sequence[str], plan: Plan, answer: PeriodAnswer) -> dict[str, Any]:
    operation = plan.measure.operation
    total = {"value": answer.total.values(operation)[0], "volume": int(answer.total.volume[0])}
    values: list[Row] = []
    if plan.dimensions:
        rows, told = answer.rows, _combinations(names, plan.dimensions, answer)
        measured = rows.values(operation)
        # Where both are the same, each number is made once.
        volumes = measured if operation is Operation.COUNT and rows.count is rows.volume else rows.volume.tolist()
        values = list(map(Row, measured, volumes, told))
    return {"period": dict(sent), "total": total, "values": values}


def _combinations(
    names: Sequence[str], dimensions: Sequence[Dimension], answer: PeriodAnswer
) -> Iterator[msgspec.Struct]:
    """The dimension values of each combination."""
    sizes = [len(items) for items in answer.items]
    values, total, at = _VALUES[len(sizes)], prod(sizes), answer.combinations
    qualified = any(isinstance(d, Polarities) and d.qualifies is not None for d in dimensions)
    if qualified or len(at) * FEW < total:
        return map(values, *_columns(names, dimensions, answer.items, np.unravel_index(at, sizes)))
    told = [
        [_told(name, item, item.polarity) for item in items] for name, items in zip(names, answer.items, strict=True)
    ]
    # Going through all of them in order takes half the time of looking each one's values up.
    combined = product(*told)
    if len(at) == total:
        return starmap(values, combined)
    shown = np.zeros(total, np.bool_)
    shown[at] = True
    return starmap(values, compress(combined, shown.tobytes()))


def _columns(
    names: Sequence[str], dimensions: Sequence[Dimension], listed: Sequence[Sequence[Item]], index: Sequence[Ints]
) -> list[Iterator[msgspec.Raw]]:
    """The values of combinations, dimension by dimension, from the place of each one's item."""
    columns: list[Iterator[msgspec.Raw]] = []
    for i, (name, items) in enumerate(zip(names, listed, strict=True)):
        at = index[i]
        told = [_told(name, item, item.polarity) for item in items]
        for other, dimension in enumerate(dimensions):
            if isinstance(dimension, Polarities) and dimension.qualifies == i:
                opinions = [POLARITY_WORDS[dimension.opinions[item.place]] for item in listed[other]]
                told = [_told(name, item, opinion) for item in items for opinion in opinions]
                at = at * len(opinions) + index[other]
        columns.append(map(told.__getitem__, at.tolist()))
    return columns


def _told(name: str, item: Item, polarity: str | None) -> msgspec.Raw:
    told = {"field": name, "value": item.value}
    if item.id is not None:
        told["id"] = item.id
    if polarity is not None:
        told["polarity"] = polarity
    return msgspec.Raw(msgspec.json.encode(told))
