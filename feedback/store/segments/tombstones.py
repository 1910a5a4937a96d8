"""Marks the rows of documents that were replaced or erased, in the transaction that does so."""

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, insert, update

from feedback.store.tables import segments, tombstones


def bury(connection: Connection, dataset_id: str, places: Iterable[tuple[int, int]]) -> None:
    """Mark (segment id, row) places as dead. Each place may be buried once; the caller holds the dataset's lock."""
    found = list(places)
    if not found:
        return
    rows = [{"segment_id": segment, "row": row, "dataset_id": dataset_id} for segment, row in found]
    connection.execute(insert(tombstones), rows)
    dead = Counter(segment for segment, _ in found)
    statement = (
        update(segments).where(segments.c.id == bindparam("segment")).values(dead=segments.c.dead + bindparam("n"))
    )
    connection.execute(statement, [{"segment": segment, "n": n} for segment, n in dead.items()])
