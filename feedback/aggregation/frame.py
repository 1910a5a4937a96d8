"""The groups that the documents of one period are counted in."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from feedback.aggregation.domains import Domain
from feedback.aggregation.partial import Partial
from feedback.aggregation.plan import Categories, Dimension, Identifiers, Numbers, Terms
from feedback.aggregation.spread import Axis

# With more cells than these, only groups that occur get a place.
DENSE = 1 << 22

Layout = tuple[tuple[tuple[Dimension, Domain, int, type[np.integer]], ...], type[np.integer]]
"""Dimensions from the innermost, each with its domain, its stride and the type of its slots; and that of the whole."""


@dataclass(frozen=True)
class Frame:
    """The groups of one period: `axes` outermost, then a slot more than values for each of `singles`, then rubbish."""

    axes: tuple[Axis, ...]
    singles: tuple[tuple[Dimension, Domain], ...]

    @cached_property
    def layouts(self) -> dict[int, Layout]:
        """How documents are numbered by the single-valued dimensions, by bins a group."""
        return {}

    @cached_property
    def inner(self) -> int:
        """Groups of the single-valued dimensions, slot 0 of each included."""
        return prod(domain.size + 1 for _, domain in self.singles)

    @cached_property
    def outer(self) -> int:
        """Groups of the spread dimensions."""
        return prod(axis.size for axis in self.axes)

    @cached_property
    def all_shown(self) -> bool:
        """Whether a reply shows every group that documents with a value of each dimension fall into."""
        spread = all(
            isinstance(axis.dimension, Terms)
            and (axis.polarities is None or (axis.polarities.limit or 3) >= len(axis.polarities.opinions))
            for axis in self.axes
        )
        return spread and all(
            isinstance(dimension, Categories | Numbers | Identifiers) or dimension.limit is None
            for dimension, _ in self.singles
        )

    @cached_property
    def groups(self) -> int:
        """All groups; one more for each of the outer ones takes documents outside the population."""
        return self.outer * (self.inner + 1)

    @property
    def dense(self) -> bool:
        """Whether every group gets a place of its own, or only those that occur."""
        return self.groups * 16 <= DENSE


def nothing(frame: Frame) -> Partial:
    """The figures of no document."""
    return Partial(frame.groups, keys=None if frame.dense else np.zeros(0, np.int64))
