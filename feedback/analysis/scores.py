"""Reads what customers write as a score: "food 9/10, service 2/10"."""

import re
from functools import lru_cache

from feedback.analysis.lexicon import OPINION, Entry

_SCORE = re.compile(r"(\d{1,3}(?:[.,]\d)?)/(5|10|20|100)")
_STEPS = ((0.95, 3.0), (0.75, 2.0), (0.6, 1.0), (0.5, 0.0), (0.4, -1.0), (0.25, -2.0), (0.0, -3.0))
"""From which share of the best score on it weighs how much; half of it neither praises nor blames."""
DATED = frozenset({"ADP", "DET", "NUM", "ADJ"})
"""What stands before a date or a part ("on 4/5", "the 2/10"), and not before a score."""


@lru_cache(maxsize=1024)
def scored(low: str) -> tuple[Entry, ...]:
    """What a number written as a score says, if it is one."""
    found = _SCORE.fullmatch(low)
    if found is None:
        return ()
    share = float(found[1].replace(",", ".")) / int(found[2])
    if share > 1:
        return ()
    weight = next(weight for floor, weight in _STEPS if share >= floor)
    return (Entry((low,), OPINION, weight, "A", middling=not weight),)
