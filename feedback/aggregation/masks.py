"""Which documents of a segment a question is about: those that live, match the query and q, and lie in the period."""

from collections.abc import Callable, Sequence

import numpy as np

from feedback.aggregation.comparisons import between, in_codes, instants, numbers
from feedback.aggregation.holders import holds, holds_opinion, keys_of, mark
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
from feedback.aggregation.selection import Selection, both, either, negate
from feedback.aggregation.snapshot import Part
from feedback.store.segments.decode import Segment


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
            return in_codes(segment.packed(condition.column), condition.codes)
        case NumberIs():
            return numbers(segment.columns.get(condition.column), condition)
        case TimeIs():
            return instants(segment.times(condition.column), condition)
        case TextIn():
            return _texts(segment, condition)
        case Holds():
            return holds(segment, condition.column, condition.keys)
        case HoldsOpinion():
            return holds_opinion(segment, condition.column, condition.opinions)


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


def _texts(segment: Segment, condition: TextIn) -> Selection:
    strings = segment.strings(condition.column)
    rows = [] if strings is None else [row for value in set(condition.values) for row in strings.find(value)]
    if not rows:
        return False
    return mark(segment.documents, [np.array(rows)])
