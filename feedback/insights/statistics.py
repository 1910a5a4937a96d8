"""The few formulas that insights rest on, each with its name, so that a statistician can check them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, hypot, log, sqrt

from feedback.insights.student import Z95, quantile, tails

FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of some documents: how many, their sum and the sum of their squares."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, counts: Mapping[float, int]) -> "Sample":
        """The sample that holds each value so many times."""
        return cls(
            sum(counts.values()),
            sum(value * n for value, n in counts.items()),
            sum(value * value * n for value, n in counts.items()),
        )

    def without(self, other: "Sample") -> "Sample":
        """What is left when a part of this sample is taken out."""
        return Sample(self.count - other.count, self.total - other.total, self.squares - other.squares)

    @property
    def mean(self) -> float:
        """The arithmetic mean."""
        return self.total / self.count

    @property
    def variance(self) -> float:
        """The unbiased variance, 0 of fewer than two."""
        if self.count < 2:
            return 0.0
        return max(0.0, (self.squares - self.total * self.total / self.count) / (self.count - 1))


def welch(left: Sample, right: Sample) -> tuple[float, tuple[float, float], float]:
    """Difference of means, its 95 % interval, and the two-sided p-value of Welch's t-test."""
    difference = left.mean - right.mean
    shares = [(sample.variance / sample.count, sample.count - 1) for sample in (left, right)]
    error = sqrt(sum(share for share, _ in shares))
    if not error:
        # Without any spread a difference is certain and equality is not one.
        return difference, (difference, difference), 0.0 if difference else 1.0
    freedom = error**4 / sum(share * share / n for share, n in shares if share)
    margin = quantile(freedom) * error
    return difference, (difference - margin, difference + margin), tails(difference / error, freedom)


def two_proportions(hits: int, of: int, other_hits: int, of_other: int) -> tuple[float, tuple[float, float], float]:
    """Difference of two shares, its 95 % interval, and the p-value of the pooled two-proportion z-test.

    The interval is Newcombe's (1998, his method 10), which holds for few documents and for shares of 0 and 1.
    """
    share, other = hits / of, other_hits / of_other
    (low, high), (other_low, other_high) = wilson(hits, of), wilson(other_hits, of_other)
    difference = share - other
    interval = difference - hypot(share - low, other_high - other), difference + hypot(high - share, other - other_low)
    pooled = (hits + other_hits) / (of + of_other)
    error = sqrt(pooled * (1 - pooled) * (1 / of + 1 / of_other))
    return difference, interval, erfc(abs(difference) / error / sqrt(2)) if error else 1.0


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score."""
    middle, square = hits + Z95 * Z95 / 2, Z95 * Z95
    margin = Z95 * sqrt(hits * (of - hits) / of + square / 4)
    return (middle - margin) / (of + square), (middle + margin) / (of + square)


def independence(both: int, first: int, second: int, total: int) -> tuple[float, float]:
    """Dunning's G2 of a two by two table, and how likely it is as large where two terms occur independently."""
    strength = max(0.0, log_likelihood(both, first, second, total))
    return strength, erfc(sqrt(strength / 2))


def log_likelihood(both: int, first: int, second: int, total: int) -> float:
    """Dunning's G2 of a two by two table: how far two terms are from occurring independently."""
    cells = ((both, first, second), (first - both, first, total - second), (second - both, total - first, second))
    rest = (total - first - second + both, total - first, total - second)
    return 2 * sum(n * log(n * total / (row * column)) for n, row, column in (*cells, rest) if n)


def discoveries(p_values: Sequence[float], share: float = FALSE_DISCOVERIES) -> list[bool]:
    """Which of many tests hold, at most `share` of them falsely (Benjamini and Hochberg, 1995)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    held = [rank for rank, i in enumerate(order, 1) if p_values[i] <= share * rank / len(order)]
    best = set(order[: max(held, default=0)])
    return [i in best for i in range(len(p_values))]
