"""Where the rows of documents are: a document names the run it was written in, which compaction moves as a whole.

So merging segments changes a row a run, of thousands of documents, and none of the documents.
"""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from feedback.store.segments.loose import Mask
from feedback.store.tables import runs

Place = tuple[int, int]
"""(run, row) as a document names it, or (segment, row) as it is found."""


class Run(msgspec.Struct, frozen=True):
    """Rows that were written together, and where those of them are that compaction has not left out."""

    id: int
    segment_id: int
    first_row: int
    documents: int
    dropped: bytes | None = None

    def kept(self) -> Mask:
        """Which rows are still in the segment."""
        if self.dropped is None:
            return np.ones(self.documents, np.bool_)
        return ~np.unpackbits(np.frombuffer(self.dropped, np.uint8), count=self.documents).astype(np.bool_)


_BEGIN = insert(runs)


def begin(connection: Connection, segment_id: int, documents: int) -> None:
    """Note the run that a new segment consists of."""
    connection.execute(_BEGIN, {"id": segment_id, "segment_id": segment_id, "first_row": 0, "documents": documents})


def located(connection: Connection, places: Sequence[Place]) -> list[Place]:
    """The (segment, row) of each (run, row)."""
    wanted = {run for run, _ in places}
    found = {run.id: run for run in _read(connection, "id", wanted)}
    before = {run.id: np.cumsum(run.kept()) - 1 for run in found.values() if run.dropped is not None}
    return [
        (found[run].segment_id, found[run].first_row + (int(before[run][row]) if run in before else row))
        for run, row in places
    ]


def move(connection: Connection, source: int, target: int, alive: Mask, offset: int) -> None:
    """Note that the rows of a source that live now stand in the target, from `offset` on."""
    moved, emptied = [], []
    for run in _read(connection, "segment_id", [source]):
        kept = run.kept()
        living = alive[run.first_row : run.first_row + int(kept.sum())]
        if not living.any():
            emptied.append(run.id)
            continue
        first = offset + int(alive[: run.first_row].sum())
        kept[kept] = living
        dropped = None if kept.all() else np.packbits(~kept).tobytes()
        moved.append({"run": run.id, "target": target, "first": first, "left_out": dropped})
    if emptied:
        connection.execute(delete(runs).where(runs.c.id.in_(emptied)))
    if moved:
        connection.execute(_MOVE, moved)


_MOVE = (
    update(runs)
    .where(runs.c.id == bindparam("run"))
    .values(segment_id=bindparam("target"), first_row=bindparam("first"), dropped=bindparam("left_out"))
)
# As many as a statement may name.
_LOT = 10_000


def _read(connection: Connection, column: str, wanted: Iterable[int]) -> list[Run]:
    found, listed = [], sorted(wanted)
    for start in range(0, len(listed), _LOT):
        lot = listed[start : start + _LOT]
        found += [Run(*row) for row in connection.execute(select(runs).where(runs.c[column].in_(lot)))]
    return found
