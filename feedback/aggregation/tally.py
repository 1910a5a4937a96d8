"""The second pass: figures of every combination of dimension values, from one segment, in as few sweeps as possible."""

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from feedback.aggregation.domains import Domain, Slots, slots
from feedback.aggregation.masks import Selection, holds, holds_any
from feedback.aggregation.partial import Partial
from feedback.aggregation.plan import Dimension, Measure, Plan
from feedback.aggregation.rules import Operation
from feedback.aggregation.snapshot import Part
from feedback.aggregation.spread import Axis, crossed, pairs_of
from feedback.aggregation.totals import add_extremes, add_floats, add_integers, presence
from feedback.store.segments.decode import Floating, Packed, Segment, Times
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Mask

DENSE = 1 << 22
MAX_BINS = 64


@dataclass(frozen=True, slots=True)
class Frame:
    """The groups of one period: `axes` outermost, then one slot more than values for each of `singles`, then rubbish."""

    axes: tuple[Axis, ...]
    singles: tuple[tuple[Dimension, Domain], ...]

    @property
    def inner(self) -> int:
        """Groups of the single-valued dimensions, slot 0 of each included."""
        return prod(domain.size + 1 for _, domain in self.singles)

    @property
    def outer(self) -> int:
        """Groups of the spread dimensions."""
        return prod(axis.size for axis in self.axes)

    @property
    def groups(self) -> int:
        """All groups; one more for each of the outer ones takes documents outside the population."""
        return self.outer * (self.inner + 1)

    @property
    def dense(self) -> bool:
        """Whether every group gets a place of its own, or only those that occur."""
        return self.groups * 16 <= DENSE


def nothing(frame: Frame) -> Partial:
    """The figures of no document."""
    return Partial(frame.groups, keys=None if frame.dense else np.zeros(0, np.int64))


def tally(part: Part, plan: Plan, frame: Frame, selection: Selection) -> Partial:
    """The figures of the selected documents of one segment."""
    if selection is False:
        return nothing(frame)
    if not frame.axes and not frame.singles:
        rows = None if isinstance(selection, bool) else np.flatnonzero(selection)
        return measured(part.segment, plan, rows, np.zeros(part.documents if rows is None else len(rows), np.int64), 2)
    cells = _cells(part, frame, selection)
    if not frame.axes:
        rows = None if isinstance(selection, bool) or frame.dense else np.flatnonzero(selection)
        return _count(part, plan, frame, rows, cells if rows is None else cells[rows])
    found = [pairs_of(part, plan, axis) for axis in frame.axes]
    width = frame.inner + 1
    if len(found) > 1:
        rows, places = crossed(found, [axis.size for axis in frame.axes], cells < frame.inner)
        return _count(part, plan, frame, rows, places * width + cells[rows])
    pairs = found[0]
    partial = _count(part, plan, frame, pairs.rows, pairs.places * width + cells[pairs.rows])
    if len(pairs.surplus_rows):
        surplus = pairs.surplus_places * width + cells[pairs.surplus_rows]
        _take_off(partial, _count(part, plan, frame, pairs.surplus_rows, surplus))
    return partial


def _cells(part: Part, frame: Frame, selection: Selection) -> Slots:
    """The inner group of each document; `frame.inner` for those outside the population."""
    cells: Slots | None = None
    for dimension, domain in frame.singles:
        found = slots(part.segment, dimension, domain)
        size = domain.size + 1
        if cells is not None:
            cells = cells * size
        if found is not None:
            cells = found.astype(np.int64) if cells is None else cells + found
        elif cells is None:
            cells = np.zeros(part.documents, np.int64)
    if cells is None:
        cells = np.zeros(part.documents, np.int64)
    return cells if isinstance(selection, bool) else np.where(selection, cells, frame.inner)


def _count(part: Part, plan: Plan, frame: Frame, rows: Array | None, codes: Slots) -> Partial:
    if frame.dense:
        return measured(part.segment, plan, rows, codes, frame.groups)
    inside = codes % (frame.inner + 1) < frame.inner
    rows = np.flatnonzero(inside) if rows is None else rows[inside]
    keys, places = np.unique(codes[inside], return_inverse=True)
    partial = measured(part.segment, plan, rows, places, len(keys))
    partial.keys = keys
    return partial


def _take_off(partial: Partial, surplus: Partial) -> None:
    """Undo what was counted twice; the least and the greatest are the same however often a value is seen."""
    sums = (surplus.volume, surplus.count, surplus.net, *surplus.sums.values(), *surplus.histograms.values())
    # The volume may be the very array that is the count: each array is turned once.
    for found in {id(array): array for array in sums if array is not None}.values():
        np.negative(found, out=found)
    bound = partial.bound
    partial.add(surplus)
    partial.bound = bound


def measured(segment: Segment, plan: Plan, rows: Array | None, codes: Slots, groups: int) -> Partial:
    """The figures by group code; rows None means every row of the segment in order."""
    measure = plan.measure
    column = segment.columns.get(measure.column)
    if measure.operation is Operation.COUNT or column is None:
        return _counted(segment, plan, column is None, rows, codes, groups)
    if isinstance(column, Packed) and column.high < MAX_BINS:
        return _histogram(column, rows, codes, groups)
    partial = Partial(groups, volume=np.bincount(codes, minlength=groups))
    match column:
        case Packed():
            add_integers(partial, measure.operation, column, rows, codes)
        case Floating():
            add_floats(partial, measure.operation, column, rows, codes)
        case Times():
            _add_times(partial, measure, column, rows, codes)
        case _:
            pass
    return partial


def _counted(segment: Segment, plan: Plan, bare: bool, rows: Array | None, codes: Slots, groups: int) -> Partial:
    volume = np.bincount(codes, minlength=groups)
    if plan.measure.always:
        return Partial(groups, volume=volume, count=volume)
    present: Selection = False if bare else has_field(segment, plan)
    if isinstance(present, bool):
        return Partial(groups, volume=volume, count=volume if present else np.zeros_like(volume))
    kept: Mask = present if rows is None else present[rows]
    return Partial(groups, volume=volume, count=np.bincount(codes[kept], minlength=groups))


def has_field(segment: Segment, plan: Plan) -> Selection:
    """The documents that have the measured field."""
    column = plan.measure.column
    if column in {"TERMS", "TOPICS"}:
        if column == "TERMS" and plan.matching is not None:
            return holds(segment, column, [code * 3 + opinion for code in plan.matching for opinion in range(3)])
        return holds_any(segment, column)
    return presence(segment.columns.get(column))


def _histogram(column: Packed, rows: Array | None, codes: Slots, groups: int) -> Partial:
    bins = -(-(column.high + 1) // 4) * 4
    stored = column.stored if rows is None else column.stored[rows]
    cells = np.bincount(codes * bins + stored, minlength=groups * bins).reshape(groups, bins)
    return Partial(groups, histograms={(column.base, column.scale, bins): cells})


def _add_times(partial: Partial, measure: Measure, times: Times, rows: Array | None, codes: Slots) -> None:
    epoch, stored = times.epoch(), times.day.stored
    if rows is not None:
        epoch, stored = epoch[rows], stored[rows]
    present = stored > 0
    add_extremes(partial, measure.operation, epoch[present].astype(np.float64), codes[present])
    partial.count = np.bincount(codes[present], minlength=partial.size)
