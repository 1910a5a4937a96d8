"""Marks the rows of documents that were replaced or erased, in the transaction that does so."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, insert, update

from feedback.store.segments.runs import Place, located
from feedback.store.tables import segments, tombstones


def bury(connection: Connection, dataset_id: str, places: Iterable[Place]) -> None:
    """Mark the (run, row) places of documents as dead, each of them once. The caller holds the dataset's lock."""
    mark(connection, dataset_id, located(connection, list(places)))


def mark(connection: Connection, dataset_id: str, found: Sequence[Place]) -> None:
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
