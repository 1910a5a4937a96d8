"""The reply's JSON, with the field names and the strings of the request put back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from feedback.aggregation.answer import PeriodAnswer
from feedback.aggregation.choices import Item
from feedback.aggregation.plan import Dimension, Plan, Polarities
from feedback.aggregation.rules import POLARITY_WORDS
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
    total = {"value": answer.total.values(operation)[0], "volume": int(answer.total.volume[0])}
    rows = zip(
        answer.rows.values(operation),
        answer.rows.volume.tolist(),
        _combinations(names, plan.dimensions, answer),
        strict=True,
    )
    values = [{"value": value, "volume": volume, "dimensions": told} for value, volume, told in rows]
    return {"period": dict(sent), "total": total, "values": values}


def _combinations(
    names: Sequence[str], dimensions: Sequence[Dimension], answer: PeriodAnswer
) -> Iterator[list[dict[str, Any]]]:
    """The dimension values of each combination. Combinations share the objects of the values that they share."""
    told = [[_told(name, item) for item in items] for name, items in zip(names, answer.items, strict=True)]
    columns = [
        _qualified(i, dimensions, answer, listed) or map(listed.__getitem__, answer.combinations[:, i].tolist())
        for i, listed in enumerate(told)
    ]
    return map(list, zip(*columns, strict=True))


def _qualified(
    place: int, dimensions: Sequence[Dimension], answer: PeriodAnswer, told: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]] | None:
    """The values of a dimension with the polarity of the dimension that qualifies it, None where none does."""
    for other, dimension in enumerate(dimensions):
        if isinstance(dimension, Polarities) and dimension.qualifies == place:
            opinions = [POLARITY_WORDS[dimension.opinions[item.place]] for item in answer.items[other]]
            pairs = answer.combinations[:, [place, other]].tolist()
            return ({**told[mine], "polarity": opinions[theirs]} for mine, theirs in pairs)
    return None


def _told(name: str, item: Item) -> dict[str, Any]:
    told = {"field": name, "value": item.value}
    if item.id is not None:
        told["id"] = item.id
    if item.polarity is not None:
        told["polarity"] = item.polarity
    return told
