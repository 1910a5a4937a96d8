"""The ledger: what was sent, what became of it, what is open. A row is written before a post and completed after."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Row, and_, func, or_, select, update

from feedback.client.models import Import
from tasks.warehouse.database import Warehouse
from tasks.warehouse.tables import import_ledger, loads

PENDING = "PENDING"


@dataclass(frozen=True, slots=True)
class Load:
    """One file (or partition) to be loaded into a dataset; `generation` sets a repeated load apart from the first.

    `origin` is the file that the documents' lines are counted in, where that is another: of a replay.
    """

    feed: str
    dataset_id: str
    source_file: str
    file_hash: str
    partition: str = ""
    generation: int = 0
    origin: str = ""

    @property
    def id(self) -> str:
        """The same for the same file, wherever it lies: a load is known by what it holds."""
        said = "\x1f".join([self.feed, self.dataset_id, self.file_hash, self.partition, str(self.generation)])
        return hashlib.sha256(said.encode()).hexdigest()[:24]

    def key(self, batch: int, body_hash: str) -> str:
        """The Idempotency-Key of one batch: a rerun that sends the same bytes sends the same key."""
        return hashlib.sha256(f"{self.id}\x1f{batch}\x1f{body_hash}".encode()).hexdigest()[:48]


@dataclass(frozen=True, slots=True)
class Entry:
    """One import of the ledger. `import_id` is None while nobody knows whether the post arrived."""

    idempotency_key: str
    load_id: str
    feed: str
    dataset_id: str
    source_file: str
    batch: int
    document_count: int
    import_id: str | None
    state: str
    created_at: datetime
    posted_at: datetime | None
    deadline: datetime | None
    event_at: datetime | None
    collected_at: datetime | None


_ENTRY = [import_ledger.c[name] for name in Entry.__slots__]


def begin_load(warehouse: Warehouse, load: Load, *, rows: int, accepted: int, quarantine: str, batches: int) -> None:
    """Note that a file is about to be sent."""
    row = {
        "id": load.id,
        "feed": load.feed,
        "dataset_id": load.dataset_id,
        "source_file": load.source_file,
        "file_hash": load.file_hash,
        "partition": load.partition,
        "generation": load.generation,
        "row_count": rows,
        "accepted": accepted,
        "rejected": rows - accepted,
        "quarantine": quarantine or None,
        "batches": batches,
        "started_at": datetime.now(UTC),
        "sent_at": None,
    }
    with warehouse.write() as connection:
        warehouse.upsert(connection, loads, [row])


def finish_load(warehouse: Warehouse, load: Load) -> None:
    """Note that all of a file was sent."""
    with warehouse.write() as connection:
        connection.execute(update(loads).where(loads.c.id == load.id).values(sent_at=datetime.now(UTC)))


def find_load(warehouse: Warehouse, load_id: str) -> Row[Any] | None:
    """What the ledger knows of a load."""
    with warehouse.read() as connection:
        return connection.execute(select(loads).where(loads.c.id == load_id)).one_or_none()


def dataset_before(warehouse: Warehouse, feed: str, load_id: str) -> str | None:
    """The dataset that the feed's load before this one went to."""
    others = select(loads.c.dataset_id).where(loads.c.feed == feed, loads.c.id != load_id)
    with warehouse.read() as connection:
        return connection.execute(others.order_by(loads.c.started_at.desc()).limit(1)).scalar()


def loaded_before(warehouse: Warehouse, load: Load) -> bool:
    """Whether this very file, or this partition when it has a name, was sent to the end in this generation."""
    same = loads.c.partition == load.partition if load.partition else loads.c.id == load.id
    scope = and_(
        loads.c.feed == load.feed, loads.c.dataset_id == load.dataset_id, loads.c.generation == load.generation
    )
    sent = select(func.count()).select_from(loads).where(scope, same, loads.c.sent_at.is_not(None))
    with warehouse.read() as connection:
        return bool(connection.execute(sent).scalar())


def announce(warehouse: Warehouse, load: Load, batch: int, key: str, manifest: Sequence[tuple[str, int]]) -> str | None:
    """Write the row of a batch before it is posted; the id of its import when a run before this one completed it."""
    with warehouse.write() as connection:
        known = connection.execute(
            select(import_ledger.c.import_id).where(import_ledger.c.idempotency_key == key)
        ).one_or_none()
        if known is not None:
            return str(known.import_id) if known.import_id else None
        row = {
            "idempotency_key": key,
            "load_id": load.id,
            "feed": load.feed,
            "dataset_id": load.dataset_id,
            "partition": load.partition,
            "file_hash": load.file_hash,
            "source_file": load.origin or load.source_file,
            "batch": batch,
            "document_count": len(manifest),
            "manifest": zlib.compress(msgspec.json.encode(list(manifest)), 1),
            "state": PENDING,
            "created_at": datetime.now(UTC),
        }
        # Another load of the same file may have announced it just now; both then post one body under one key.
        connection.execute(warehouse.insert(import_ledger).on_conflict_do_nothing(), row)
    return None


def complete(warehouse: Warehouse, key: str, answer: Import, deadline: timedelta) -> None:
    """Complete the row of a batch with the service's answer."""
    now = datetime.now(UTC)
    values = {"import_id": answer.id, "state": answer.state, "posted_at": now, "deadline": now + deadline}
    with warehouse.write() as connection:
        connection.execute(update(import_ledger).where(import_ledger.c.idempotency_key == key).values(**values))


def note_state(warehouse: Warehouse, import_id: str, state: str) -> None:
    """Note how an import stands."""
    _update(warehouse, import_id, state=state)


def note_event(warehouse: Warehouse, import_id: str) -> bool:
    """Note that the service told of an import's end; False when the ledger does not know the import (yet)."""
    return _update(warehouse, import_id, event_at=datetime.now(UTC)) > 0


def posting(warehouse: Warehouse, dataset_id: str) -> bool:
    """Whether a batch was announced for a dataset whose import is not noted yet."""
    unnamed = and_(import_ledger.c.dataset_id == dataset_id, import_ledger.c.import_id.is_(None))
    with warehouse.read() as connection:
        return connection.execute(select(import_ledger.c.load_id).where(unnamed).limit(1)).first() is not None


def note_collected(warehouse: Warehouse, ended: Import, listed: int) -> None:
    """Note that an import is in the warehouse, with its reconciled counts."""
    _update(
        warehouse,
        ended.id,
        state=ended.state,
        collected_at=datetime.now(UTC),
        listed=listed,
        failed=ended.failed_documents,
        superseded=ended.superseded_documents,
        erased=ended.erased_documents,
    )


def find_import(warehouse: Warehouse, import_id: str) -> Entry | None:
    """The ledger's row of an import."""
    with warehouse.read() as connection:
        row = connection.execute(select(*_ENTRY).where(import_ledger.c.import_id == import_id)).one_or_none()
    return Entry(*row) if row else None


def manifest_of(warehouse: Warehouse, import_id: str) -> dict[str, int]:
    """The external ids that were sent in an import, each with its line in the source."""
    with warehouse.read() as connection:
        packed = connection.execute(
            select(import_ledger.c.manifest).where(import_ledger.c.import_id == import_id)
        ).scalar()
    return dict(msgspec.json.decode(zlib.decompress(packed), type=list[tuple[str, int]])) if packed else {}


def open_imports(
    warehouse: Warehouse, *, load_id: str | None = None, older_than: timedelta | None = None
) -> list[Entry]:
    """What was posted and is not yet collected, oldest first; imports that an event tells of are never too young."""
    conditions: list[ColumnElement[bool]] = [
        import_ledger.c.import_id.is_not(None),
        import_ledger.c.collected_at.is_(None),
    ]
    if load_id:
        conditions.append(import_ledger.c.load_id == load_id)
    if older_than is not None:
        old = import_ledger.c.posted_at <= datetime.now(UTC) - older_than
        conditions.append(or_(old, import_ledger.c.event_at.is_not(None)))
    with warehouse.read() as connection:
        query = select(*_ENTRY).where(*conditions).order_by(import_ledger.c.posted_at, import_ledger.c.batch)
        return [Entry(*row) for row in connection.execute(query)]


def half_sent(warehouse: Warehouse) -> list[Entry]:
    """Rows announced and never completed: a run died between the two. Loading the same file again settles them."""
    with warehouse.read() as connection:
        query = select(*_ENTRY).where(import_ledger.c.import_id.is_(None)).order_by(import_ledger.c.created_at)
        return [Entry(*row) for row in connection.execute(query)]


def _update(warehouse: Warehouse, import_id: str, **values: Any) -> int:
    with warehouse.write() as connection:
        statement = update(import_ledger).where(import_ledger.c.import_id == import_id).values(**values)
        return int(connection.execute(statement).rowcount)
