"""What one question is asked of: a dataset's segments and dead rows, all as of one generation.

Everything that plans a question is told by outlines, so that a process which has others count maps no segment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from feedback.aggregation.columns import Column, column_of
from feedback.aggregation.memo import Memo
from feedback.store.segments.decode import Segment
from feedback.store.segments.layout import Outline
from feedback.store.segments.loose import Mask

DeadRows = npt.NDArray[np.uint16]
NONE_DEAD: DeadRows = np.zeros(0, np.uint16)


@dataclass(frozen=True)
class Part:
    """A segment, which is fetched when its columns are first needed, and its rows that are dead, in any order."""

    id: int
    outline: Outline
    fetch: Callable[[], Segment]
    dead: DeadRows
    checksum: str = ""

    @cached_property
    def segment(self) -> Segment:
        """The segment itself."""
        return self.fetch()

    @property
    def documents(self) -> int:
        """Rows of the segment, the dead ones included."""
        return self.outline.documents

    @cached_property
    def memo(self) -> Memo:
        """What the last filters selected of it."""
        return Memo(self.documents)

    @property
    def living(self) -> int:
        """How many documents live in it."""
        return self.documents - len(self.dead)

    @property
    def alive(self) -> Mask | None:
        """The mask of living rows, made anew each time; None where all live."""
        if not len(self.dead):
            return None
        mask = np.ones(self.documents, np.bool_)
        mask[self.dead] = False
        return mask

    @property
    def mark(self) -> tuple[int, int]:
        """The segment and how many of its rows are dead: rows only ever die, so two parts of one mark are alike."""
        return self.id, len(self.dead)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """First and last createdAt of all rows, None where nothing lives."""
        meta = self.outline.columns.get("createdAt")
        if meta is None or meta.first is None or meta.last is None or not self.living:
            return None
        return meta.first, meta.last

    @cached_property
    def created(self) -> tuple[int, int]:
        """First and last createdAt of the living rows of a part that has any."""
        times, alive = self.segment.times("createdAt"), self.alive
        assert times is not None  # noqa: S101 -- every document has it
        found = times.epoch() if alive is None else times.epoch()[alive]
        return int(found.min()), int(found.max())


def part_of(segment: Segment, dead: DeadRows, checksum: str) -> Part:
    """A part whose segment is at hand."""
    return Part(segment.id, segment.outline, lambda: segment, dead, checksum)


@dataclass(frozen=True)
class Snapshot:
    """All parts of a dataset at one generation."""

    dataset_id: str
    generation: int
    parts: Sequence[Part] = field(default_factory=tuple)

    @cached_property
    def documents(self) -> int:
        """Rows of all segments, the dead ones included."""
        return sum(part.documents for part in self.parts)

    @cached_property
    def marks(self) -> frozenset[tuple[int, int]]:
        """What its parts are known by."""
        return frozenset(part.mark for part in self.parts)

    @cached_property
    def created(self) -> tuple[int, int] | None:
        """First and last createdAt of the dataset, None where it is empty."""
        held = [(part, bounds) for part in self.parts if (bounds := part.bounds) is not None]
        if not held:
            return None
        first = _least([(bounds[0], part) for part, bounds in held], lambda part: part.created[0])
        return first, -_least([(-bounds[1], part) for part, bounds in held], lambda part: -part.created[1])

    def column(self, name: str) -> Column:
        """What all segments say of a column."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = column_of((part.outline for part in self.parts), name)
        return found

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {}


def _least(bounds: Sequence[tuple[int, Part]], look: Callable[[Part], int]) -> int:
    """The least createdAt of living rows, or its negative, given what bounds each part's and how one is looked into.

    Only segments of which rows have died, and which might matter, are looked into.
    """
    least = min((bound for bound, part in bounds if not len(part.dead)), default=None)
    worn = [(bound, part) for bound, part in bounds if len(part.dead) and (least is None or bound < least)]
    for bound, part in sorted(worn, key=lambda found: found[0]):
        if least is not None and bound >= least:
            break
        mine = look(part)
        least = mine if least is None else min(least, mine)
    assert least is not None  # noqa: S101 -- some part has living rows
    return least
