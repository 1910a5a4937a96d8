"""How sure one can be of a score: mean and variance from the counts of its values, and what chance alone explains."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

SURE = 1.96
"""Standard errors within which 95 % of chance lies."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Answers as their number, mean and variance. Without answers the mean is 0 and means nothing."""

    answers: int
    mean: float
    variance: float

    @property
    def margin(self) -> float:
        """Half the width of the mean's 95 % interval."""
        return SURE * math.sqrt(self.variance / self.answers) if self.answers else math.inf


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two means, with half the width of its 95 % interval."""

    value: float
    margin: float

    @property
    def clear(self) -> bool:
        """Whether chance alone does not explain it."""
        return abs(self.value) > self.margin


def spread(counts: Mapping[float, int], kind: str) -> Spread:
    """The spread of a score whose values were counted; an NPS answer weighs -100, 0 or 100."""
    answers = sum(counts.values())
    if not answers:
        return Spread(0, 0.0, 0.0)
    weights = {value: _weight(value, kind) for value in counts}
    mean = sum(weights[value] * count for value, count in counts.items()) / answers
    squares = sum(weights[value] ** 2 * count for value, count in counts.items()) / answers
    return Spread(answers, mean, max(0.0, squares - mean**2))


def difference(first: Spread, second: Spread) -> Difference:
    """How much greater the first mean is."""
    return Difference(first.mean - second.mean, math.hypot(first.margin, second.margin))


def _weight(value: float, kind: str) -> float:
    if kind != "NPS":
        return value
    return 100.0 if value >= 9 else 0.0 if value >= 7 else -100.0
