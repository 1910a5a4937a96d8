"""The values that a dimension can take in one question, as slots 1 to `size`; slot 0 is a document without a value."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from feedback.aggregation.calendar import stretch
from feedback.aggregation.comparisons import edge_of
from feedback.aggregation.plan import Buckets, Categories, Dimension, Identifiers, NpsGroups, Numbers, Ranges, Span
from feedback.aggregation.rules import DETRACTOR, PROMOTER, Grouping
from feedback.store.segments.decode import Floating, Packed, Segment, Times
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import EXACT

# A table of all stored values up to here is made even for a few documents.
SMALL_TABLE = 4_096

Slots = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Domain:
    """`size` values. `first`: the bucket in slot 1; `chosen`: sorted codes, buckets or keys; else values by slot.

    `direct`: the slot of a number is its stored value.
    """

    size: int
    first: int = 0
    chosen: Slots | None = None
    numbers: tuple[float, ...] = ()
    texts: tuple[bytes, ...] = ()
    direct: bool = False


def slots(
    segment: Segment, dimension: Dimension, domain: Domain, *, stride: int, rows: Array | None, kind: type[np.integer]
) -> Array | None:
    """The slot, times `stride`, of each of the rows (None: of every document); None where none has a slot."""
    column = segment.columns.get(dimension.column)
    match column:
        case Times():
            periods = _periods(column, dimension)
            if periods is not None and domain.chosen is None:
                return _period_slots(periods, domain, stride=stride, rows=rows, kind=kind)
            return _packed_slots(column.day, dimension, domain, stride=stride, rows=rows, kind=kind)
        case Packed():
            return _packed_slots(column, dimension, domain, stride=stride, rows=rows, kind=kind)
        case Floating():
            found = _floating_slots(column, dimension, domain)
        case _ if isinstance(dimension, Identifiers):
            found = _identifier_slots(segment, domain)
        case _:
            return None
    if found is None:
        return None
    return ((found if rows is None else found[rows]) * stride).astype(kind)


def _packed_slots(
    packed: Packed, dimension: Dimension, domain: Domain, *, stride: int, rows: Array | None, kind: type[np.integer]
) -> Array | None:
    if not packed.high:
        return None
    stored = packed.stored if rows is None else np.take(packed.stored, rows)
    if (isinstance(dimension, Categories) and domain.chosen is None) or domain.direct:
        return _multiplied(stored, stride, kind)
    picks = _picks(packed, dimension, domain)
    if packed.high <= max(SMALL_TABLE, len(stored)):
        table = np.zeros(packed.high + 1, kind)
        if picks is not None:
            table[picks[0]] = picks[1] * stride
        for low, high, slot in _steps(packed, dimension, domain):
            table[low : high + 1] = np.multiply(slot, stride, dtype=np.int64)
        return np.take(table, stored)
    whole = stored.astype(np.int64)
    found = np.zeros(len(stored), np.int64) if picks is None else _picked(picks, whole)
    for low, high, slot in _steps(packed, dimension, domain):
        inside = np.flatnonzero((whole >= low) & (whole <= high))
        found[inside] = slot if isinstance(slot, int) else slot[whole[inside] - low]
    return (found * stride).astype(kind)


def _multiplied(stored: Array, stride: int, kind: type[np.integer]) -> Array:
    """The slots where they are the stored values: a product is a fifth of the time of a look-up."""
    if stored.dtype == kind and stride > 1:
        return np.multiply(stored, kind(stride))
    found = stored.astype(kind)
    if stride > 1:
        found *= kind(stride)
    return found


def _periods(times: Times, dimension: Dimension) -> Packed | None:
    """The months or weeks of a column of dates where a dimension is of them and they are at hand."""
    match dimension:
        case Buckets(unit=Grouping.MONTH):
            return times.month
        case Buckets(unit=Grouping.WEEK):
            return times.week
        case _:
            return None


def _period_slots(periods: Packed, domain: Domain, *, stride: int, rows: Array | None, kind: type[np.integer]) -> Array:
    stored = periods.stored if rows is None else np.take(periods.stored, rows)
    before = periods.base - domain.first
    if before >= 0 and before + periods.high <= domain.size and not periods.missing:
        found = _multiplied(stored, stride, kind)
        if before:
            found += kind(before * stride)
        return found
    slot = np.arange(periods.high + 1) + before
    slot[(slot < 1) | (slot > domain.size)] = 0
    slot[0] = 0
    return np.take((slot * stride).astype(kind), stored)


def _picks(packed: Packed, dimension: Dimension, domain: Domain) -> tuple[Slots, Slots] | None:
    """Single stored values in ascending order and the slot of each; None where slots belong to stretches of them."""
    match dimension:
        case Categories() if domain.chosen is not None:
            kept = int(np.searchsorted(domain.chosen, packed.high, side="right"))
            return domain.chosen[:kept], np.arange(1, kept + 1)
        case Numbers():
            whole, slot = _at_scale(domain.numbers, packed.scale)
            stored = whole - (packed.base - 1)
            kept_numbers = (stored > 0) & (stored <= packed.high)
            return stored[kept_numbers], slot[kept_numbers]
        case _:
            return None


@lru_cache(maxsize=64)
def _at_scale(numbers: tuple[float, ...], scale: int) -> tuple[Slots, Slots]:
    """Those of some numbers that a column of a decimal scale can hold, ascending, as it does; and the slot of each."""
    exact = [(Decimal(repr(number)).scaleb(scale), slot) for slot, number in enumerate(numbers, 1)]
    pairs = sorted((int(v), slot) for v, slot in exact if v == v.to_integral_value() and abs(v) < EXACT)
    return np.array([v for v, _ in pairs], np.int64), np.array([slot for _, slot in pairs], np.int64)


def _picked(picks: tuple[Slots, Slots], whole: Slots) -> Slots:
    place = _among(picks[0], whole)
    return np.concatenate([[0], picks[1]])[place]


Step = tuple[int, int, int | Slots]
"""Stored values from one to another, both inclusive, and their slot, or the slot of each."""


def _steps(packed: Packed, dimension: Dimension, domain: Domain) -> Iterable[Step]:
    """The slots of stretches of stored values, all within 1 and the highest."""
    match dimension:
        case Buckets():
            return _bucket_steps(packed, dimension, domain)
        case Ranges():
            spans = ((*span_bounds(packed, span), slot) for slot, span in enumerate(dimension.spans, 1))
            return (step for step in spans if step[0] <= step[1])
        case NpsGroups():
            return _nps_steps(packed)
        case _:
            return ()


def _bucket_steps(packed: Packed, dimension: Buckets, domain: Domain) -> Iterable[Step]:
    first = max(packed.low, 1)
    found = stretch(first + packed.base - 1, packed.high + packed.base - 1, dimension.unit)
    if domain.chosen is not None:
        return [(first, packed.high, _among(domain.chosen, found))]
    slot = found - (domain.first - 1)
    if slot[0] < 1 or slot[-1] > domain.size:
        slot = np.where((slot > 0) & (slot <= domain.size), slot, 0)
    return [(first, packed.high, slot)]


def _among(chosen: Slots, values: Slots) -> Slots:
    if not len(chosen):
        return np.zeros_like(values)
    place = np.minimum(np.searchsorted(chosen, values), len(chosen) - 1)
    return np.where(chosen[place] == values, place + 1, 0)


def _nps_steps(packed: Packed) -> Iterable[Step]:
    promoter = edge_of(packed, Decimal(PROMOTER).scaleb(packed.scale), up=True)
    detractor = edge_of(packed, Decimal(DETRACTOR).scaleb(packed.scale), up=False)
    edges = ((promoter, packed.high, 1), (detractor + 1, promoter - 1, 2), (1, detractor, 3))
    bounded = ((max(low, 1), min(high, packed.high), slot) for low, high, slot in edges)
    return (step for step in bounded if step[0] <= step[1])


def span_bounds(packed: Packed, span: Span) -> tuple[int, int]:
    """The least and the greatest stored value in a range; the first is the larger where none is."""
    low, high = 1, packed.high
    if span.low is not None:
        low = max(low, edge_of(packed, Decimal(repr(span.low)).scaleb(packed.scale), up=True))
    if span.high is not None:
        scaled = Decimal(repr(span.high)).scaleb(packed.scale)
        top = edge_of(packed, scaled, up=False) if span.closed else edge_of(packed, scaled, up=True) - 1
        high = min(high, top)
    return low, high


def in_span(packed: Packed, stored: Array, span: Span) -> npt.NDArray[np.bool_]:
    """Which stored values lie in a range."""
    low, high = span_bounds(packed, span)
    if low > high:
        return np.zeros(len(stored), np.bool_)
    return (stored >= low) & (stored <= high)


def float_in_span(floats: Array, span: Span) -> npt.NDArray[np.bool_]:
    """Which doubles lie in a range; NaN lies in none."""
    found = ~np.isnan(floats)
    if span.low is not None:
        found &= floats >= span.low
    if span.high is not None:
        found &= (floats <= span.high) if span.closed else (floats < span.high)
    return found


def _floating_slots(column: Floating, dimension: Dimension, domain: Domain) -> Array | None:
    floats = column.floats
    found = np.zeros(len(floats), np.int64)
    match dimension:
        case Numbers():
            order = np.argsort(np.array(domain.numbers))
            values = np.array(domain.numbers)[order]
            if not len(values):
                return found
            place = np.minimum(np.searchsorted(values, floats), len(values) - 1)
            return np.where(values[place] == floats, order[place] + 1, 0)
        case Ranges():
            for slot, span in enumerate(dimension.spans, 1):
                found[float_in_span(floats, span)] = slot
        case NpsGroups():
            found = np.where(floats >= PROMOTER, 1, np.where(floats <= DETRACTOR, 3, 2))
            found[np.isnan(floats)] = 0
        case _:
            return None
    return found


def _identifier_slots(segment: Segment, domain: Domain) -> Array | None:
    strings = segment.strings("externalId")
    if strings is None:
        return None
    found = np.zeros(segment.documents, np.int64)
    for slot, text in enumerate(domain.texts, 1):
        found[strings.find(text)] = slot
    return found
