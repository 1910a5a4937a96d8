"""Which dimensions of a question have a place for each value from the start, and which are surveyed first."""

from collections.abc import Mapping
from functools import cached_property
from math import prod

import numpy as np

from feedback.aggregation.choices import overlap
from feedback.aggregation.cube import FULL, MOST_GROUPS, summable
from feedback.aggregation.partial import Ints
from feedback.aggregation.plan import (
    Buckets,
    Categories,
    CodeIn,
    Condition,
    Dimension,
    Every,
    NpsGroups,
    Numbers,
    Plan,
    Polarities,
    Ranges,
    Terms,
    Window,
)
from feedback.aggregation.snapshot import Snapshot
from feedback.aggregation.timeline import MAX_CONTIGUOUS, Stretch, bucket_range

# More groups than these leave the processor's nearest caches: then the values of large dimensions are chosen first.
CUBE = 1 << 13


class Places:
    """The places of one plan's dimensions in one snapshot."""

    def __init__(self, plan: Plan, snapshot: Snapshot) -> None:
        """Nothing is counted for it: outlines say all."""
        self.plan = plan
        self.snapshot = snapshot
        self.spread = any(is_spread(d) for d in plan.dimensions)
        self.pinned = {d.column: pinned(plan.condition, d.column) for d in plan.dimensions if isinstance(d, Categories)}

    def stretches(self, window: Window | None) -> dict[int, Stretch]:
        """The buckets of each dimension of time in a period."""
        timed = ((i, d) for i, d in enumerate(self.plan.dimensions) if isinstance(d, Buckets))
        return {i: bucket_range(self.snapshot, d, window) for i, d in timed}

    def laid_out(self, window: Window | None, stretches: Mapping[int, Stretch]) -> frozenset[int]:
        """The dimensions that need no survey in a period."""
        sizes = {i: self.size(d, stretches.get(i)) for i, d in enumerate(self.plan.dimensions)}
        known = {i: size for i, size in sizes.items() if size is not None}
        if self.spread:
            # Only where every document has one place can it be read off the counts which values there are.
            known = {i: 1 for i in stretches if i in known and self._bounded(self.plan.dimensions[i], window)}
        while prod(known.values()) > self._most and (surveyable := [i for i in known if self._narrows(i, known[i])]):
            del known[max(surveyable, key=known.__getitem__)]
        return frozenset(known)

    @cached_property
    def _most(self) -> int:
        """How many groups are laid out at most before the values of large dimensions are chosen."""
        documents = self.snapshot.documents
        if self.spread or not summable(self.plan.measure, self.snapshot.column(self.plan.measure.column), documents):
            return CUBE
        return max(CUBE, min(MOST_GROUPS, documents // FULL))

    def _narrows(self, place: int, size: int) -> bool:
        """Whether choosing a dimension's values first leaves fewer groups."""
        dimension = self.plan.dimensions[place]
        return isinstance(dimension, Categories | Numbers) and dimension.limit + 1 < size

    @staticmethod
    def _bounded(dimension: Dimension, window: Window | None) -> bool:
        """Whether the period says by itself which buckets of a dimension are listed."""
        own = isinstance(dimension, Buckets) and window is not None and window.column == dimension.column
        return own and window is not None and window.low is not None and window.high is not None

    def size(self, dimension: Dimension, stretch: Stretch | None) -> int | None:
        """The slots of a dimension whose values need no survey, None where one is needed."""
        match dimension:
            case Categories():
                codes = self.pinned[dimension.column]
                return self.snapshot.column(dimension.column).codes if codes is None else len(codes) + 1
            case Numbers():
                scores = self.snapshot.column(dimension.column).scores
                return None if scores is None else scores[2] + 1
            case Buckets() if stretch is not None:
                size = max(0, stretch.last - stretch.first + 1)
                return size + 1 if size <= MAX_CONTIGUOUS else None
            case Ranges() if not overlap(dimension):
                return len(dimension.spans) + 1
            case NpsGroups():
                return 4
            case _:
                return None


def is_spread(dimension: Dimension) -> bool:
    """Whether one document may have several values of it."""
    return isinstance(dimension, Terms | Polarities) or (isinstance(dimension, Ranges) and overlap(dimension))


def pinned(condition: Condition | None, column: str) -> Ints | None:
    """The codes that the query leaves of a column, ascending; None where it leaves them all."""
    leaves = condition.conditions if isinstance(condition, Every) else (condition,)
    found = [leaf.codes for leaf in leaves if isinstance(leaf, CodeIn) and leaf.column == column]
    return np.array(sorted(set(found[0]).intersection(*found[1:])), np.int64) if found else None
