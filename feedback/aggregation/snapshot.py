"""What one question is asked of: a dataset's segments and dead rows, all as of one generation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from feedback.aggregation.memo import Memo
from feedback.store.segments.decode import Packed, Segment
from feedback.store.segments.layout import ColumnMeta
from feedback.store.segments.loose import Mask

MAX_SCORES = 256


@dataclass(frozen=True)
class Part:
    """A segment with the rows that live in it; `alive` is None where all do."""

    segment: Segment
    alive: Mask | None
    checksum: str = ""

    @property
    def documents(self) -> int:
        """Rows of the segment, the dead ones included."""
        return self.segment.documents

    @cached_property
    def memo(self) -> Memo:
        """What the last filters selected of it."""
        return Memo(self.documents)

    @cached_property
    def living(self) -> int:
        """How many documents live in it."""
        return self.documents if self.alive is None else int(self.alive.sum())

    @cached_property
    def mark(self) -> tuple[int, int]:
        """The segment and how many of its rows are dead: rows only ever die, so two parts of one mark are alike."""
        return self.segment.id, self.documents - self.living

    @cached_property
    def created(self) -> tuple[int, int] | None:
        """First and last createdAt of the living, None where nothing lives."""
        times = self.segment.times("createdAt")
        if times is None or not self.living:
            return None
        if self.alive is None and times.first is not None and times.last is not None:
            return times.first, times.last
        found = times.epoch() if self.alive is None else times.epoch()[self.alive]
        return int(found.min()), int(found.max())


@dataclass(frozen=True)
class Snapshot:
    """All parts of a dataset at one generation."""

    dataset_id: str
    generation: int
    parts: Sequence[Part] = field(default_factory=tuple)

    @cached_property
    def marks(self) -> frozenset[tuple[int, int]]:
        """What its parts are known by."""
        return frozenset(part.mark for part in self.parts)

    @cached_property
    def created(self) -> tuple[int, int] | None:
        """First and last createdAt of the dataset, None where it is empty."""
        found = [p.created for p in self.parts if p.created is not None]
        return (min(low for low, _ in found), max(high for _, high in found)) if found else None

    def metas(self, column: str) -> list[ColumnMeta]:
        """How each segment that has a column stores it."""
        return [meta for part in self.parts if (meta := part.segment.metas.get(column)) is not None]

    def days(self, column: str) -> tuple[int, int] | None:
        """First and last day that the column holds anywhere, dead rows included; None where it holds none."""
        found = [times.day for p in self.parts if (times := p.segment.times(column)) is not None and times.day.low]
        if not found:
            return None
        return min(d.low + d.base - 1 for d in found), max(d.high + d.base - 1 for d in found)

    def codes(self, column: str) -> int:
        """One more than the highest stored code of a column, dead rows included."""
        found = [packed.high for p in self.parts if (packed := p.segment.packed(column)) is not None]
        return max(found, default=0) + 1

    def scores(self, column: str) -> tuple[int, int, int] | None:
        """(base, scale, highest stored value) of small numbers that are packed alike everywhere, else None."""
        held = [v for p in self.parts if (v := p.segment.columns.get(column)) is not None]
        packed = [v for v in held if isinstance(v, Packed)]
        kinds = {(v.base, v.scale) for v in packed if v.high}
        highest = max((v.high for v in packed), default=0)
        if len(packed) < len(held) or len(kinds) > 1 or highest >= MAX_SCORES:
            return None
        base, scale = kinds.pop() if kinds else (0, 0)
        return base, scale, highest

    def keys(self, column: str) -> int:
        """One more than the highest key of TERMS or TOPICS, rounded up to whole codes."""
        held = [postings.keys for p in self.parts if (postings := p.segment.postings(column)) is not None]
        highest = max((int(keys[-1]) for keys in held if len(keys)), default=-1)
        return (highest // 3 + 1) * 3


def alive_mask(documents: int, dead: Sequence[int]) -> Mask | None:
    """The mask of living rows, None where none is dead."""
    if not dead:
        return None
    mask = np.ones(documents, np.bool_)
    mask[np.asarray(dead)] = False
    return mask
