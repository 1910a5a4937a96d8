"""Imports from their acceptance to their record: the rows a caller sees, and the blocks the worker reads."""

from collections.abc import Iterable
from itertools import islice

import msgspec
from sqlalchemy import Connection, Integer, bindparam, func, insert, select

from feedback.domain.identifiers import is_id, new_id
from feedback.domain.imports import DocumentError, Import, ImportKind, ImportState
from feedback.domain.timestamps import now_ms
from feedback.errors import NotFound
from feedback.store.datasets import next_seq
from feedback.store.engine import AnyRow
from feedback.store.tables import import_blocks, import_errors, imports
from feedback.store.webhooks import announce_end

_ROWS = 64
_FIELDS = [imports.c[name] for name in Import.__struct_fields__]
# Clients ask for imports again and again: a statement that is made once takes a seventh of the time.
_ONE = select(*_FIELDS).where(imports.c.id == bindparam("wanted"), imports.c.dataset_id == bindparam("dataset"))
_ERRORS = (
    select(*(import_errors.c[name] for name in ("code", "description", "field", "external_id", "document_index")))
    .where(import_errors.c.import_id == bindparam("wanted"))
    .order_by(import_errors.c.document_index, import_errors.c.ordinal)
    .offset(bindparam("skipped", type_=Integer))
    .limit(bindparam("most", type_=Integer))
)


def accept_import(
    connection: Connection,
    dataset_id: str,
    client_id: str | None,
    total: int,
    blocks: Iterable[tuple[int, bytes]],
    *,
    kind: ImportKind = ImportKind.DOCUMENTS,
) -> Import:
    """Stores an import with all its blocks. The caller's transaction is what makes it accepted.

    An import without documents ends in the transaction that accepts it; the record returned still reads STARTED.
    """
    now = now_ms()
    batch = Import(
        id=new_id(),
        dataset_id=dataset_id,
        seq=next_seq(connection, dataset_id),
        state=ImportState.STARTED,
        total=total,
        processed=0,
        failed=0,
        superseded=0,
        erased=0,
        created_at=now,
        updated_at=now,
        kind=kind,
    )
    values = msgspec.structs.asdict(batch) | {"client_id": client_id}
    if total == 0:
        values |= {"state": ImportState.COMPLETED, "ended_at": now}
    connection.execute(insert(imports).values(values))
    first, remaining = 0, iter(blocks)
    while rows := list(islice(remaining, _ROWS)):
        values_of_rows = []
        for documents, payload in rows:
            values_of_rows.append(
                {"import_id": batch.id, "first_index": first, "documents": documents, "payload": payload}
            )
            first += documents
        connection.execute(insert(import_blocks), values_of_rows)
    if total == 0:
        announce_end(connection, batch.id)
    return batch


def get_import(connection: Connection, dataset_id: str, import_id: str) -> Import:
    """One import of a dataset; NotFound where there is none."""
    if is_id(import_id):
        row = connection.execute(_ONE, {"wanted": import_id, "dataset": dataset_id}).first()
        if row is not None:
            return _import(row)
    message = f"there is no import {import_id} in this dataset"
    raise NotFound(message)


def list_imports(connection: Connection, dataset_id: str, offset: int, limit: int) -> tuple[int, list[Import]]:
    """How many imports a dataset has, and a page of them in the order of acceptance."""
    own = imports.c.dataset_id == dataset_id
    total = connection.scalar(select(func.count()).select_from(imports).where(own)) or 0
    rows = connection.execute(select(*_FIELDS).where(own).order_by(imports.c.seq).offset(offset).limit(limit))
    return total, [_import(row) for row in rows]


def list_errors(connection: Connection, import_id: str, offset: int, limit: int) -> list[DocumentError]:
    """A page of an import's errors, in the order of its documents."""
    rows = connection.execute(_ERRORS, {"wanted": import_id, "skipped": offset, "most": limit})
    return [DocumentError(*row) for row in rows]


def count_errors(connection: Connection, import_id: str) -> int:
    """How many errors an import has; a document may have several."""
    own = import_errors.c.import_id == import_id
    return connection.scalar(select(func.count()).select_from(import_errors).where(own)) or 0


def queued_documents(connection: Connection) -> int:
    """How many documents are accepted and not yet dealt with, over all datasets."""
    waiting = func.sum(imports.c.total - imports.c.processed)
    return int(connection.scalar(select(waiting).where(imports.c.state == ImportState.STARTED)) or 0)


def _import(row: AnyRow) -> Import:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's documented access to a row as a mapping.
    return Import(**values | {"state": ImportState(values["state"]), "kind": ImportKind(values["kind"])})
