"""Merges small and worn segments, so that a dataset of any history is read as a few large ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, Engine, delete, select, update

from feedback.domain.dataset import Dataset
from feedback.domain.timestamps import now_ms
from feedback.store.engine import snapshot
from feedback.store.segments import runs
from feedback.store.segments.decode import Segment
from feedback.store.segments.encode import MAX_DOCUMENTS, decompress
from feedback.store.segments.join import join
from feedback.store.segments.loose import Int64, Loose, Mask
from feedback.store.segments.runs import Place
from feedback.store.segments.tombstones import mark
from feedback.store.segments.write import insert_packed, packed
from feedback.store.tables import datasets, segments, tombstones

SMALL = 32_768
TINY = 1_024
# Enough that chunks of 300 and more fill half a segment first, since moving a document is most of what merging costs.
MAX_TINY = 128
WORN = 0.2


@dataclass(frozen=True, slots=True)
class Source:
    """A segment that is to be merged, as a reader saw it: which of its rows lived."""

    id: int
    documents: int
    dead: int
    erased_at: int | None = None
    alive: Mask | None = None
    loose: Loose | None = None

    @property
    def living(self) -> int:
        """How many of its documents are neither replaced nor erased."""
        return self.documents - self.dead


def compact(engine: Engine, dataset: Dataset, *, eager: bool = False, erased_before: int = 0) -> int:
    """Merge one group of segments if any is due; return how many were merged, 0 when nothing is due.

    `eager` takes all that go into one segment, due or not, as before a backup or a long rest. A segment that still
    holds rows of documents erased at or before `erased_before` (epoch milliseconds) is due as well.

    Reading and joining happen on a snapshot without any lock. The dataset's lock is held only while the new segment
    takes the place of the old ones; documents that died in between become tombstones of the new one.
    """
    sources = gather(engine, dataset, eager=eager, erased_before=erased_before)
    return settle(engine, dataset, sources) if sources else 0


def gather(engine: Engine, dataset: Dataset, *, eager: bool = False, erased_before: int = 0) -> list[Source]:
    """The segments to merge, unpacked, as of one snapshot; no lock is held."""
    with snapshot(engine) as connection, connection.begin():
        listed = _list(connection, dataset.id)
        if eager:
            chosen = fitting([s for s in listed if s.living < MAX_DOCUMENTS or s.dead])
        else:
            chosen = choose(listed, erased_before)
        return [_load(connection, source) for source in chosen]


def settle(engine: Engine, dataset: Dataset, sources: Sequence[Source]) -> int:
    """Put one new segment in the place of the gathered ones; 0 where another process was quicker."""
    merged = join([s.loose for s in sources if s.loose is not None])
    row = packed(merged) if merged.documents else None
    with engine.begin() as connection:
        bump = update(datasets).where(datasets.c.id == dataset.id)
        connection.execute(bump.values(generation=datasets.c.generation + 1))
        if not _all_present(connection, sources):
            return 0
        _replace(connection, dataset.id, sources, row)
    return len(sources)


def choose(listed: Sequence[Source], erased_before: int = 0) -> list[Source]:
    """The segments to merge now, in order of creation, empty when none is due.

    Due are: any with a fifth of its rows dead, or with one that was erased too long ago; 128 tiny ones (under 1,024
    documents); small ones (under 32,768) that hold 32,768 documents together. What is merged once into a large segment
    is left alone until it wears out.
    """
    worn = [s for s in listed if s.dead >= WORN * s.documents or _holds_erased(s, erased_before)]
    small = [s for s in listed if s.living < SMALL and s not in worn]
    tiny = [s for s in small if s.living < TINY]
    if sum(s.living for s in small) >= SMALL:
        due = small
    elif len(tiny) >= MAX_TINY:
        due = tiny
    else:
        due = []
    return fitting([*worn, *due])


def holding_erased(connection: Connection, before: int) -> list[str]:
    """The datasets with a segment that holds rows of documents erased at or before an instant (epoch milliseconds)."""
    held = select(segments.c.dataset_id).where(segments.c.erased_at <= before)
    return list(connection.execute(held.distinct()).scalars())


def _holds_erased(source: Source, before: int) -> bool:
    return source.erased_at is not None and source.erased_at <= before


def fitting(sources: Sequence[Source]) -> list[Source]:
    """Those, in order of creation, that go into one segment; none where that would change nothing."""
    chosen, room = [], MAX_DOCUMENTS
    for source in sorted(sources, key=lambda s: s.id):
        if source.living <= room:
            chosen.append(source)
            room -= source.living
    return chosen if len(chosen) > 1 or any(s.dead for s in chosen) else []


def _list(connection: Connection, dataset_id: str) -> list[Source]:
    columns = select(segments.c.id, segments.c.documents, segments.c.dead, segments.c.erased_at)
    rows = connection.execute(columns.where(segments.c.dataset_id == dataset_id).order_by(segments.c.id))
    return [Source(*row) for row in rows]


def _load(connection: Connection, source: Source) -> Source:
    payload = connection.execute(select(segments.c.payload).where(segments.c.id == source.id)).scalar_one()
    alive = np.ones(source.documents, np.bool_)
    alive[_dead_rows(connection, source.id)] = False
    loose = Segment(source.id, decompress(payload)).loose(alive)
    return Source(source.id, source.documents, source.dead, source.erased_at, alive, loose)


def _dead_rows(connection: Connection, segment_id: int) -> Int64:
    rows = connection.execute(select(tombstones.c.row).where(tombstones.c.segment_id == segment_id)).scalars()
    return np.fromiter(rows, np.int64)


def _all_present(connection: Connection, sources: Sequence[Source]) -> bool:
    wanted = [s.id for s in sources]
    return len(connection.execute(select(segments.c.id).where(segments.c.id.in_(wanted))).all()) == len(wanted)


def _replace(
    connection: Connection, dataset_id: str, sources: Sequence[Source], row: Mapping[str, int | str | bytes] | None
) -> None:
    died: list[Place] = []
    if row is not None:
        new = insert_packed(connection, dataset_id, row)
        offset = 0
        for source in sources:
            assert source.alive is not None  # noqa: S101 -- loaded sources have it
            runs.move(connection, source.id, new, source.alive, offset)
            died += _died_since(connection, source, new, offset)
            offset += source.living
        # Some of them may have been erased: that they all were does no more than have the segment merged once more.
        mark(connection, dataset_id, died, now_ms())
    wanted = [s.id for s in sources]
    connection.execute(delete(tombstones).where(tombstones.c.segment_id.in_(wanted)))
    connection.execute(delete(segments).where(segments.c.id.in_(wanted)))


def _died_since(connection: Connection, source: Source, target: int, offset: int) -> list[Place]:
    """The new places of those documents of a source that have died since it was gathered."""
    assert source.alive is not None  # noqa: S101 -- loaded sources have it
    renumbered = np.cumsum(source.alive) - 1 + offset
    now_dead = _dead_rows(connection, source.id)
    return [(target, int(renumbered[row])) for row in now_dead.tolist() if source.alive[row]]
