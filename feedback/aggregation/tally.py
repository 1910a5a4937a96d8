"""The second pass: figures of every combination of dimension values, from one segment, in as few sweeps as possible."""

import numpy as np

from feedback.aggregation.bitwise import counted_in_bitmaps, worth_bitmaps
from feedback.aggregation.counting import sparse
from feedback.aggregation.domains import slots
from feedback.aggregation.figures import volumes
from feedback.aggregation.frame import Frame, Layout, nothing
from feedback.aggregation.measures import MAX_BINS, histogram_bins, measured, whole
from feedback.aggregation.partial import Partial
from feedback.aggregation.plan import Plan, Terms
from feedback.aggregation.rules import MAX_ITEMS, Operation
from feedback.aggregation.selection import Selection
from feedback.aggregation.snapshot import Part
from feedback.aggregation.spread import crossed, pairs_of
from feedback.store.segments.decode import Packed
from feedback.store.segments.layout import Array

# A histogram with more cells than these leaves the processor's nearest cache.
MAX_CELLS = 1 << 13
# Under this share of the documents, one in four, pairs are sorted out before they are counted.
FEW = 4

_KINDS: tuple[tuple[type[np.integer], int], ...] = (
    (np.uint8, 1 << 8),
    (np.uint16, 1 << 16),
    (np.int32, 1 << 31),
    (np.int64, 1 << 63),
)


def tally(part: Part, plan: Plan, frame: Frame, selection: Selection) -> Partial:
    """The figures of the selected documents of one segment."""
    if selection is False:
        return nothing(frame)
    if not frame.axes:
        return _tally_singles(part, plan, frame, selection)
    alone = volume_alone(plan, frame)
    if worth_bitmaps(part, plan, frame, selection, alone=alone):
        return counted_in_bitmaps(part, plan, frame, selection, alone=alone)
    if len(frame.axes) > 1:
        return _tally_crossed(part, plan, frame, selection)
    bins = _bins(part, plan, frame)
    cells = cells_of(part, frame, None, bins)
    if not isinstance(selection, bool):
        cells = np.where(selection, cells, cells.dtype.type(frame.inner * bins))
    pairs = pairs_of(part, plan, frame.axes[0])
    if isinstance(selection, np.ndarray) and sparse(selection, FEW):
        pairs = pairs.among(selection)
    width = (frame.inner + 1) * bins
    groups = np.repeat((pairs.held * width).astype(cells.dtype), pairs.times)
    groups += np.take(cells, pairs.rows)
    partial = _count(part, plan, frame, pairs.rows, groups, bins=bins)
    if len(pairs.surplus_rows):
        surplus = (pairs.surplus_places * width).astype(cells.dtype) + cells[pairs.surplus_rows]
        _take_off(partial, _count(part, plan, frame, pairs.surplus_rows, surplus, bins=bins))
    return partial


def _tally_crossed(part: Part, plan: Plan, frame: Frame, selection: Selection) -> Partial:
    bins = _bins(part, plan, frame)
    cells = cells_of(part, frame, None, bins)
    kept = np.ones(part.documents, np.bool_) if isinstance(selection, bool) else selection
    found = [pairs_of(part, plan, axis) for axis in frame.axes]
    tallied = nothing(frame)
    for rows, places in crossed(found, [axis.size for axis in frame.axes], kept):
        codes = places * ((frame.inner + 1) * bins) + cells[rows]
        tallied.add(_count(part, plan, frame, rows, codes, bins=bins))
        if overfull(frame, tallied):
            break
    return tallied


def overfull(frame: Frame, partial: Partial) -> bool:
    """Whether a reply would have to show more combinations than it may, whatever other documents hold.

    What is found of them is then as good as all: the reply is refused.
    """
    if len(frame.axes) < 2 or not frame.all_shown:
        return False
    held = volumes(partial)
    groups = np.flatnonzero(held) if partial.keys is None else partial.keys
    groups = groups[groups % (frame.inner + 1) < frame.inner]
    stride = frame.inner
    for _, domain in frame.singles:
        stride //= domain.size + 1
        groups = groups[groups % (frame.inner + 1) // stride % (domain.size + 1) > 0]
    return len(groups) > MAX_ITEMS


def _tally_singles(part: Part, plan: Plan, frame: Frame, selection: Selection) -> Partial:
    rows = None if isinstance(selection, bool) else np.flatnonzero(selection)
    if not frame.singles:
        return whole(part.segment, plan, rows)
    bins = _bins(part, plan, frame)
    return _count(part, plan, frame, rows, cells_of(part, frame, rows, bins), bins=bins)


def _bins(part: Part, plan: Plan, frame: Frame) -> int:
    """How many bins a group takes: those of a histogram where one is made, else 1."""
    column = part.segment.columns.get(plan.measure.column)
    if plan.measure.operation is Operation.COUNT or not frame.dense or not isinstance(column, Packed):
        return 1
    bins = histogram_bins(column)
    return bins if column.high < MAX_BINS and frame.groups * bins <= MAX_CELLS else 1


def volume_alone(plan: Plan, frame: Frame) -> bool:
    """Whether the value of each group is its volume: a COUNT of what every document of the group has."""
    held = any(
        isinstance(axis.dimension, Terms) and axis.dimension.column == plan.measure.column for axis in frame.axes
    )
    return plan.measure.operation is Operation.COUNT and (plan.measure.always or held)


def cells_of(part: Part, frame: Frame, rows: Array | None, bins: int) -> Array:
    """The inner group, times `bins`, of each of the rows (None: of every document), in 16 bits or as many as it takes.

    The innermost dimensions are put together first, in 8 bits while these hold them: half the bytes take half the time.
    """
    steps, kind = _layout(frame, bins)
    cells: Array | None = None
    for dimension, domain, stride, narrow in steps:
        found = slots(part.segment, dimension, domain, stride=stride, rows=rows, kind=narrow)
        if found is not None:
            cells = found if cells is None else np.add(found, cells, out=found)
    if cells is None:
        return np.zeros(part.documents if rows is None else len(rows), kind)
    return cells.astype(kind, copy=False)


def _layout(frame: Frame, bins: int) -> Layout:
    """The single-valued dimensions, the innermost first, with the stride of each; and the type of the whole."""
    found = frame.layouts.get(bins)
    if found is None:
        steps, stride = [], bins
        for dimension, domain in reversed(frame.singles):
            highest = stride * (domain.size + 1)
            steps.append((dimension, domain, stride, _narrowest(highest)))
            stride = highest
        # Also where no term was chosen, so that there are no groups, documents outside the population have theirs.
        kind = _narrowest(max(frame.groups, frame.inner + 1, 1 << 8) * bins)
        found = frame.layouts[bins] = tuple(steps), kind
    return found


def _narrowest(highest: int) -> type[np.integer]:
    """The narrowest of the types that hold `highest`."""
    return next(kind for kind, end in _KINDS if highest < end)


def _count(part: Part, plan: Plan, frame: Frame, rows: Array | None, codes: Array, *, bins: int) -> Partial:
    """Figures by code, which is the group times `bins`."""
    alone = volume_alone(plan, frame)
    if frame.dense:
        return measured(part.segment, plan, rows, codes, groups=frame.groups, bins=bins, alone=alone)
    inside = codes % (frame.inner + 1) < frame.inner
    rows = np.flatnonzero(inside) if rows is None else rows[inside]
    keys, places = np.unique(codes[inside].astype(np.int64), return_inverse=True)
    partial = measured(part.segment, plan, rows, places, groups=len(keys), alone=alone)
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
