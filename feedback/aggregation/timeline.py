"""Which years, months, weeks or days a question can fall into, and which of them the reply lists."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from feedback.aggregation.calendar import DAY_MS, bucket_of, label
from feedback.aggregation.choices import NEVER, Item
from feedback.aggregation.domains import Domain
from feedback.aggregation.plan import Buckets, Window
from feedback.aggregation.snapshot import Snapshot
from feedback.aggregation.survey import Survey

# Up to so many buckets, empty ones included, have a place each.
MAX_CONTIGUOUS = 65_536


@dataclass(frozen=True, slots=True)
class Stretch:
    """Buckets from `first` to `last`, both inclusive; empty where first > last."""

    first: int
    last: int


def bucket_range(snapshot: Snapshot, dimension: Buckets, window: Window | None) -> Stretch:
    """The buckets that any document of the period can lie in, found from zone maps."""
    days = snapshot.column(dimension.column).days
    if days is None:
        return Stretch(0, -1)
    first, last = (bucket_of(day * DAY_MS, dimension.unit) for day in days)
    if window is not None and window.column == dimension.column:
        if window.low is not None:
            first = max(first, bucket_of(window.low, dimension.unit))
        if window.high is not None:
            last = min(last, bucket_of(window.high, dimension.unit))
    return Stretch(first, last)


def bucket_domain(stretch: Stretch, survey: Survey | None) -> Domain:
    """Contiguous buckets where they are few enough; those that occur where not."""
    size = max(0, stretch.last - stretch.first + 1)
    if size <= MAX_CONTIGUOUS or survey is None:
        return Domain(size, stretch.first)
    chosen = np.array(sorted(survey.buckets), np.int64)
    return Domain(len(chosen), chosen=chosen)


def bucket_items(
    dimension: Buckets, window: Window | None, domain: Domain, seen: Sequence[int], *, sparse: bool
) -> "BucketItems":
    """The buckets to list. `seen`: those that documents lie in, ascending; `sparse`: only they can be shown.

    On the period's own field every bucket of the period is listed, on another one from the first to the last seen.
    """
    own = window is not None and window.column == dimension.column
    low = window.low if own and window is not None else None
    high = window.high if own and window is not None else None
    first = bucket_of(low, dimension.unit) if low is not None else (seen[0] if seen else None)
    last = bucket_of(high, dimension.unit) if high is not None else (seen[-1] if seen else None)
    if first is None or last is None:
        return BucketItems(dimension, domain, range(0))
    if dimension.limit is not None:
        last = min(last, first + dimension.limit - 1)
    listed = [b for b in seen if first <= b <= last] if sparse else range(first, last + 1)
    return BucketItems(dimension, domain, listed)


@dataclass(frozen=True, slots=True)
class BucketItems:
    """Buckets that are counted before they are put into words, since a period may have millions of days."""

    dimension: Buckets
    domain: Domain
    listed: Sequence[int]

    def __len__(self) -> int:
        """How many buckets are listed."""
        return len(self.listed)

    def items(self) -> tuple[Item, ...]:
        """The buckets in words."""
        place = _placer(self.domain)
        return tuple(Item(place(bucket), label(bucket, self.dimension.unit)) for bucket in self.listed)


def _placer(domain: Domain) -> Callable[[int], int]:
    if domain.chosen is not None:
        known = {int(bucket): slot for slot, bucket in enumerate(domain.chosen.tolist(), 1)}
        return lambda bucket: known.get(bucket, NEVER)
    return lambda bucket: bucket - domain.first + 1 if 0 <= bucket - domain.first < domain.size else NEVER


def seen_buckets(domain: Domain, slots: Iterable[int]) -> list[int]:
    """The buckets of the given slots, slot 0 apart, in order of time."""
    filled = sorted(slot for slot in slots if slot > 0)
    if domain.chosen is not None:
        return [int(domain.chosen[slot - 1]) for slot in filled]
    return [domain.first + slot - 1 for slot in filled]
