"""What an idle worker does: merges small segments, and deletes what has served its time or was erased."""

import time

import structlog
from sqlalchemy import Engine, delete, select

from feedback.domain.timestamps import DAY_MS, now_ms
from feedback.settings import Settings
from feedback.store import segments
from feedback.store.clients import purge_tokens
from feedback.store.datasets import find_dataset
from feedback.store.deliveries import purge_deliveries
from feedback.store.engine import snapshot
from feedback.store.tables import datasets, idempotency_keys

_log = structlog.get_logger()

PURGE_EVERY_SECONDS = 60.0


class Housekeeping:
    """Does a little at a time, so that work that arrives waits briefly."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._generations: dict[str, int] = {}
        self._purged = float("-inf")

    def turn(self) -> bool:
        """Does one piece of work; False where there was none."""
        if time.monotonic() - self._purged > PURGE_EVERY_SECONDS:
            self._purge()
            self._purged = time.monotonic()
            return True
        return self._compact_one()

    def _compact_one(self) -> bool:
        with snapshot(self._engine) as connection, connection.begin():
            found = connection.execute(select(datasets.c.id, datasets.c.generation)).tuples()
            generations: dict[str, int] = dict(iter(found))
        for dataset_id, generation in generations.items():
            if self._generations.get(dataset_id) == generation:
                continue
            with snapshot(self._engine) as connection, connection.begin():
                dataset = find_dataset(connection, dataset_id)
            before = self._erased_before()
            merged = 0 if dataset is None else segments.compact(self._engine, dataset, erased_before=before)
            if merged:
                _log.info("segments merged", dataset_id=dataset_id, segments=merged)
                return True
            self._generations[dataset_id] = generation
        return False

    def _erased_before(self) -> int:
        return now_ms() - int(self._settings.erased_row_days * DAY_MS)

    def _purge(self) -> None:
        keys_before = now_ms() - int(self._settings.idempotency_days * DAY_MS)
        with self._engine.begin() as connection:
            purge_tokens(connection, now_ms() - DAY_MS)
            purge_deliveries(connection, now_ms() - int(self._settings.delivery_days * DAY_MS))
            connection.execute(delete(idempotency_keys).where(idempotency_keys.c.created_at < keys_before))
            # Nothing has changed in these since they were looked at, but time has passed.
            for dataset_id in segments.holding_erased(connection, self._erased_before()):
                self._generations.pop(dataset_id, None)
