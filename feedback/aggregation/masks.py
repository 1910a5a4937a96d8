"""Which documents of a segment a condition holds for: all, none, or a mask. Zone maps decide most cases unread."""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache

import numpy as np

from feedback.aggregation.memo import Selection
from feedback.aggregation.plan import (
    CodeIn,
    Condition,
    Every,
    Holds,
    HoldsOpinion,
    Not,
    NumberIs,
    Plan,
    Some,
    TextIn,
    TimeIs,
    Window,
)
from feedback.aggregation.snapshot import Part
from feedback.domain.query import Operator
from feedback.store.segments.decode import Floating, Packed, Postings, Segment, Times
from feedback.store.segments.encode import DAY_MS
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Int64, Mask

# Many short slices are gathered by one index; few long ones are faster copied.
MANY_RUNS = 32
SHORT_RUN = 200


def population(part: Part, plan: Plan, window: Window | None) -> Selection:
    """The living documents that match the query and q, and lie in the period."""
    if window is None or window.whole:
        return common(part, plan)
    key = (plan.condition, plan.matching, window)
    return part.memo.selection(key, lambda: both(common(part, plan), in_window(part.segment, window)))


def common(part: Part, plan: Plan) -> Selection:
    """The living documents that match the query and q, whatever the period."""
    if plan.condition is None and plan.matching is None:
        return _living(part)
    return part.memo.selection((plan.condition, plan.matching), lambda: _common(part, plan))


def _living(part: Part) -> Selection:
    alive = part.alive
    return True if alive is None else alive


def _common(part: Part, plan: Plan) -> Selection:
    found = _living(part)
    if plan.matching is not None:
        found = both(found, holds(part.segment, "TERMS", keys_of(plan.matching)))
    if plan.condition is not None and found is not False:
        found = both(found, select(part.segment, plan.condition))
    return found


@lru_cache(maxsize=64)
def codes_of(codes: tuple[int, ...]) -> Int64:
    """Codes as an array."""
    return np.array(codes, np.int64)


@lru_cache(maxsize=64)
def ordered_codes(codes: tuple[int, ...]) -> Int64:
    """Codes as an array, in order."""
    return np.sort(codes_of(codes))


@lru_cache(maxsize=64)
def keys_of(codes: tuple[int, ...]) -> Int64:
    """The keys of codes with any opinion."""
    return (codes_of(codes)[:, None] * 3 + np.arange(3)).ravel()


def in_window(segment: Segment, window: Window | None) -> Selection:
    """The documents whose instant lies in the period."""
    if window is None or window.whole:
        return True
    times = segment.times(window.column)
    return False if times is None else between(times, window.low, window.high)


def select(segment: Segment, condition: Condition) -> Selection:
    """The documents the condition holds for."""
    match condition:
        case Every():
            return _fold(segment, condition.conditions, both, stop=False)
        case Some():
            return _fold(segment, condition.conditions, either, stop=True)
        case Not():
            return negate(select(segment, condition.condition))
        case CodeIn():
            return _codes(segment.packed(condition.column), condition.codes)
        case NumberIs():
            return _numbers(segment.columns.get(condition.column), condition)
        case TimeIs():
            return _times(segment.times(condition.column), condition)
        case TextIn():
            return _texts(segment, condition)
        case Holds():
            return holds(segment, condition.column, condition.keys)
        case HoldsOpinion():
            return holds_opinion(segment, condition.column, condition.opinions)


def both(left: Selection, right: Selection) -> Selection:
    """Documents in both."""
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return left & right


def either(left: Selection, right: Selection) -> Selection:
    """Documents in one of them."""
    if isinstance(left, bool):
        return True if left else right
    if isinstance(right, bool):
        return True if right else left
    return left | right


def negate(selection: Selection) -> Selection:
    """All other documents."""
    return not selection if isinstance(selection, bool) else ~selection


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


def _fold(
    segment: Segment,
    conditions: Sequence[Condition],
    combine: Callable[[Selection, Selection], Selection],
    *,
    stop: bool,
) -> Selection:
    found: Selection = not stop
    for condition in conditions:
        found = combine(found, select(segment, condition))
        if found is stop:
            return stop
    return found


def _codes(packed: Packed | None, codes: Sequence[int]) -> Selection:
    if packed is None:
        return False
    ordered = ordered_codes(tuple(codes))
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


def _numbers(column: object, condition: NumberIs) -> Selection:
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


def edge_of(packed: Packed, scaled: Decimal | int, *, up: bool) -> int:
    """The stored value of a scaled number, rounded up or down where no stored value is exactly it."""
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    whole = scaled if isinstance(scaled, int) else int(scaled.to_integral_value(rounding))
    return whole - packed.base + 1


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


def _times(times: Times | None, condition: TimeIs) -> Selection:
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


def _texts(segment: Segment, condition: TextIn) -> Selection:
    strings = segment.strings(condition.column)
    rows = [] if strings is None else [row for value in set(condition.values) for row in strings.find(value)]
    if not rows:
        return False
    return _mark(segment.documents, [np.array(rows)])


def holds(segment: Segment, column: str, keys: Sequence[int] | Int64) -> Selection:
    """The documents that hold one of the keys of TERMS or TOPICS."""
    postings = segment.postings(column)
    if postings is None or not len(keys):
        return False
    if len(keys) == 1:
        rows = rows_at(postings, int(keys[0]))
        return _mark(segment.documents, [rows]) if len(rows) else False
    found = postings.positions(np.asarray(keys, np.int64))
    found = found[found >= 0]
    if not len(found):
        return False
    begins, ends = postings.starts[found].astype(np.int64), postings.starts[found + 1].astype(np.int64)
    return _mark(segment.documents, [runs(postings.rows, begins, ends)])


def holds_opinion(
    segment: Segment, column: str, opinions: Sequence[int], codes: Sequence[int] | None = None
) -> Selection:
    """The documents that hold a term or topic (one of `codes`, where given) with one of the opinions."""
    postings = segment.postings(column)
    if postings is None or not opinions:
        return False
    if codes is not None:
        return holds(segment, column, [code * 3 + opinion for code in codes for opinion in opinions])
    chosen = np.isin(postings.keys % 3, np.array(opinions, postings.keys.dtype))
    return _mark(segment.documents, [postings.rows[np.repeat(chosen, postings.counts())]])


def holds_any(segment: Segment, column: str) -> Selection:
    """The documents that hold any term or topic."""
    postings = segment.postings(column)
    if postings is None:
        return False
    return True if postings.any is None else postings.any


def runs(array: Array, begins: Int64, ends: Int64) -> Array:
    """Slices of an array, one after the other."""
    begins, ends = _merged(begins, ends)
    if len(begins) == 1:
        return array[int(begins[0]) : int(ends[0])]
    if len(begins) > MANY_RUNS:
        lengths = ends - begins
        stops = np.cumsum(lengths)
        if stops[-1] < len(begins) * SHORT_RUN:
            gathered: Array = np.take(array, np.arange(stops[-1]) + np.repeat(begins - stops + lengths, lengths))
            return gathered
    pieces = [array[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return np.concatenate(pieces) if pieces else array[:0]


def _merged(begins: Int64, ends: Int64) -> tuple[Int64, Int64]:
    """The same slices, those that continue the one before as one with it: the polarities of a term lie side by side."""
    if len(begins) < 2:
        return begins, ends
    apart = begins[1:] != ends[:-1]
    return begins[np.append(True, apart)], ends[np.append(apart, True)]


def rows_at(postings: Postings, key: int) -> Array:
    """The rows of one key, none where the segment lacks it."""
    position = int(postings.keys.searchsorted(postings.keys.dtype.type(key)))
    if position == len(postings.keys) or postings.keys[position] != key:
        return postings.rows[:0]
    return postings.rows[int(postings.starts[position]) : int(postings.starts[position + 1])]


def _mark(documents: int, marked: Sequence[Array]) -> Mask:
    mask = np.zeros(documents, np.bool_)
    for rows in marked:
        mask[rows] = True
    return mask
