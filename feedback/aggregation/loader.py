"""Keeps a dataset's decoded segments up to date: each question compares generations and reads only what is new."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from sqlalchemy import Connection, bindparam, select

from feedback.aggregation.ceilings import Ceilings
from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.snapshot import Part, Snapshot, alive_mask
from feedback.store.segments.cache import SegmentCache
from feedback.store.segments.decode import Segment
from feedback.store.tables import datasets, segments, tombstones

MAX_DATASETS = 32
# Asked before every answer: made once, since making a statement takes longer than running this one.
_GENERATION = select(datasets.c.generation).where(datasets.c.id == bindparam("dataset"))


class Loader:
    """Snapshots of the datasets asked about last. Safe to share between threads."""

    def __init__(self, cache: SegmentCache, load_all: Callable[..., Iterable[Segment]] = map) -> None:
        """`load_all(function, ids, ...)` maps a function over segments, perhaps in several threads."""
        self.cache = cache
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
        columns = select(segments.c.id, segments.c.dead, segments.c.checksum)
        rows = connection.execute(columns.where(segments.c.dataset_id == dataset_id).order_by(segments.c.id)).all()
        held = {} if known is None else {part.segment.id: part for part in known.parts}
        missing = [(row.id, row.checksum) for row in rows if row.id not in held]
        loaded = self.cache.load(connection, missing, self.load_all)
        parts = []
        for row in rows:
            part = held.get(row.id)
            if part is None or part.documents - part.living != row.dead:
                segment = loaded[row.id] if part is None else part.segment
                dead = self._dead(connection, row.id) if row.dead else []
                part = Part(segment, alive_mask(segment.documents, dead), row.checksum)
            parts.append(part)
        return Snapshot(dataset_id, generation, tuple(parts))

    def _dead(self, connection: Connection, segment_id: int) -> list[int]:
        rows = connection.execute(select(tombstones.c.row).where(tombstones.c.segment_id == segment_id)).scalars()
        return list(rows)
