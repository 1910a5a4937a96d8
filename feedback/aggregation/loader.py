"""Keeps a dataset's decoded segments up to date: each question compares generations and reads only what is new."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

import numpy as np
from sqlalchemy import Connection, Engine, bindparam, select

from feedback.aggregation.ceilings import Ceilings
from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.snapshot import NONE_DEAD, DeadRows, Part, Snapshot, part_of
from feedback.store.engine import snapshot
from feedback.store.segments.cache import SegmentCache
from feedback.store.segments.decode import Segment
from feedback.store.tables import datasets, segments, tombstones

MAX_DATASETS = 32
Name = tuple[int, str]
"""(segment id, checksum)."""

# Asked before every answer: made once, since making a statement takes longer than running this one.
_GENERATION = select(datasets.c.generation).where(datasets.c.id == bindparam("dataset"))


@dataclass(frozen=True, slots=True)
class Distant:
    """From how many documents on a dataset's segments are counted elsewhere, and where one is fetched if needed yet."""

    engine: Engine
    documents: int


class Loader:
    """Snapshots of the datasets asked about last. Safe to share between threads."""

    def __init__(
        self,
        cache: SegmentCache,
        load_all: Callable[..., Iterable[Segment]] = map,
        distant: Distant | None = None,
    ) -> None:
        """`load_all(function, ids, ...)` maps a function over segments, perhaps in several threads."""
        self.cache = cache
        self.distant = distant
        self.load_all = load_all
        self._snapshots: OrderedDict[str, Snapshot] = OrderedDict()
        self._dictionaries: dict[str, Dictionary] = {}
        self._ceilings: dict[str, Ceilings] = {}
        self._lock = Lock()

    def dictionary(self, dataset_id: str) -> Dictionary:
        """The dictionary of a dataset."""
        with self._lock:
            return self._dictionaries.setdefault(dataset_id, Dictionary(dataset_id))

    def ceilings(self, dataset_id: str) -> Ceilings:
        """The ceilings of a dataset."""
        with self._lock:
            return self._ceilings.setdefault(dataset_id, Ceilings())

    def snapshot(self, connection: Connection, dataset_id: str) -> Snapshot:
        """The dataset as the connection's transaction sees it; that transaction must be a snapshot of the database."""
        self.cache.tidy(connection)
        current = connection.execute(_GENERATION, {"dataset": dataset_id}).scalar()
        if current is None:
            return Snapshot(dataset_id, 0)
        known = self._snapshots.get(dataset_id)
        if known is not None and known.generation == current:
            return known
        fresh = self._load(connection, dataset_id, current, known)
        self._keep(fresh)
        return fresh

    def forget(self) -> None:
        """Forget what questions have left behind; what segments and dictionaries say is kept."""
        for found in list(self._snapshots.values()):
            for part in found.parts:
                part.memo.clear()

    def _keep(self, fresh: Snapshot) -> None:
        with self._lock:
            known = self._snapshots.get(fresh.dataset_id)
            if known is None or known.generation < fresh.generation:
                self._snapshots[fresh.dataset_id] = fresh
                self._snapshots.move_to_end(fresh.dataset_id)
            while len(self._snapshots) > MAX_DATASETS:
                forgotten, _ = self._snapshots.popitem(last=False)
                self._dictionaries.pop(forgotten, None)
                self._ceilings.pop(forgotten, None)

    def _load(self, connection: Connection, dataset_id: str, generation: int, known: Snapshot | None) -> Snapshot:
        columns = select(segments.c.id, segments.c.documents, segments.c.dead, segments.c.checksum)
        rows = connection.execute(columns.where(segments.c.dataset_id == dataset_id).order_by(segments.c.id)).all()
        held = {} if known is None else {part.id: part for part in known.parts}
        missing = [(row.id, row.checksum) for row in rows if row.id not in held]
        documents = sum(row.documents for row in rows)
        if self.distant is not None and documents >= self.distant.documents:
            held |= self._outlined(connection, missing, self.distant.engine)
        else:
            held |= self._loaded(connection, missing)
        parts = []
        for row in rows:
            part = held[row.id]
            parts.append(part if len(part.dead) == row.dead else replace(part, dead=self._dead(connection, row.id)))
        return Snapshot(dataset_id, generation, tuple(parts))

    def _loaded(self, connection: Connection, wanted: Sequence[Name]) -> dict[int, Part]:
        """Parts whose segments are mapped."""
        found = self.cache.load(connection, wanted, self.load_all)
        return {identifier: part_of(found[identifier], NONE_DEAD, checksum) for identifier, checksum in wanted}

    def _outlined(self, connection: Connection, wanted: Sequence[Name], engine: Engine) -> dict[int, Part]:
        """Parts of which only the outlines are read."""
        found = self.cache.outlines(connection, [identifier for identifier, _ in wanted])
        return {
            name[0]: Part(name[0], found[name[0]], partial(self._fetch, engine, name), NONE_DEAD, name[1])
            for name in wanted
        }

    def _fetch(self, engine: Engine, name: Name) -> Segment:
        with snapshot(engine, few_pages=True) as connection, connection.begin():
            return self.cache.load(connection, [name])[name[0]]

    def _dead(self, connection: Connection, segment_id: int) -> DeadRows:
        rows = connection.execute(select(tombstones.c.row).where(tombstones.c.segment_id == segment_id)).scalars()
        return np.fromiter(rows, np.uint16)
