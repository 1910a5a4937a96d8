"""The few formulas that insights rest on, each with its name, so that a statistician can check them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, log, sqrt

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""
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


def welch(left: Sample, right: Sample) -> tuple[float, float, float]:
    """Difference of means, its standard error (Welch) and the two-sided p-value in normal approximation."""
    difference = left.mean - right.mean
    error = sqrt(left.variance / left.count + right.variance / right.count)
    return difference, error, p_value(difference, error)


def two_proportions(hits: int, of: int, other_hits: int, of_other: int) -> tuple[float, float, float]:
    """Difference of two shares, its standard error, and the p-value of the pooled two-proportion z-test."""
    share, other = hits / of, other_hits / of_other
    error = sqrt(share * (1 - share) / of + other * (1 - other) / of_other)
    pooled = (hits + other_hits) / (of + of_other)
    return share - other, error, p_value(share - other, sqrt(pooled * (1 - pooled) * (1 / of + 1 / of_other)))


def p_value(difference: float, error: float) -> float:
    """Two-sided, normal; without any spread a difference is certain and equality is not one."""
    if not error:
        return 0.0 if difference else 1.0
    return erfc(abs(difference) / error / sqrt(2))


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
