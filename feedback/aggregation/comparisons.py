"""Which documents of a segment have a code, number or instant that compares as asked. Zone maps decide most unread."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache

import numpy as np

from feedback.aggregation.plan import NumberIs, TimeIs
from feedback.aggregation.selection import Selection, both, either
from feedback.domain.query import Operator
from feedback.store.segments.decode import Floating, Packed, Times
from feedback.store.segments.encode import DAY_MS
from feedback.store.segments.loose import Int64, Mask


def in_codes(packed: Packed | None, codes: Sequence[int]) -> Selection:
    """The documents whose code is one of these."""
    if packed is None:
        return False
    ordered = _ordered(tuple(codes))
    first, last = ordered.searchsorted(max(packed.low, 1)), ordered.searchsorted(packed.high, side="right")
    return _stored_in(packed, ordered[first:last])


def _stored_in(packed: Packed, wanted: Sequence[int] | Int64) -> Selection:
    if not len(wanted):
        return False
    if packed.low == packed.high and not packed.missing:
        return True
    if len(wanted) == 1:
        equal: Mask = packed.stored == packed.stored.dtype.type(wanted[0])
        return equal
    if packed.high < max(4_096, len(packed.stored)):
        table = np.zeros(packed.high + 1, np.bool_)
        table[np.asarray(wanted)] = True
        marked: Mask = np.take(table, packed.stored)
        return marked
    among: Mask = np.isin(packed.stored, np.array(wanted, packed.stored.dtype))
    return among


@lru_cache(maxsize=64)
def _ordered(codes: tuple[int, ...]) -> Int64:
    """Codes as an array, in order."""
    return np.sort(np.array(codes, np.int64))


def numbers(column: object, condition: NumberIs) -> Selection:
    """The documents whose number compares as the condition says; a missing number never does."""
    if isinstance(column, Packed):
        return _packed_numbers(column, condition)
    return _floating(column, condition) if isinstance(column, Floating) else False


def _packed_numbers(packed: Packed, condition: NumberIs) -> Selection:
    values = [Decimal(repr(v)).scaleb(packed.scale) for v in condition.values]
    match condition.operator:
        case Operator.GT:
            return _at_least(packed, max(1, edge_of(packed, values[0], up=False) + 1))
        case Operator.GTE:
            return _at_least(packed, max(1, edge_of(packed, values[0], up=True)))
        case Operator.LT:
            return both(_at_most(packed, edge_of(packed, values[0], up=True) - 1), _at_least(packed, 1))
        case Operator.LTE:
            return both(_at_most(packed, edge_of(packed, values[0], up=False)), _at_least(packed, 1))
        case _:
            whole = [edge_of(packed, v, up=False) for v in values if v == v.to_integral_value()]
            return _stored_in(packed, [v for v in whole if max(packed.low, 1) <= v <= packed.high])


def _floating(column: Floating, condition: NumberIs) -> Selection:
    # NaN, the missing value, compares false with everything.
    value = condition.values[0] if condition.values else 0.0
    match condition.operator:
        case Operator.GT:
            return column.floats > value
        case Operator.GTE:
            return column.floats >= value
        case Operator.LT:
            return column.floats < value
        case Operator.LTE:
            return column.floats <= value
        case _:
            return np.isin(column.floats, np.array(condition.values, np.float64))


def edge_of(packed: Packed, scaled: Decimal | int, *, up: bool) -> int:
    """The stored value of a scaled number, rounded up or down where no stored value is exactly it."""
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    whole = scaled if isinstance(scaled, int) else int(scaled.to_integral_value(rounding))
    return whole - packed.base + 1


def instants(times: Times | None, condition: TimeIs) -> Selection:
    """The documents whose instant compares as the condition says; a missing instant never does."""
    if times is None:
        return False
    values = condition.values
    match condition.operator:
        case Operator.GT:
            return between(times, values[0] + 1, None)
        case Operator.GTE:
            return between(times, values[0], None)
        case Operator.LT:
            return between(times, None, values[0] - 1)
        case Operator.LTE:
            return between(times, None, values[0])
        case _:
            if not values:
                return False
            return np.isin(times.epoch(), np.array(values, np.int64)) & (times.day.stored > 0)


def between(times: Times, low: int | None, high: int | None) -> Selection:
    """The documents whose instant lies between two, both inclusive, None open; a missing instant lies nowhere."""
    if times.first is None or times.last is None:
        return False
    low = None if low is not None and low <= times.first else low
    high = None if high is not None and high >= times.last else high
    found = _not_before(times, low)
    return found if found is False else both(found, _not_after(times, high))


def _not_before(times: Times, low: int | None) -> Selection:
    day = times.day
    first, rest = (None, 0) if low is None else divmod(low, DAY_MS)
    edge = 1 if first is None else first - day.base + 1
    if edge < 1 or first is None:
        edge, rest = 1, 0
    found = _at_least(day, edge)
    if not rest or not day.low <= edge <= day.high:
        return found
    on_edge = day.stored == edge
    late = np.zeros(len(on_edge), np.bool_) if times.ms is None else times.ms >= rest
    return both(found, ~on_edge | late)


def _not_after(times: Times, high: int | None) -> Selection:
    day = times.day
    if high is None:
        return _at_least(day, 1)
    last, rest = divmod(high + 1, DAY_MS)
    # Documents before the edge day lie in; those on it do while their milliseconds are under `rest`.
    edge = last - day.base + 1
    before = both(_at_most(day, edge - 1), _at_least(day, 1))
    if not rest or not day.low <= edge <= day.high:
        return before
    on_edge = day.stored == edge
    return either(before, on_edge if times.ms is None else on_edge & (times.ms < rest))


def _at_least(packed: Packed, edge: int) -> Selection:
    if edge > packed.high or not packed.high:
        return False
    if edge <= packed.low:
        return True if not packed.missing else packed.stored > 0
    return packed.stored >= edge


def _at_most(packed: Packed, edge: int) -> Selection:
    """Stored values up to the edge; missing values are among them."""
    if edge >= packed.high:
        return True
    return packed.stored <= edge if edge >= 0 else False
