"""How many documents have each of many numbers, where there is no counter for each number that there might be."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from feedback.aggregation.partial import Ints
from feedback.store.segments.layout import Array

Doubles = npt.NDArray[np.float64]
Run = tuple[Doubles, Ints]
"""Numbers in ascending order, each once, and how many documents have each."""

_NONE: Run = (np.zeros(0), np.zeros(0, np.int64))


@dataclass(slots=True)
class NumberCounts:
    """Runs of numbers, each more than twice as long as the next, so that a number is put in order but a few times."""

    runs: list[Run] = field(default_factory=list)

    def take(self, run: Run) -> None:
        """Add a run."""
        while self.runs and 2 * len(run[0]) >= len(self.runs[-1][0]):
            run = _merged(self.runs.pop(), run)
        self.runs.append(run)

    def add(self, other: "NumberCounts") -> None:
        """Take in what was found elsewhere."""
        for run in other.runs:
            self.take(run)

    def whole(self) -> Run:
        """All numbers and their counts."""
        found = _NONE
        for run in reversed(self.runs):
            found = _merged(found, run)
        return found

    @property
    def nbytes(self) -> int:
        """The bytes that they take."""
        return sum(numbers.nbytes + counts.nbytes for numbers, counts in self.runs)


def distinct_counts(values: Array) -> tuple[Array, Ints]:
    """The values that occur, ascending, and how often each does."""
    ordered = np.sort(values)
    first = np.flatnonzero(_changes(ordered))
    return ordered[first], np.diff(first, append=len(ordered))


def _merged(left: Run, right: Run) -> Run:
    numbers, counts = np.concatenate([left[0], right[0]]), np.concatenate([left[1], right[1]])
    # A stable sort finds that there are two runs, and merges them.
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    first = np.flatnonzero(_changes(numbers))
    return numbers[first], np.add.reduceat(counts[order], first) if len(first) else counts


def _changes(ordered: Array) -> npt.NDArray[np.bool_]:
    """Which values differ from the one before them."""
    changes = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes
