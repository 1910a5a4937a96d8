"""The values that a dimension can take in one question, as slots 1 to `size`; slot 0 is a document without a value."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from feedback.aggregation.calendar import buckets
from feedback.aggregation.masks import edge_of
from feedback.aggregation.plan import Buckets, Categories, Dimension, Identifiers, NpsGroups, Numbers, Ranges, Span
from feedback.aggregation.rules import DETRACTOR, PROMOTER
from feedback.store.segments.decode import Floating, Packed, Segment, Times
from feedback.store.segments.layout import Array

Slots = npt.NDArray[np.int64]
Mapper = Callable[[Slots], Slots]


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
            return _mapped(column.day, _mapper(column.day, dimension, domain), stride, rows, kind)
        case Packed():
            return _mapped(column, _mapper(column, dimension, domain), stride, rows, kind)
        case Floating():
            found = _floating_slots(column, dimension, domain)
        case _ if isinstance(dimension, Identifiers):
            found = _identifier_slots(segment, domain)
        case _:
            return None
    if found is None:
        return None
    return ((found if rows is None else found[rows]) * stride).astype(kind)


def _mapped(
    packed: Packed, mapper: Mapper | None, stride: int, rows: Array | None, kind: type[np.integer]
) -> Array | None:
    if not packed.high:
        return None
    stored = packed.stored if rows is None else np.take(packed.stored, rows)
    if packed.high <= max(4_096, len(packed.stored)):
        table = np.arange(packed.high + 1, dtype=np.int64)
        table = table if mapper is None else mapper(table)
        table[0] = 0
        return np.take((table * stride).astype(kind), stored)
    whole = stored.astype(np.int64)
    return (np.where(stored > 0, whole if mapper is None else mapper(whole), 0) * stride).astype(kind)


def _mapper(packed: Packed, dimension: Dimension, domain: Domain) -> Mapper | None:
    """A function from stored values to slots; None where they are the same."""
    match dimension:
        case Categories():
            return None if domain.chosen is None else _among(domain.chosen)
        case Numbers():
            return None if domain.direct else _numbers(packed, domain.numbers)
        case Buckets():
            return lambda stored: _bucket_slots(stored + (packed.base - 1), dimension, domain)
        case Ranges():
            return lambda stored: _range_slots(packed, stored, dimension.spans)
        case NpsGroups():
            return lambda stored: _nps_slots(packed, stored)
        case _:
            return None


def _among(chosen: Slots) -> Mapper:
    def mapper(stored: Slots) -> Slots:
        if not len(chosen):
            return np.zeros_like(stored)
        place = np.minimum(np.searchsorted(chosen, stored), len(chosen) - 1)
        return np.where(chosen[place] == stored, place + 1, 0)

    return mapper


def _bucket_slots(days: Slots, dimension: Buckets, domain: Domain) -> Slots:
    found = buckets(days, dimension.unit)
    if domain.chosen is not None:
        return _among(domain.chosen)(found)
    slot = found - domain.first + 1
    return np.where((slot > 0) & (slot <= domain.size), slot, 0)


def _numbers(packed: Packed, values: tuple[float, ...]) -> Mapper:
    exact = [Decimal(repr(v)).scaleb(packed.scale) for v in values]
    whole = [(edge_of(packed, v, up=False), slot) for slot, v in enumerate(exact, 1) if v == v.to_integral_value()]
    kept = sorted((stored, slot) for stored, slot in whole if 0 < stored <= packed.high)
    chosen = np.array([stored for stored, _ in kept], np.int64)
    slot_of = np.array([0, *(slot for _, slot in kept)], np.int64)
    return lambda stored: slot_of[_among(chosen)(stored)]


def _range_slots(packed: Packed, stored: Slots, spans: tuple[Span, ...]) -> Slots:
    found = np.zeros_like(stored)
    for slot, span in enumerate(spans, 1):
        found[in_span(packed, stored, span)] = slot
    return found


def in_span(packed: Packed, stored: Array, span: Span) -> npt.NDArray[np.bool_]:
    """Which stored values lie in a range."""
    low, high = 1, packed.high
    if span.low is not None:
        low = max(low, edge_of(packed, Decimal(repr(span.low)).scaleb(packed.scale), up=True))
    if span.high is not None:
        scaled = Decimal(repr(span.high)).scaleb(packed.scale)
        top = edge_of(packed, scaled, up=False) if span.closed else edge_of(packed, scaled, up=True) - 1
        high = min(high, top)
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


def _nps_slots(packed: Packed, stored: Slots) -> Slots:
    promoter = edge_of(packed, Decimal(PROMOTER).scaleb(packed.scale), up=True)
    detractor = edge_of(packed, Decimal(DETRACTOR).scaleb(packed.scale), up=False)
    return np.where(stored >= promoter, 1, np.where(stored <= detractor, 3, 2))


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
