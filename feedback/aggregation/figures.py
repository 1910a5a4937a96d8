"""From the integers that the kernel counted to the numbers of the reply: one division each, rounded once."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from feedback.aggregation.partial import SAFE, Ints, Layout, Partial, Sums
from feedback.aggregation.rules import DETRACTOR, PROMOTER, Operation
from feedback.aggregation.totals import WHOLE

Value = int | float | None


@dataclass(slots=True)
class Figures:
    """Figures of some groups, row by row."""

    volume: Ints
    count: Ints
    net: Ints
    low: np.ndarray[tuple[int], np.dtype[np.float64]]
    high: np.ndarray[tuple[int], np.dtype[np.float64]]
    sums: dict[int, Sums] = field(default_factory=dict)

    def values(self, operation: Operation) -> list[Value]:
        """The value of each group; None where there is nothing to compute it of."""
        match operation:
            case Operation.COUNT:
                counts: list[Value] = self.count.tolist()
                return counts
            case Operation.NPS:
                return ratios(100 * self.net, self.count)
            case Operation.MIN | Operation.MAX:
                extremes = (self.low if operation is Operation.MIN else self.high).tolist()
                pairs = zip(extremes, self.count.tolist(), strict=True)
                return [tidy(found) if count else None for found, count in pairs]
            case Operation.SUM:
                return self._totals()
            case _:
                return self._averages()

    def _totals(self) -> list[Value]:
        if len(self.sums) == 1:
            ((scale, sums),) = self.sums.items()
            if scale >= 0 and dividable(sums, 10**scale):
                whole, rest = np.divmod(sums, 10**scale)
                pairs = zip(whole.tolist(), (rest == 0).tolist(), (sums / 10**scale).tolist(), strict=True)
                return [exact if even else nearest for exact, even, nearest in pairs]
        return [plain(self._sum(row)) for row in range(len(self.count))]

    def _averages(self) -> list[Value]:
        if len(self.sums) == 1:
            ((scale, sums),) = self.sums.items()
            if scale >= 0:
                return ratios(sums, self.count, 10**scale)
        return [plain(self._sum(row) / count) if count else None for row, count in enumerate(self.count.tolist())]

    def _sum(self, row: int) -> Fraction:
        found = Fraction(0)
        for scale, sums in self.sums.items():
            digits = int(sums[row])
            found += Fraction(digits, 10**scale) if scale > 0 else Fraction(digits * 10**-scale)
        return found


def ratios(numerators: Sums, counts: Ints, power: int = 1) -> list[Value]:
    """Each numerator divided by (count * power), rounded once; None where the count is 0."""
    if not dividable(numerators, int(counts.max(initial=1)) * power):
        # Python divides whole numbers of any size with a single rounding.
        pairs = zip(numerators.tolist(), counts.tolist(), strict=True)
        return [total / (count * power) if count else None for total, count in pairs]
    found: list[Value] = (numerators / np.maximum(counts * power, 1)).tolist()
    for row in np.flatnonzero(counts == 0).tolist():
        found[row] = None
    return found


def dividable(numerators: Sums, denominator: int) -> bool:
    """Whether doubles hold all numerators and the largest denominator exactly: then one rounding is all there is."""
    return numerators.dtype != object and denominator < WHOLE and bool(np.abs(numerators).max(initial=0) < WHOLE)


def plain(value: Fraction) -> Value:
    """A whole number where it is one, else the nearest double; None beyond what a double reaches."""
    if value.denominator == 1 and abs(value.numerator) < WHOLE:
        return value.numerator
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return None


def tidy(value: float) -> int | float:
    """A double as JSON writes it best: 5 instead of 5.0; from 10^16 on it is written with an exponent anyway."""
    return int(value) if value.is_integer() and abs(value) < 1e16 else value


def figures(partial: Partial, wanted: Ints) -> Figures:
    """The figures of the wanted groups; a group that no document fell into (or -1) has volume 0."""
    rows, known = _found(partial, wanted)
    size, unknown = len(wanted), np.flatnonzero(~known)

    def at(array: Sums | None, empty: float = 0) -> Sums:
        if array is None or len(unknown) == size:
            return np.full(size, empty) if np.isinf(empty) else np.zeros(size, np.int64)
        found = array[rows]
        if len(unknown):
            found[unknown] = empty
        return found

    volume = at(partial.volume)
    count = volume if partial.count is partial.volume else at(partial.count)
    found = Figures(volume, count, at(partial.net), at(partial.low, np.inf), at(partial.high, -np.inf))
    found.sums = {scale: at(sums) for scale, sums in partial.sums.items()}
    for layout, cells in partial.histograms.items():
        kept = cells[rows] * known[:, None] if len(unknown) < size else np.zeros((size, layout[2]), np.int64)
        _unfold(found, layout, kept)
    return found


def _unfold(found: Figures, layout: Layout, cells: Ints) -> None:
    """Add what a histogram says to the figures."""
    base, scale, bins = layout
    whole = np.arange(1, bins) + (base - 1)
    filled = cells[:, 1:]
    found.volume = found.volume + cells.sum(axis=1)
    found.count = found.count + filled.sum(axis=1)
    sums = filled @ whole
    found.sums[scale] = found.sums[scale] + sums if scale in found.sums else sums
    promoters, detractors = whole >= PROMOTER * 10**scale, whole <= DETRACTOR * 10**scale
    found.net = found.net + filled[:, promoters].sum(axis=1) - filled[:, detractors].sum(axis=1)
    values = whole / 10.0**scale
    seen = filled > 0
    found.low = np.minimum(found.low, np.where(seen, values, np.inf).min(axis=1))
    found.high = np.maximum(found.high, np.where(seen, values, -np.inf).max(axis=1))


def _found(partial: Partial, wanted: Ints) -> tuple[Ints, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The row of each wanted group, and whether there is one."""
    if partial.keys is None:
        return np.maximum(wanted, 0), wanted >= 0
    if not len(partial.keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    rows = np.minimum(np.searchsorted(partial.keys, wanted), len(partial.keys) - 1)
    return rows, partial.keys[rows] == wanted


def volumes_at(partial: Partial, wanted: Ints) -> Ints:
    """The volume of each wanted group."""
    rows, known = _found(partial, wanted)
    held = volumes(partial)
    return np.where(known, held[rows], 0) if len(held) else np.zeros(len(wanted), np.int64)


def volumes(partial: Partial) -> Ints:
    """The volume of every group that the partial has a place for."""
    size = partial.size if partial.keys is None else len(partial.keys)
    found = np.zeros(size, np.int64) if partial.volume is None else partial.volume
    for cells in partial.histograms.values():
        found = found + cells.sum(axis=1)
    return found


def collapsed(partial: Partial, groups: int) -> Partial:
    """The first `groups` groups taken together (all, where groups have keys): the figures of the whole."""
    end = groups if partial.keys is None else len(partial.keys)

    def whole(array: Sums | None) -> Sums | None:
        return None if array is None else array[:end].sum(axis=0, keepdims=True)

    found = Partial(1, None, whole(partial.volume), whole(partial.count), whole(partial.net))
    if partial.low is not None:
        found.low = partial.low[:end].min(keepdims=True, initial=np.inf)
    if partial.high is not None:
        found.high = partial.high[:end].max(keepdims=True, initial=-np.inf)
    kind = object if partial.bound >= SAFE else np.int64
    found.sums = {
        scale: sums[:end].astype(kind, copy=False).sum(keepdims=True, initial=0) for scale, sums in partial.sums.items()
    }
    found.histograms = {layout: cells[:end].sum(axis=0, keepdims=True) for layout, cells in partial.histograms.items()}
    return found
