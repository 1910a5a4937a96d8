"""Combinations of several terms counted in bitmaps, 64 documents at a time; sums are counted bit by bit."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from feedback.aggregation.counting import Words, bitmaps_at, ones, words
from feedback.aggregation.domains import Slots
from feedback.aggregation.frame import Frame
from feedback.aggregation.holders import runs
from feedback.aggregation.measures import has_field
from feedback.aggregation.partial import SAFE, Ints, Partial
from feedback.aggregation.plan import Plan, Terms
from feedback.aggregation.rules import MAX_ITEMS, Operation
from feedback.aggregation.selection import Selection
from feedback.aggregation.snapshot import Part
from feedback.aggregation.spread import Axis, Pairs, pairs_of, wanted_keys
from feedback.aggregation.totals import SUMMED, bound_of, nps_edges
from feedback.store.segments.bitmaps import words_of
from feedback.store.segments.decode import Packed, Postings
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Mask

MAX_BITMAPS = 300
# So many words of bitmaps are counted in the time that it takes to make one combination of a document's terms.
WORDS = 20


def worth_bitmaps(part: Part, plan: Plan, frame: Frame, selection: Selection, *, alone: bool) -> bool:
    """Whether bitmaps say it, and sooner than making every combination that the selected documents have.

    `alone`: the volume is all that is asked.
    """
    axes = frame.axes
    if len(axes) < 2 or frame.singles or frame.outer > MAX_ITEMS or max(axis.size for axis in axes) > MAX_BITMAPS:
        return False
    counted = _sweeps(part, plan, alone=alone) * frame.outer * words_of(part.documents)
    made: float = part.documents if isinstance(selection, bool) else int(np.count_nonzero(selection))
    if _all_same(axes):
        made *= (_mentions(part, axes[0]) / part.documents) ** len(axes)
        counted //= factorial(len(axes))
    else:
        made *= prod(_mentions(part, axis) / part.documents for axis in axes)
    return 0 < counted < made * WORDS


def _sweeps(part: Part, plan: Plan, *, alone: bool) -> int:
    """How often all combinations are counted, each time among other documents; 0 where bitmaps do not say it."""
    column, operation = part.segment.columns.get(plan.measure.column), plan.measure.operation
    if alone or operation is Operation.COUNT or column is None:
        return 1 if alone else 2
    if not isinstance(column, Packed) or bound_of(column, part.documents) >= SAFE:
        return 0
    if operation is Operation.NPS:
        return 4
    return 2 + column.high.bit_length() if operation in SUMMED else 0


def _mentions(part: Part, axis: Axis) -> int:
    """How many places of an axis the documents of a segment have, all together; about as many for other than terms."""
    if not isinstance(axis.dimension, Terms):
        return part.documents
    postings = part.segment.postings(axis.dimension.column)
    if postings is None:
        return 0
    positions = postings.positions(wanted_keys(axis)[0])
    positions = positions[positions >= 0]
    return int((postings.starts[positions + 1].astype(np.int64) - postings.starts[positions]).sum())


def _all_same(axes: Sequence[Axis]) -> bool:
    return all(axes[0].same_as(axis) for axis in axes[1:])


def counted_in_bitmaps(part: Part, plan: Plan, frame: Frame, selection: Selection, *, alone: bool) -> Partial:
    """The figures of the selected documents of one segment, where that is worth it."""
    same, depth = _all_same(frame.axes), len(frame.axes)
    maps = [membership(part, plan, axis) for axis in (frame.axes[:1] if same else frame.axes)]
    if not isinstance(selection, bool):
        maps[0] &= words(selection)

    def counted(among: Selection) -> Ints:
        """How many documents of a mask each group has."""
        cells = np.zeros((frame.outer, frame.inner + 1), np.int64)
        if among is not False:
            first = maps[0] if among is True else maps[0] & words(among)
            cells[:, 0] = alike_counts(first, depth) if same else common_counts(first, *maps[1:])
        return cells.ravel()

    volume = counted(among=True)
    partial = Partial(frame.groups, volume=volume, count=volume)
    column, operation = part.segment.columns.get(plan.measure.column), plan.measure.operation
    if alone or operation is Operation.COUNT or not isinstance(column, Packed):
        present = alone or has_field(part.segment, plan)
        partial.count = volume if present is True else counted(present)
        return partial
    count = partial.count = counted(column.stored > 0) if column.missing else volume
    if operation is Operation.NPS:
        detractor, promoter = nps_edges(column)
        detractors = (column.stored > 0) & (column.stored <= detractor)
        partial.net = counted(column.stored >= promoter) - counted(detractors)
        return partial
    sums: Ints = count * (column.base - 1)
    for bit in range(column.high.bit_length()):
        sums += counted(_has_bit(column.stored, bit)) << bit
    partial.sums[column.scale] = sums
    partial.bound = bound_of(column, part.documents)
    return partial


def _has_bit(stored: Array, bit: int) -> Mask:
    found: Mask = stored & stored.dtype.type(1 << bit) != 0
    return found


def membership(part: Part, plan: Plan, axis: Axis) -> Words:
    """A bitmap a place: the documents that have it, 64 to a word."""
    found = np.zeros((axis.size, words_of(part.documents)), np.uint64)
    postings = part.segment.postings(axis.dimension.column)
    if isinstance(axis.dimension, Terms):
        if postings is not None:
            _mark_terms(found, postings, axis, part.documents)
    else:
        _mark_pairs(found, pairs_of(part, plan, axis), part.documents)
    return found


def _mark_terms(found: Words, postings: Postings, axis: Axis, documents: int) -> None:
    keys, places = wanted_keys(axis)
    positions = postings.positions(keys)
    places, positions = places[positions >= 0], positions[positions >= 0]
    mapped, at = bitmaps_at(postings, positions)
    for place, bitmap in zip(places[mapped].tolist(), at.tolist(), strict=True):
        found[place] |= postings.bits[bitmap]
    listed = np.ones(len(positions), np.bool_)
    listed[mapped] = False
    positions = positions[listed]
    begins, ends = postings.starts[positions].astype(np.int64), postings.starts[positions + 1].astype(np.int64)
    rows = runs(postings.rows, begins, ends)
    none = np.zeros(0, np.int64)
    _mark_pairs(found, Pairs(rows, places[listed], ends - begins, none, none), documents)


def _mark_pairs(found: Words, pairs: Pairs, documents: int) -> None:
    held, begin = np.zeros(documents, np.bool_), 0
    for place, times in zip(pairs.held.tolist(), pairs.times.tolist(), strict=True):
        rows = pairs.rows[begin : begin + times]
        held[rows] = True
        found[place] |= words(held)
        held[rows] = False
        begin += times


def common_counts(first: Words, *others: Words) -> Slots:
    """How many documents every choice of one bitmap of each has in common, those of the last innermost."""
    if not others:
        return ones(first).astype(np.int64)
    counts = [common_counts(bitmap & others[0], *others[1:]) for bitmap in first]
    return np.concatenate(counts) if counts else np.zeros(0, np.int64)


def alike_counts(bits: Words, depth: int) -> Slots:
    """The same for `depth` times the same bitmaps: each set of them is counted once, in whatever order it is chosen."""
    return _rising_counts(bits, depth)[_sets(len(bits), depth)]


def _rising_counts(bits: Words, depth: int) -> Slots:
    """What every choice of `depth` bitmaps has in common, none before the one chosen before it."""
    if depth == 1:
        return ones(bits).astype(np.int64)
    counts = [_rising_counts(bits[place:] & bits[place], depth - 1) for place in range(len(bits))]
    return np.concatenate(counts) if counts else np.zeros(0, np.int64)


@lru_cache(maxsize=8)
def _sets(size: int, depth: int) -> Slots:
    """Of each choice of `depth` places, in order, which of the choices that never fall is the same set."""
    rising = np.array(list(combinations_with_replacement(range(size), depth)), np.int64).reshape(-1, depth)
    number = np.zeros((size,) * depth, np.int64)
    number[tuple(rising.T)] = np.arange(len(rising))
    found: Slots = number[tuple(np.sort(np.indices(number.shape).reshape(depth, -1), axis=0))]
    return found
