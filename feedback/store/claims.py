"""Who works on which import: claims with an epoch, so that a worker that was thought dead commits nothing."""

import msgspec
from sqlalchemy import Connection, Integer, and_, bindparam, delete, func, insert, or_, select, text, update

from feedback.domain.imports import ImportKind, ImportState
from feedback.domain.timestamps import now_ms
from feedback.store.blocks import unpack
from feedback.store.tables import chunk_attempts, import_blocks, imports

_CANDIDATES = 20
# Statements of every chunk are made once: making one takes several times as long as SQLAlchemy needs to run it.
_CLAIMABLE = and_(
    imports.c.state == ImportState.STARTED,
    or_(
        imports.c.claimed_by.is_(None),
        imports.c.claim_until < bindparam("present"),
        imports.c.claimed_by == bindparam("worker"),
    ),
)
_WAITS = select(imports.c.id).where(_CLAIMABLE).limit(1)
_OLDEST = (
    select(imports)
    .where(_CLAIMABLE)
    .order_by(imports.c.served_at, imports.c.created_at)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True)
)
_CLAIM = (
    update(imports)
    .where(
        imports.c.id == bindparam("wanted"),
        imports.c.epoch == bindparam("known_epoch"),
        imports.c.state == ImportState.STARTED,
    )
    .values(
        claimed_by=bindparam("worker"),
        claim_until=bindparam("until"),
        epoch=bindparam("new_epoch"),
        served_at=bindparam("present"),
    )
)
_OWN_BLOCKS = import_blocks.c.import_id == bindparam("wanted")
_BLOCKS = (
    select(import_blocks.c.payload)
    .where(_OWN_BLOCKS, import_blocks.c.first_index >= bindparam("start"))
    .where(import_blocks.c.first_index < bindparam("end"))
    .order_by(import_blocks.c.first_index)
)
_PURGES = (
    delete(import_blocks).where(_OWN_BLOCKS, import_blocks.c.first_index < bindparam("before")),
    delete(chunk_attempts).where(
        chunk_attempts.c.import_id == bindparam("wanted"), chunk_attempts.c.first_index < bindparam("before")
    ),
)
_THIS_ATTEMPT = and_(
    chunk_attempts.c.import_id == bindparam("wanted"),
    chunk_attempts.c.first_index == bindparam("first"),
    chunk_attempts.c.documents == bindparam("size"),
)
_AGAIN = (
    update(chunk_attempts)
    .where(_THIS_ATTEMPT)
    .values(attempts=chunk_attempts.c.attempts + 1, started_at=bindparam("present"))
    .returning(chunk_attempts.c.attempts)
)
_FIRST_TIME = insert(chunk_attempts).values(attempts=1)
CHUNK_BYTES = 2 * 1024 * 1024
_EVICTION = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND xact_start IS NOT NULL"
    " AND application_name <> :worker AND application_name IN"
    " (SELECT claimed_by FROM imports WHERE state = :state AND claim_until < :now)"
)


class Claim(msgspec.Struct, frozen=True):
    """The right to commit an import's next chunk, as long as nobody has claimed it since."""

    import_id: str
    dataset_id: str
    seq: int
    epoch: int
    next_index: int
    total: int
    kind: ImportKind = ImportKind.DOCUMENTS


def work_waits(connection: Connection, worker: str) -> bool:
    """Whether a worker could claim anything; a plain read, so that an idle worker locks nothing."""
    return connection.execute(_WAITS, {"present": now_ms(), "worker": worker}).first() is not None


def claim_next(connection: Connection, worker: str, claim_ms: int, taken: dict[str, int]) -> Claim | None:
    """Claims the open import that has waited longest since its last chunk, so that all get their turn.

    `taken` says up to which index this worker has read the imports that it has in flight; one that is read to its end
    is passed over. An import that the worker already holds keeps its epoch.
    """
    most = _CANDIDATES + len(taken)
    candidates = connection.execute(_OLDEST, {"present": now_ms(), "worker": worker, "most": most}).all()
    for row in candidates:
        held = row.claimed_by == worker and row.id in taken
        start = taken[row.id] if held else row.next_index
        if start >= row.total:
            continue
        epoch = row.epoch if held else row.epoch + 1
        now = now_ms()
        values = {"worker": worker, "until": now + claim_ms, "new_epoch": epoch, "present": now}
        claimed = connection.execute(_CLAIM, {"wanted": row.id, "known_epoch": row.epoch} | values)
        if claimed.rowcount == 1:
            return Claim(row.id, row.dataset_id, row.seq, epoch, start, row.total, ImportKind(row.kind))
    return None


def evict_silent(connection: Connection, worker: str) -> int:
    """Ends transactions of other workers whose claims have run out, and returns how many: their locks would stop us.

    A worker that froze amid a statement, or whose machine went then, does not look idle to PostgreSQL, which would wait
    for the rest of the statement for hours. Connections are known by their worker's name.
    """
    if connection.dialect.name != "postgresql":
        return 0
    silent = {"now": now_ms(), "state": ImportState.STARTED.value, "worker": worker}
    return len(connection.execute(_EVICTION, silent).all())


def renew_claims(connection: Connection, worker: str, claim_ms: int) -> None:
    """The heartbeat: prolongs all of a worker's claims; fails where another holds their rows for too long."""
    if connection.dialect.name == "postgresql":
        # A heart that waits for a silent worker's locks could not end that worker's transactions.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, claim_ms // 3)}")
    connection.execute(
        update(imports)
        .where(imports.c.claimed_by == worker, imports.c.state == ImportState.STARTED)
        .values(claim_until=now_ms() + claim_ms)
    )


def release_claims(connection: Connection, worker: str) -> None:
    """Gives all of a worker's claims back, so that nobody has to wait for them to run out."""
    connection.execute(update(imports).where(imports.c.claimed_by == worker).values(claimed_by=None, claim_until=None))


def read_chunk(connection: Connection, import_id: str, start: int, limit: int) -> list[bytes]:
    """The raw documents from `start`, in whole blocks: about `limit` of them, 2 MiB, and at least one block."""
    documents: list[bytes] = []
    size = 0
    for row in connection.execute(_BLOCKS, {"wanted": import_id, "start": start, "end": start + limit}):
        block = unpack(row.payload)
        documents += block
        size += sum(map(len, block))
        if len(documents) >= limit or size >= CHUNK_BYTES:
            break
    return documents


def record_attempt(connection: Connection, import_id: str, first_index: int, documents: int) -> int:
    """Notes that a chunk is about to run and returns how many times that has been noted, this one included."""
    this = {"wanted": import_id, "first": first_index, "size": documents, "present": now_ms()}
    attempts: int | None = connection.scalar(_AGAIN, this)
    if attempts is not None:
        return attempts
    noted = {"import_id": import_id, "first_index": first_index, "documents": documents, "started_at": this["present"]}
    connection.execute(_FIRST_TIME, noted)
    return 1


def forget_attempt(connection: Connection, import_id: str, first_index: int, documents: int) -> None:
    """Takes back an attempt that its worker outlived: no text of the chunk is to blame for it."""
    connection.execute(
        update(chunk_attempts)
        .where(_THIS_ATTEMPT, chunk_attempts.c.attempts > 0)
        .values(attempts=chunk_attempts.c.attempts - 1),
        {"wanted": import_id, "first": first_index, "size": documents},
    )


def purge_chunk(connection: Connection, import_id: str, before: int) -> None:
    """Deletes the raw blocks and attempts of documents that are dealt with."""
    for purge in _PURGES:
        connection.execute(purge, {"wanted": import_id, "before": before})


def open_imports(connection: Connection) -> int:
    """How many imports are not finished."""
    own = imports.c.state == ImportState.STARTED
    return connection.scalar(select(func.count()).select_from(imports).where(own)) or 0
