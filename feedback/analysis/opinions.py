"""Decides the opinion on a noun phrase from its evidence: a small linear model, the same for every language."""

import json
from functools import cache
from pathlib import Path
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from feedback.analysis.features import FEATURES, RELATIONS, SIGNS
from feedback.domain.document import Opinion

CLASSES = (Opinion.POSITIVE, Opinion.NEGATIVE, Opinion.NEUTRAL)
_ROW = Struct(f"={len(FEATURES)}d")
_AT_ONCE = 512
"""Rows: more would only take more memory."""
WEIGHTS = Path(__file__).parent / "lang" / "opinions.json"

Matrix = NDArray[np.float64]


@cache
def weights() -> Matrix:
    """The trained weights, features x classes; a feature that training did not know weighs nothing."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return np.array([stored.get(name, [0.0, 0.0, 0.0]) for name in FEATURES])


def forget() -> None:
    """Read the weights anew when they are next needed: training has written others."""
    weights.cache_clear()


def decide(rows: list[list[float]]) -> list[Opinion]:
    """The opinion on each node, from its row of evidence; the same whatever other rows there are."""
    return [opinion for n in range(0, len(rows), _AT_ONCE) for opinion in _decide(rows[n : n + _AT_ONCE])]


def _decide(rows: list[list[float]]) -> list[Opinion]:
    table: Matrix = np.frombuffer(b"".join([_ROW.pack(*row) for row in rows])).reshape(-1, len(FEATURES)).T.copy()
    # Features x classes x nodes, summed feature by feature: a product of matrices may add up in another order.
    praise, blame, neither = (table[:, np.newaxis] * weights()[..., np.newaxis]).sum(0)
    # Without evidence of praise nothing is praised, and without any of complaint nothing is complained about.
    praised, blamed = table[: len(RELATIONS)].any(0), table[len(RELATIONS) : SIGNS].any(0)
    positive = praised & (praise >= neither) & ((praise >= blame) | ~blamed)
    negative = blamed & (blame > neither)
    return [CLASSES[number] for number in np.where(positive, 0, np.where(negative, 1, 2)).tolist()]
