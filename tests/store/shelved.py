"""What tests of segments put on a shelf, and how they look at what lies there."""

import time
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from feedback.aggregation import Aggregator
from feedback.aggregation.loader import Loader
from feedback.domain.dataset import Dataset
from feedback.store.engine import snapshot
from feedback.store.segments.cache import SegmentCache
from feedback.store.segments.decode import Segment
from feedback.store.segments.encode import decompress
from feedback.store.tables import segments
from tests.aggregation.reference import DAY, Doc
from tests.aggregation.shelf import Shelf

MONDAY = 19_000 * DAY


def make_docs(count: int, first: int = 0) -> list[Doc]:
    return [
        Doc(f"d{n:05d}", MONDAY + n, MONDAY + n, metadata={"nps": n % 11}, terms=[(f"t{n % 50}__NOUN__1", "NEUTRAL")])
        for n in range(first, first + count)
    ]


def count(shelf: Shelf, table: Any) -> int:
    with shelf.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def segment_of(shelf: Shelf) -> int:
    with shelf.engine.connect() as connection:
        return int(connection.execute(select(segments.c.id)).scalar_one())


def held(shelf: Shelf) -> set[str]:
    """The external ids that lie in segments, of living and dead documents."""
    with shelf.engine.connect() as connection:
        rows = connection.execute(select(segments.c.id, segments.c.payload)).all()
    columns = [Segment(row.id, decompress(row.payload)).strings("externalId") for row in rows]
    return {value.decode() for column in columns if column is not None for value in column.values()}


def aggregator(shelf: Shelf, directory: Path | None, budget: int = 2**30) -> Aggregator:
    return Aggregator(shelf.engine, cache_dir=directory, cache_bytes=budget, threads=1)


def files_of(directory: Path) -> list[Path]:
    """The cache's files, once those being published have their names."""
    deadline = time.monotonic() + 10
    while any(directory.glob("*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.01)
    return sorted(directory.glob("*.segment"))


def part_of(shelf: Shelf, dataset: Dataset) -> Segment:
    with snapshot(shelf.engine) as connection, connection.begin():
        return Loader(SegmentCache(None, 0)).snapshot(connection, dataset.id).parts[0].segment
