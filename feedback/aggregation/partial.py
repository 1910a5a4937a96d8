"""What the kernel finds in some documents, group by group, and how two such findings become one. Picklable.

All sums are of integers, so the order and the grouping of additions cannot change a figure.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Sums = npt.NDArray[Any]
Layout = tuple[int, int, int]
"""(base, scale, bins): bin b > 0 of a histogram holds the documents of value (b + base - 1) / 10**scale."""

SAFE = 2**62


@dataclass(slots=True)
class Partial:
    """Figures of `size` groups; of the groups named by `keys` where not every group has a place.

    `histograms` are turned into the other figures only at the end, since adding them is all that is needed until then.
    `sums` are integers by decimal scale, int64 or (beyond its reach) Python's.
    """

    size: int
    keys: Ints | None = None
    volume: Ints | None = None
    count: Ints | None = None
    net: Ints | None = None
    low: npt.NDArray[np.float64] | None = None
    high: npt.NDArray[np.float64] | None = None
    sums: dict[int, Sums] = field(default_factory=dict)
    bound: int = 0
    histograms: dict[Layout, Ints] = field(default_factory=dict)

    def add(self, other: "Partial") -> None:
        """Take in what was found in other documents."""
        if self.keys is not None and other.keys is not None:
            union = _union(self.keys, other.keys)
            self.spread(union)
            other.spread(union)
        alone = self.count is self.volume and other.count is other.volume
        self.volume = _plus(self.volume, other.volume)
        self.count = self.volume if alone else _plus(self.count, other.count)
        self.net = _plus(self.net, other.net)
        self.low = _least(self.low, other.low)
        self.high = _greatest(self.high, other.high)
        for layout, cells in other.histograms.items():
            mine = self.histograms.get(layout)
            self.histograms[layout] = cells if mine is None else _plus_in_place(mine, cells)
        self.bound += other.bound
        for scale, sums in other.sums.items():
            self.sums[scale] = _plus_wide(self.sums.get(scale), sums, self.bound)

    def spread(self, union: Ints) -> None:
        """Make room for the groups of a union of keys."""
        if self.keys is None or len(self.keys) == len(union):
            return
        places, size = np.searchsorted(union, self.keys), len(union)
        self.keys, self.size = union, size
        self.volume, self.count = _placed(self.volume, places, size), _placed(self.count, places, size)
        self.net = _placed(self.net, places, size)
        self.low, self.high = _placed(self.low, places, size, np.inf), _placed(self.high, places, size, -np.inf)
        self.sums = {scale: _placed(sums, places, size) for scale, sums in self.sums.items()}
        self.histograms = {layout: _placed(cells, places, size) for layout, cells in self.histograms.items()}


def _union(mine: Ints, other: Ints) -> Ints:
    """All keys in order; numpy's own hashes, which takes twenty times as long as sorting."""
    both = np.sort(np.concatenate([mine, other]))
    return both[np.diff(both, prepend=-1) > 0]


def _placed(array: Any, places: Ints, size: int, empty: float = 0) -> Any:
    if array is None:
        return None
    found = np.full((size, *array.shape[1:]), empty, array.dtype)
    found[places] = array
    return found


def _plus(mine: Ints | None, other: Ints | None) -> Ints | None:
    if mine is None or other is None:
        return other if mine is None else mine
    return mine + other


def _plus_in_place(mine: Ints, other: Ints) -> Ints:
    mine += other
    return mine


def _least(mine: npt.NDArray[np.float64] | None, other: npt.NDArray[np.float64] | None) -> Any:
    if mine is None or other is None:
        return other if mine is None else mine
    return np.minimum(mine, other)


def _greatest(mine: npt.NDArray[np.float64] | None, other: npt.NDArray[np.float64] | None) -> Any:
    if mine is None or other is None:
        return other if mine is None else mine
    return np.maximum(mine, other)


def _plus_wide(mine: Sums | None, other: Sums, bound: int) -> Sums:
    if mine is None:
        return other
    if bound >= SAFE and mine.dtype != object:
        mine = mine.astype(object)
    return mine + other
