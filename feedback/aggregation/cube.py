"""Counts and sums of many groups, added up in place from segment to segment instead of being made anew for each.

A group's cell holds both at once: how many values fell into it, above all bits that their sum can reach, and the sum.
So the values of large dimensions need not be chosen before they are counted.
"""

from collections.abc import Sequence

import numpy as np

from feedback.aggregation.columns import Column, Reach, column_of
from feedback.aggregation.frame import Frame
from feedback.aggregation.measures import MAX_BINS
from feedback.aggregation.partial import SAFE, Ints, Partial
from feedback.aggregation.plan import Measure, Plan
from feedback.aggregation.selection import Selection
from feedback.aggregation.snapshot import Part
from feedback.aggregation.tally import MAX_CELLS, cells_of
from feedback.aggregation.totals import SUMMED
from feedback.store.segments.decode import Packed
from feedback.store.segments.encode import MAX_DOCUMENTS
from feedback.store.segments.layout import Array

# Cells of 8 bytes, so many of which lie in a core's own cache.
MOST_GROUPS = 1 << 16
# With fewer documents a group, going through the cells takes longer than filling them.
FULL = 4


def summable(measure: Measure, column: Column, documents: int) -> bool:
    """Whether a cube can take a measure of a column over so many documents."""
    reach = column.reach if measure.operation in SUMMED else None
    return reach is not None and reach.room(documents) > 0


class Cube:
    """The figures of one frame without axes, over any number of segments."""

    def __init__(self, plan: Plan, frame: Frame, reach: Reach, documents: int) -> None:
        """`documents`: how many there are to come, at most."""
        self.plan, self.frame, self.reach = plan, frame, reach
        self.room = reach.room(documents)
        self.bits = reach.bits(self.room)
        self._held = 0
        self._cells: Ints = np.zeros(frame.groups, np.int64)
        self._without: Ints | None = None
        self._told = Partial(frame.groups)
        # Each segment's, one after the other: fresh memory would have to be fetched first.
        self._codes, self._weights = np.empty(MAX_DOCUMENTS, np.intp), np.empty(MAX_DOCUMENTS, np.int64)

    def take(self, part: Part, selection: Selection) -> None:
        """Add the selected documents of one segment."""
        if selection is False:
            return
        if self._held + part.documents > self.room:
            self._empty()
            self._cells[:] = 0
        self._held += part.documents
        rows = None if isinstance(selection, bool) else np.flatnonzero(selection)
        codes = _filled(self._codes, cells_of(part, self.frame, rows, 1))
        column = part.segment.packed(self.plan.measure.column)
        if column is None:
            self._lacking(codes)
        else:
            stored = column.stored if rows is None else np.take(column.stored, rows)
            np.add.at(self._cells, codes, self._weigh(column, stored, codes))

    def _weigh(self, column: Packed, stored: Array, codes: Array) -> Ints:
        """What each document adds to its cell: one, above the bits of the sum, and its distance from the lowest."""
        weights: Ints = _filled(self._weights, stored)
        weights += (1 << self.bits) + (column.base - 1 - self.reach.lowest)
        if column.missing:
            missing = np.flatnonzero(stored == 0)
            weights[missing] = 0
            self._lacking(np.take(codes, missing))
        return weights

    def _lacking(self, codes: Array) -> None:
        """Note documents that have no value to be summed."""
        found = np.bincount(codes, minlength=self.frame.groups)
        self._without = found if self._without is None else np.add(self._without, found, out=self._without)

    def _empty(self) -> None:
        """Tell what the cells hold."""
        count, sums = self._cells >> self.bits, self._cells & ((1 << self.bits) - 1)
        volume = count if self._without is None else count + self._without
        partial = Partial(self.frame.groups, volume=volume, count=count)
        partial.bound = max(abs(self.reach.lowest), abs(self.reach.highest)) * self._held
        kind = object if partial.bound >= SAFE else np.int64
        sums = sums.astype(kind, copy=False)
        if self.reach.lowest:
            sums += count.astype(kind, copy=False) * self.reach.lowest
        partial.sums[self.reach.scale] = sums
        self._told.add(partial)
        self._held, self._without = 0, None

    def partial(self) -> Partial:
        """The figures of all documents taken."""
        self._empty()
        return self._told


def _filled(room: Array, values: Array) -> Array:
    """The beginning of some room, with the values in it."""
    found = room[: len(values)]
    found[...] = values
    return found


def cube_of(parts: Sequence[Part], plan: Plan, frame: Frame) -> Cube | None:
    """A cube for a frame over some parts; None where it is counted otherwise."""
    if frame.axes or not frame.singles or frame.groups > MOST_GROUPS or plan.measure.operation not in SUMMED:
        return None
    reach = column_of((part.outline for part in parts), plan.measure.column).reach
    documents = sum(part.documents for part in parts)
    if reach is None or not reach.room(documents):
        return None
    # Histograms of few scores in few groups take less time.
    bins = reach.highest - reach.lowest + 2
    return None if bins <= MAX_BINS and frame.groups * bins <= MAX_CELLS else Cube(plan, frame, reach, documents)
