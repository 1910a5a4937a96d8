"""What the outlines of many segments say of one column together: enough to plan a question by, and told once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from feedback.store.segments.encode import MAX_DOCUMENTS
from feedback.store.segments.layout import ColumnMeta, Outline

MAX_SCORES = 256
BITS = 63


@dataclass(frozen=True, slots=True)
class Reach:
    """The whole numbers between which a column's values lie, at one decimal scale."""

    scale: int
    lowest: int
    highest: int

    @property
    def numbers(self) -> int:
        """How many there are."""
        return self.highest - self.lowest + 1

    def bits(self, documents: int) -> int:
        """The bits of a sum over so many documents, each value taken as its distance from the lowest."""
        return ((self.highest - self.lowest) * documents).bit_length()

    def room(self, documents: int) -> int:
        """Of how many documents a cell can take the values, where there are so many; 0 where not of one segment's."""
        room = max(documents, MAX_DOCUMENTS)
        while room >= MAX_DOCUMENTS and room.bit_length() + self.bits(room) > BITS:
            room //= 2
        return room if room >= MAX_DOCUMENTS else 0


class Column:
    """One column of a dataset, as the segments that have it say, dead rows included."""

    def __init__(self, metas: Iterable[ColumnMeta]) -> None:
        """`metas`: how each segment that has the column stores it."""
        self.metas = tuple(metas)

    @cached_property
    def days(self) -> tuple[int, int] | None:
        """The first and the last day that it holds anywhere; None where it holds none."""
        found = [meta for meta in self.metas if meta.kind == "instants" and meta.low]
        if not found:
            return None
        return min(m.low + m.base - 1 for m in found), max(m.high + m.base - 1 for m in found)

    @cached_property
    def codes(self) -> int:
        """One more than the highest stored code."""
        return max((meta.high for meta in self.metas if meta.kind in {"packed", "codes"}), default=0) + 1

    @cached_property
    def scores(self) -> tuple[int, int, int] | None:
        """(base, scale, highest stored value) of small numbers that are packed alike everywhere, else None."""
        kinds = {(meta.base, meta.scale) for meta in self.metas if meta.high}
        highest = max((meta.high for meta in self.metas), default=0)
        if any(meta.kind not in {"packed", "codes"} for meta in self.metas) or len(kinds) > 1 or highest >= MAX_SCORES:
            return None
        base, scale = kinds.pop() if kinds else (0, 0)
        return base, scale, highest

    @cached_property
    def reach(self) -> Reach | None:
        """The reach of a column that every segment stores as whole numbers of one scale, else None."""
        found = [meta for meta in self.metas if meta.high]
        if not found or any(meta.kind != "packed" for meta in self.metas) or len({meta.scale for meta in found}) > 1:
            return None
        lowest, highest = min(m.low + m.base for m in found) - 1, max(m.high + m.base for m in found) - 1
        return Reach(found[0].scale, lowest, highest)

    @cached_property
    def keys(self) -> int:
        """One more than the highest key of TERMS or TOPICS, rounded up to whole codes."""
        found = [meta.high for meta in self.metas if meta.kind == "postings"]
        return (max(found) // 3 + 1) * 3 if found else 0


def column_of(outlines: Iterable[Outline], name: str) -> Column:
    """A column as some outlines describe it."""
    return Column(meta for outline in outlines if (meta := outline.columns.get(name)) is not None)
