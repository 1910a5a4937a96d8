"""Where the group of each combination of dimension values lies among the groups that the kernel counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from feedback.aggregation.choices import Item
from feedback.aggregation.figures import volumes
from feedback.aggregation.frame import Frame
from feedback.aggregation.partial import Ints, Partial
from feedback.aggregation.plan import Dimension, Polarities

# More combinations than these are not enumerated: those that occur are read off the groups instead.
ENUMERABLE = 1 << 20


@dataclass(frozen=True, slots=True)
class Step:
    """How a place is found in a group's number: number (within the inner groups or not) // stride % size."""

    stride: int
    size: int
    inner: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A frame and the step of each dimension of the request, in its order."""

    frame: Frame
    steps: tuple[Step, ...]

    def combinations(self, items: Sequence[Sequence[Item]], partial: Partial) -> tuple[Ints, Ints]:
        """Groups of the combinations that may be shown, and the number of each among all, first dimension outermost.

        Up to 2**20 combinations all are given, the group of one that cannot occur being -1; beyond, those that occur.
        """
        places = [np.array([item.place for item in listed], np.int64) for listed in items]
        if prod(len(mine) for mine in places) > ENUMERABLE:
            return self._occurring(places, partial)
        groups, never = np.zeros(1, np.int64), np.zeros(1, np.bool_)
        for mine, step in zip(places, self.steps, strict=True):
            groups = np.add.outer(groups, mine * step.stride).ravel()
            never = np.logical_or.outer(never, mine < 0).ravel()
        groups[never] = -1
        return groups, np.arange(len(groups))

    def _occurring(self, places: Sequence[Ints], partial: Partial) -> tuple[Ints, Ints]:
        groups = np.flatnonzero(volumes(partial)) if partial.keys is None else partial.keys
        groups = groups[groups % (self.frame.inner + 1) < self.frame.inner]
        numbers, shown = np.zeros(len(groups), np.int64), np.ones(len(groups), np.bool_)
        for mine, step in zip(places, self.steps, strict=True):
            item_of = np.full(max(step.size, int(mine.max(initial=-1)) + 1), -1, np.int64)
            item_of[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
            items = item_of[self._places(step, groups)]
            numbers = numbers * len(mine) + items
            shown &= items >= 0
        groups, numbers = groups[shown], numbers[shown]
        order = np.argsort(numbers)
        return groups[order], numbers[order]

    def _places(self, step: Step, groups: Ints) -> Ints:
        numbers = groups % (self.frame.inner + 1) if step.inner else groups
        return numbers // step.stride % step.size

    def marginal(self, place: int, partial: Partial, held: Ints) -> Ints:
        """Documents by slot of a dimension, whatever their values in the others; of frames without axes only.

        `held`: the volumes of the partial's groups.
        """
        step = self.steps[place]
        if partial.keys is not None:
            of = self._places(step, partial.keys)
            return np.bincount(of, weights=held, minlength=step.size).astype(np.int64)
        # One dimension after the other: over several at once numpy takes five times as long.
        found = held[: self.frame.inner]
        for outer in self.steps[:place]:
            found = found.reshape(outer.size, -1).sum(axis=0)
        slots: Ints = found.reshape(step.size, step.stride).sum(axis=1)
        return slots


def grid_of(dimensions: Sequence[Dimension], frame: Frame, axes: Sequence[int], singles: Sequence[int]) -> Grid:
    """The grid of a frame; `axes` and `singles` say which dimension each of the frame's axes and singles is."""
    steps: dict[int, Step] = {}
    stride = 1
    for place, (_, domain) in reversed(list(zip(singles, frame.singles, strict=True))):
        steps[place] = Step(stride, domain.size + 1, inner=True)
        stride *= domain.size + 1
    stride = frame.inner + 1
    for place, axis in reversed(list(zip(axes, frame.axes, strict=True))):
        within = 1 if axis.polarities is None else len(axis.polarities.opinions)
        steps[place] = Step(stride * within, max(1, axis.domain.size), inner=False)
        for i, dimension in enumerate(dimensions):
            if isinstance(dimension, Polarities) and dimension.qualifies == place:
                steps[i] = Step(stride, within, inner=False)
        stride *= axis.size
    return Grid(frame, tuple(steps[i] for i in range(len(dimensions))))
