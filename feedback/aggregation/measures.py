"""What is measured of documents whose groups are known: counts, histograms, sums and extremes by group."""

import numpy as np

from feedback.aggregation.counting import tallied
from feedback.aggregation.holders import holds, holds_any, keys_of
from feedback.aggregation.partial import Partial
from feedback.aggregation.plan import Measure, Plan
from feedback.aggregation.rules import Operation
from feedback.aggregation.selection import Selection
from feedback.aggregation.totals import add_extremes, add_floats, extreme_of_all, integers, presence
from feedback.store.segments.decode import Floating, Packed, Segment, Times
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Mask

MAX_BINS = 64


def histogram_bins(column: Packed) -> int:
    """The bins of a column's histogram, the missing value's included, in a number that is quick to multiply by."""
    return -(-(column.high + 1) // 4) * 4


def whole(segment: Segment, plan: Plan, rows: Array | None) -> Partial:
    """The figures of all rows together, in group 0 of 2; rows None means every row of the segment."""
    measure, documents = plan.measure, segment.documents if rows is None else len(rows)
    column = segment.columns.get(measure.column)
    if measure.operation is Operation.COUNT:
        volume = np.array([documents, 0])
        present: Selection = True if measure.always else has_field(segment, plan)
        if not isinstance(present, bool):
            count = np.array([np.count_nonzero(present if rows is None else np.take(present, rows)), 0])
        else:
            count = volume if present else np.zeros_like(volume)
        return Partial(2, volume=volume, count=count)
    if isinstance(column, Packed) and column.high < MAX_BINS:
        bins = histogram_bins(column)
        stored = column.stored if rows is None else np.take(column.stored, rows)
        cells = np.bincount(stored, minlength=2 * bins).reshape(2, bins)
        return Partial(2, histograms={(column.base, column.scale, bins): cells})
    if isinstance(column, Times):
        return extreme_of_all(measure.operation, column, rows, segment.documents)
    return measured(segment, plan, rows, np.zeros(documents, np.intp), groups=2)


def measured(
    segment: Segment,
    plan: Plan,
    rows: Array | None,
    codes: Array,
    *,
    groups: int,
    bins: int = 1,
    alone: bool = False,
) -> Partial:
    """The figures by group code; rows None means every row of the segment in order.

    Where `bins` is over 1, codes are multiplied by it, so that a score added to them makes the bin of a histogram.
    Where `alone`, the volume is all that is asked.
    """
    measure = plan.measure
    column = segment.columns.get(measure.column)
    if bins > 1 and isinstance(column, Packed):
        return _histogram(column, rows, codes, groups, bins)
    if measure.operation is Operation.COUNT or column is None:
        return _counted(segment, plan, rows, codes, groups, alone=alone)
    match column:
        case Packed():
            return integers(measure.operation, column, rows, codes, groups)
        case Floating():
            partial = Partial(groups, volume=np.bincount(codes, minlength=groups))
            add_floats(partial, measure.operation, column, rows, codes)
            return partial
        case Times():
            partial = Partial(groups, volume=np.bincount(codes, minlength=groups))
            _add_times(partial, measure, column, rows, codes)
            return partial
        case _:
            return Partial(groups, volume=np.bincount(codes, minlength=groups))


def _counted(segment: Segment, plan: Plan, rows: Array | None, codes: Array, groups: int, *, alone: bool) -> Partial:
    volume = tallied(codes, groups)
    if alone or plan.measure.always:
        return Partial(groups, volume=volume, count=volume)
    present: Selection = has_field(segment, plan)
    if isinstance(present, bool):
        return Partial(groups, volume=volume, count=volume if present else np.zeros_like(volume))
    kept: Mask = present if rows is None else np.take(present, rows)
    return Partial(groups, volume=volume, count=np.bincount(codes, weights=kept, minlength=groups).astype(np.int64))


def has_field(segment: Segment, plan: Plan) -> Selection:
    """The documents that have the measured field."""
    column = plan.measure.column
    if column in {"TERMS", "TOPICS"}:
        if column == "TERMS" and plan.matching is not None:
            return holds(segment, column, keys_of(plan.matching))
        return holds_any(segment, column)
    return presence(segment.columns.get(column))


def _histogram(column: Packed, rows: Array | None, codes: Array, groups: int, bins: int) -> Partial:
    codes += column.stored if rows is None else np.take(column.stored, rows)
    cells = np.bincount(codes, minlength=groups * bins).reshape(groups, bins)
    return Partial(groups, histograms={(column.base, column.scale, bins): cells})


def _add_times(partial: Partial, measure: Measure, times: Times, rows: Array | None, codes: Array) -> None:
    epoch, stored = times.epoch(), times.day.stored
    if rows is not None:
        epoch, stored = epoch[rows], stored[rows]
    present = stored > 0
    add_extremes(partial, measure.operation, epoch[present].astype(np.float64), codes[present])
    partial.count = np.bincount(codes[present], minlength=partial.size)
