"""Documents of a segment that something holds for: all, none, or a mask; and how two such answers become one."""

from feedback.store.segments.loose import Mask

Selection = Mask | bool
"""The documents selected: True is all of them, False none."""


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
