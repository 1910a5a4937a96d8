"""Tells of a noun how readily feedback judges it: breakfasts and staff are judged, husbands and Tuesdays mentioned.

Words are known by checksums in one table for all languages, so that a hundred thousand of them are two small arrays.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis.pieces import checksum

TABLE = Path(__file__).parent / "lang" / "aspects.npz"
STEPS = 32
"""Into how many steps one unit of the logarithm of the odds is divided."""


class Aspects(NamedTuple):
    """The checksums of the known words, sorted, and of each the log-odds that feedback judges it, in steps."""

    checks: NDArray[np.uint32]
    scores: NDArray[np.int8]

    def readiness(self, words: Iterable[str]) -> float:
        """The log-odds that feedback judges what the first known one of some words names; 0 where none is known."""
        for word in words:
            check = checksum(word)
            n = int(np.searchsorted(self.checks, check))
            if n < len(self.checks) and self.checks[n] == check:
                return float(self.scores[n]) / STEPS
        return 0.0


@cache
def known() -> Aspects:
    """The table that is shipped; an empty one where none is."""
    if not TABLE.exists():
        return Aspects(np.zeros(0, np.uint32), np.zeros(0, np.int8))
    with np.load(TABLE, allow_pickle=False) as stored:
        return Aspects(stored["checks"], stored["scores"])


def forget() -> None:
    """Read the table anew when it is next needed: training has written another."""
    known.cache_clear()
