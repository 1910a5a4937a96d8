"""The reply's JSON, with the field names and the strings of the request put back."""

from collections.abc import Mapping, Sequence
from typing import Any

from feedback.aggregation.answer import PeriodAnswer
from feedback.aggregation.choices import Item
from feedback.aggregation.figures import Figures
from feedback.aggregation.plan import Dimension, Plan, Polarities
from feedback.aggregation.rules import POLARITY_WORDS, Operation
from feedback.aggregation.snapshot import Snapshot
from feedback.domain.timestamps import to_iso


def make_reply(
    echo: Mapping[str, Any],
    periods: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    plan: Plan,
    answers: Sequence[PeriodAnswer],
) -> dict[str, Any]:
    """The whole reply; `names` are the dimensions' fields."""
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
    values = [
        {**_figures(answer.rows, row, operation), "dimensions": _dimensions(names, plan.dimensions, answer, chosen)}
        for row, chosen in enumerate(answer.combinations)
    ]
    return {"period": dict(sent), "total": _figures(answer.total, 0, operation), "values": values}


def _figures(found: Figures, row: int, operation: Operation) -> dict[str, Any]:
    return {"value": found.value(row, operation), "volume": int(found.volume[row])}


def _dimensions(
    names: Sequence[str], dimensions: Sequence[Dimension], answer: PeriodAnswer, chosen: Sequence[int]
) -> list[dict[str, Any]]:
    items = [listed[place] for listed, place in zip(answer.items, chosen, strict=True)]
    told = [_told(name, item) for name, item in zip(names, items, strict=True)]
    for dimension, item in zip(dimensions, items, strict=True):
        if isinstance(dimension, Polarities) and dimension.qualifies is not None:
            told[dimension.qualifies]["polarity"] = POLARITY_WORDS[dimension.opinions[item.place]]
    return told


def _told(name: str, item: Item) -> dict[str, Any]:
    told = {"field": name, "value": item.value}
    if item.id is not None:
        told["id"] = item.id
    if item.polarity is not None:
        told["polarity"] = item.polarity
    return told
