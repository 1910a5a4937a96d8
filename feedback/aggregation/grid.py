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
        """Groups of the combinations that may be shown, first dimension outermost, and the item each has by dimension.

        Up to 2**20 combinations all are given, the group of one that cannot occur being -1; beyond, those that occur.
        """
        places = [np.array([item.place for item in listed], np.int64) for listed in items]
        if prod(len(mine) for mine in places) > ENUMERABLE:
            return self._occurring(places, partial)
        index = np.indices([len(mine) for mine in places]).reshape(len(places), -1)
        groups, never = np.zeros(index.shape[1], np.int64), np.zeros(index.shape[1], np.bool_)
        for mine, step, at in zip(places, self.steps, index, strict=True):
            groups += mine[at] * step.stride
            never |= mine[at] < 0
        groups[never] = -1
        return groups, index.T

    def _occurring(self, places: Sequence[Ints], partial: Partial) -> tuple[Ints, Ints]:
        groups = np.flatnonzero(volumes(partial)) if partial.keys is None else partial.keys
        groups = groups[groups % (self.frame.inner + 1) < self.frame.inner]
        index = np.zeros((len(groups), len(places)), np.int64)
        for i, (mine, step) in enumerate(zip(places, self.steps, strict=True)):
            item_of = np.full(max(step.size, int(mine.max(initial=-1)) + 1), -1, np.int64)
            item_of[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
            index[:, i] = item_of[self._places(step, groups)]
        kept = (index >= 0).all(axis=1)
        groups, index = groups[kept], index[kept]
        order = np.lexsort(index.T[::-1])
        return groups[order], index[order]

    def _places(self, step: Step, groups: Ints) -> Ints:
        numbers = groups % (self.frame.inner + 1) if step.inner else groups
        return numbers // step.stride % step.size

    def marginal(self, place: int, partial: Partial) -> Ints:
        """Documents by slot of a dimension, whatever their values in the others; of frames without axes only."""
        held, step = volumes(partial), self.steps[place]
        if partial.keys is None:
            # Summing over two axes otherwise takes five times as long.
            slots: Ints = np.einsum("ijk->j", held[: self.frame.inner].reshape(-1, step.size, step.stride))
            return slots
        of = self._places(step, partial.keys)
        return np.bincount(of, weights=held, minlength=step.size).astype(np.int64)


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
