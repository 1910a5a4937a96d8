"""Exact sums, extremes and scores by group of the columns that are too wide for a histogram."""

import numpy as np
import numpy.typing as npt

from feedback.aggregation.comparisons import edge_of
from feedback.aggregation.partial import SAFE, Ints, Partial, Sums
from feedback.aggregation.rules import DETRACTOR, PROMOTER, Operation
from feedback.aggregation.selection import Selection
from feedback.store.segments.decode import Floating, Packed, Strings, Times
from feedback.store.segments.encode import DAY_MS
from feedback.store.segments.layout import Array

# Doubles hold whole numbers exactly up to here, and bincount adds its weights as doubles.
MANTISSA = 53
WHOLE = 2**MANTISSA
HALF = 26

SUMMED = frozenset({Operation.SUM, Operation.AVG, Operation.CSAT, Operation.CES})
"""Operations of which the figures are a count and a sum."""


def presence(column: object) -> Selection:
    """The documents that have a value."""
    match column:
        case Packed():
            return True if not column.missing else column.stored > 0
        case Times():
            return True if not column.missing else column.day.stored > 0
        case Floating():
            return True if not column.missing else ~np.isnan(column.floats)
        case Strings():
            return True if not column.missing else column.present()
        case _:
            return False


def integers(operation: Operation, column: Packed, rows: Array | None, codes: Array, size: int) -> Partial:
    """Figures of a packed column."""
    stored = column.stored if rows is None else np.take(column.stored, rows)
    if operation is Operation.NPS:
        return _scores(column, stored, codes, size)
    if operation in {Operation.MIN, Operation.MAX}:
        partial = Partial(size, volume=np.bincount(codes, minlength=size))
        if column.missing:
            present = np.flatnonzero(stored)
            stored, codes = np.take(stored, present), np.take(codes, present)
        partial.count = np.bincount(codes, minlength=size) if column.missing else partial.volume
        whole = stored.astype(np.int64) + (column.base - 1)
        add_extremes(partial, operation, whole / 10.0**column.scale, codes)
        return partial
    return _sums(column, stored, codes, size)


def _scores(column: Packed, stored: Array, codes: Array, size: int) -> Partial:
    """Missing, detractors, neutrals and promoters by group, all counted at once."""
    detractor, promoter = nps_edges(column)
    kind = (stored > 0).view(np.uint8) + (stored > detractor).view(np.uint8) + (stored >= promoter).view(np.uint8)
    cells = np.bincount(codes.astype(np.intp) * 4 + kind, minlength=size * 4).reshape(size, 4)
    count = cells[:, 1:].sum(axis=1)
    return Partial(size, volume=cells[:, 0] + count, count=count, net=cells[:, 3] - cells[:, 1])


def nps_edges(column: Packed) -> tuple[int, int]:
    """The greatest stored value of a detractor, and the least of a promoter."""
    detractor = edge_of(column, DETRACTOR * 10**column.scale, up=False)
    promoter = edge_of(column, PROMOTER * 10**column.scale, up=True)
    return max(0, detractor), max(1, promoter)


def bound_of(column: Packed, documents: int) -> int:
    """What no sum over so many documents exceeds, whatever its sign."""
    return max(abs(column.low + column.base), abs(column.high + column.base)) * documents


def _sums(column: Packed, stored: Array, codes: Array, size: int) -> Partial:
    rows = max(1, len(stored))
    bits = (column.high * rows).bit_length()
    partial = Partial(size)
    partial.bound = bound_of(column, rows)
    if bits + rows.bit_length() <= MANTISSA:
        # Above the bits that a sum can reach, the same addition counts the values.
        counted = float(1 << bits)
        weights = stored + counted if not column.missing else stored + (stored > 0) * counted
        both = np.bincount(codes, weights=weights, minlength=size).astype(np.int64)
        partial.count, sums = both >> bits, both & ((1 << bits) - 1)
        partial.volume = np.bincount(codes, minlength=size) if column.missing else partial.count
        if partial.bound >= SAFE:
            sums = sums.astype(object)
    else:
        partial.volume = np.bincount(codes, minlength=size)
        if column.missing:
            present = np.flatnonzero(stored)
            stored, codes = np.take(stored, present), np.take(codes, present)
        partial.count = np.bincount(codes, minlength=size) if column.missing else partial.volume
        sums = exact_sums(stored, column.high, codes, size, wide=partial.bound >= SAFE)
    partial.sums[column.scale] = sums + partial.count.astype(sums.dtype) * (column.base - 1)
    return partial


def add_floats(partial: Partial, operation: Operation, column: Floating, rows: Array | None, codes: Array) -> None:
    """Figures of a column whose numbers have a scale each."""
    floats = column.floats if rows is None else column.floats[rows]
    present = ~np.isnan(floats)
    floats, codes = floats[present], codes[present]
    size = partial.size
    partial.count = np.bincount(codes, minlength=size)
    if operation is Operation.NPS:
        promoters, detractors = codes[floats >= PROMOTER], codes[floats <= DETRACTOR]
        partial.net = np.bincount(promoters, minlength=size) - np.bincount(detractors, minlength=size)
    elif operation in {Operation.MIN, Operation.MAX}:
        add_extremes(partial, operation, floats, codes)
    else:
        digits = (column.digits if rows is None else column.digits[rows])[present]
        scales = (column.scales if rows is None else column.scales[rows])[present]
        partial.bound = SAFE
        for scale in sorted(set(scales.tolist())):
            mine = scales == scale
            sums = _signed_sums(digits[mine], codes[mine], size)
            partial.sums[scale] = sums


def add_extremes(partial: Partial, operation: Operation, values: npt.NDArray[np.float64], codes: Array) -> None:
    """Least or greatest value of each group."""
    if operation is Operation.MIN:
        partial.low = np.full(partial.size, np.inf)
        np.minimum.at(partial.low, codes, values)
    else:
        partial.high = np.full(partial.size, -np.inf)
        np.maximum.at(partial.high, codes, values)


def extreme_of_all(operation: Operation, times: Times, rows: Array | None, documents: int) -> Partial:
    """The first or last instant of the rows, all in group 0 of 2: the day first, then the milliseconds within it."""
    if rows is None and times.first is not None and times.last is not None:
        count = documents - times.missing
        partial = Partial(2, volume=np.array([documents, 0]), count=np.array([count, 0]))
        partial.low, partial.high = np.array([times.first, np.inf]), np.array([times.last, -np.inf])
        return partial
    days = times.day.stored if rows is None else np.take(times.day.stored, rows)
    volume = np.array([documents if rows is None else len(rows), 0])
    present = volume[0] if not times.missing else int(np.count_nonzero(days))
    partial = Partial(2, volume=volume, count=np.array([present, 0]))
    partial.low, partial.high = np.full(2, np.inf), np.full(2, -np.inf)
    if not present:
        return partial
    first = operation is Operation.MIN
    day = int((days[days > 0] if times.missing else days).min() if first else days.max())
    within = np.zeros(1, np.int64)
    if times.ms is not None:
        on_day = np.flatnonzero(days == day)
        within = times.ms[on_day if rows is None else rows[on_day]]
    found = (day + times.day.base - 1) * DAY_MS + int(within.min() if first else within.max())
    partial.low[0] = partial.high[0] = found
    return partial


def exact_sums(stored: Array, high: int, codes: Array, size: int, *, wide: bool) -> Sums:
    """Sums of unsigned integers by group, as int64 or, where `wide`, as Python integers."""
    if high * max(1, len(stored)) < WHOLE:
        sums: Ints = np.bincount(codes, weights=stored, minlength=size).astype(np.int64)
        return sums.astype(object) if wide else sums
    mask = stored.dtype.type((1 << HALF) - 1)
    upper = np.bincount(codes, weights=stored >> stored.dtype.type(HALF), minlength=size).astype(np.int64)
    lower = np.bincount(codes, weights=stored & mask, minlength=size).astype(np.int64)
    if wide:
        return _joined(upper, lower)
    return upper * (1 << HALF) + lower


def _signed_sums(digits: Array, codes: Array, size: int) -> Sums:
    # An arithmetic shift rounds down and the mask is what is left, so that both halves hold for negative numbers too.
    upper = np.bincount(codes, weights=digits >> HALF, minlength=size).astype(np.int64)
    lower = np.bincount(codes, weights=digits & ((1 << HALF) - 1), minlength=size).astype(np.int64)
    return _joined(upper, lower)


def _joined(upper: Ints, lower: Ints) -> Sums:
    joined: Sums = upper.astype(object) * (1 << HALF) + lower.astype(object)
    return joined
