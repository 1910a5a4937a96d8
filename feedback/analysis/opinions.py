"""Decides the opinion on a noun phrase from its evidence: a small linear model, the same for every language."""

import json
from functools import cache
from operator import mul
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feedback.analysis.features import FEATURES, FLAGS, RELATIONS, SIGNS, SOURCES
from feedback.domain.document import Opinion

CLASSES = (Opinion.POSITIVE, Opinion.NEGATIVE, Opinion.NEUTRAL)
WEIGHTS = Path(__file__).parent / "lang" / "opinions.json"

Matrix = NDArray[np.float64]

_START = {
    "own": 1.6, "modifier": 3.0, "predicate": 3.0, "object": 2.2, "subject": 2.4, "near": 2.2, "linked": 1.8,
    "clause": 0.7, "back": 1.4, "sentence": 0.3, "before": 0.8, "document": 0.15,
    "against": 0.5,
}  # fmt: skip


def fixed() -> Matrix:
    """Weights set by hand: what training starts from, and what stands without it. Features x classes."""
    weights = np.zeros((len(FEATURES), len(CLASSES)))
    row = {name: n for n, name in enumerate(FEATURES)}
    for name in RELATIONS:
        weights[row[f"{name}+"], 0] = weights[row[f"{name}-"], 1] = _START[name]
    for name in SOURCES.values():
        weights[row[f"{name}+"], 0] = weights[row[f"{name}-"], 1] = -0.8
    weights[row["bias"]] = (-0.2, 0.0, 0.6)
    weights[row["silent"], 2] = 1.0
    weights[row["quiet"], 2] = 0.5
    weights[row["name_inner"], 2] = 0.8
    weights[row["question"], 2] = 0.4
    weights[row["condition"], 2] = 0.3
    assert len(FLAGS) < len(FEATURES)  # noqa: S101
    return weights


@cache
def weights() -> Matrix:
    """The trained weights, or the fixed ones if none were shipped."""
    if not WEIGHTS.exists():
        return fixed()
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return np.array([stored.get(name, [0.0, 0.0, 0.0]) for name in FEATURES])


@cache
def _columns() -> tuple[list[float], list[float], list[float]]:
    """The weights for praise, complaint and neither, a list each."""
    praise, blame, neither = weights().T.tolist()
    return praise, blame, neither


def forget() -> None:
    """Read the weights anew when they are next needed: training has written others."""
    weights.cache_clear()
    _columns.cache_clear()


def decide(rows: list[list[float]]) -> list[Opinion]:
    """The opinion on each node, from its row of evidence."""
    return [_decide(row) for row in rows]


def _decide(row: list[float]) -> Opinion:
    # Without a word of praise nothing is praised, and without one of complaint nothing is complained about.
    praised, blamed = any(row[: len(RELATIONS)]), any(row[len(RELATIONS) : SIGNS])
    if not praised and not blamed:
        return Opinion.NEUTRAL
    positive, negative, neutral = (sum(map(mul, row, column)) for column in _columns())
    if praised and positive >= neutral and (positive >= negative or not blamed):
        return Opinion.POSITIVE
    return Opinion.NEGATIVE if blamed and negative > neutral else Opinion.NEUTRAL
