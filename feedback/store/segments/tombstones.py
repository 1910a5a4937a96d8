"""Marks the rows of documents that were replaced or erased, in the transaction that does so."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, insert, update

from feedback.store.segments.runs import Place, located
from feedback.store.tables import segments, tombstones


def bury(connection: Connection, dataset_id: str, places: Iterable[Place], erased_at: int | None = None) -> None:
    """Mark the (run, row) places of documents as dead, each of them once. The caller holds the dataset's lock.

    `erased_at` says that they were erased then and not replaced: compaction leaves their rows out in due time.
    """
    mark(connection, dataset_id, located(connection, list(places)), erased_at)


def mark(connection: Connection, dataset_id: str, found: Sequence[Place], erased_at: int | None = None) -> None:
    """Mark (segment, row) places as dead."""
    if not found:
        return
    rows = [{"segment_id": segment, "row": row, "dataset_id": dataset_id} for segment, row in found]
    connection.execute(insert(tombstones), rows)
    dead = Counter(segment for segment, _ in found)
    statement = (
        update(segments).where(segments.c.id == bindparam("segment")).values(dead=segments.c.dead + bindparam("n"))
    )
    connection.execute(statement, [{"segment": segment, "n": n} for segment, n in dead.items()])
    if erased_at is not None:
        first = segments.c.id.in_(dead) & segments.c.erased_at.is_(None)
        connection.execute(update(segments).where(first).values(erased_at=erased_at))
