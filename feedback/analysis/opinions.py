"""Decides the opinion on a noun phrase from its evidence: a small linear model, the same for every language."""

import json
from functools import cache
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feedback.analysis.features import FEATURES, RELATIONS, SIGNS
from feedback.domain.document import Opinion

CLASSES = (Opinion.POSITIVE, Opinion.NEGATIVE, Opinion.NEUTRAL)
WEIGHTS = Path(__file__).parent / "lang" / "opinions.json"

Matrix = NDArray[np.float64]


@cache
def weights() -> Matrix:
    """The trained weights, features x classes; a feature that training did not know weighs nothing."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return np.array([stored.get(name, [0.0, 0.0, 0.0]) for name in FEATURES])


@cache
def _table() -> list[tuple[float, float, float]]:
    """For each feature its weights for praise, complaint and neither."""
    return [(praise, blame, neither) for praise, blame, neither in weights().tolist()]


def forget() -> None:
    """Read the weights anew when they are next needed: training has written others."""
    weights.cache_clear()
    _table.cache_clear()


def decide(rows: list[list[float]]) -> list[Opinion]:
    """The opinion on each node, from its row of evidence."""
    table = _table()
    return [_decide(row, table) for row in rows]


def _decide(row: list[float], table: list[tuple[float, float, float]]) -> Opinion:
    # Without a word of praise nothing is praised, and without one of complaint nothing is complained about.
    praised, blamed = any(row[: len(RELATIONS)]), any(row[len(RELATIONS) : SIGNS])
    if not praised and not blamed:
        return Opinion.NEUTRAL
    positive = negative = neutral = 0.0
    # Most of a row is zero.
    for value, (praise, blame, neither) in compress(zip(row, table, strict=True), row):
        positive += value * praise
        negative += value * blame
        neutral += value * neither
    if praised and positive >= neutral and (positive >= negative or not blamed):
        return Opinion.POSITIVE
    return Opinion.NEGATIVE if blamed and negative > neutral else Opinion.NEUTRAL
