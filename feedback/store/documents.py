"""Analysed documents as they are read back, one by one or import by import, and their erasure."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, func, select, update

from feedback.domain.findings import shown, unpacked
from feedback.domain.imports import ImportKind, ImportState
from feedback.domain.timestamps import now_ms
from feedback.errors import NotFound
from feedback.store import dialects, segments
from feedback.store.datasets import lock_dataset, next_seq
from feedback.store.engine import AnyRow
from feedback.store.tables import documents, erasures, import_errors, imports

_encode = msgspec.json.Encoder().encode
_AT_ONCE = 50
_SHOWN = [
    documents.c[name]
    for name in (
        "id",
        "external_id",
        "lang",
        "type",
        "content",
        "metadata",
        "enrichments",
        "topics",
        "classifiers",
        "analysis_version",
        "created_at",
        "updated_at",
        "analysed_at",
        "found",
    )
]


class StoredDocument(msgspec.Struct, frozen=True):
    """A document as stored; `metadata`, `enrichments`, `topics` and `classifiers` are JSON that is passed on unread."""

    id: str
    external_id: str
    lang: str
    type: str
    content: str
    metadata: bytes
    enrichments: bytes
    topics: bytes
    classifiers: bytes
    analysis_version: str
    created_at: int
    updated_at: int
    analysed_at: int


class Erasure(msgspec.Struct, frozen=True):
    """That a document was erased, and when."""

    external_id: str
    erased_at: int


def get_document(connection: Connection, dataset_id: str, external_id: str) -> StoredDocument:
    """The document of that external id; NotFound where the dataset has none."""
    if "\0" not in external_id:
        row = connection.execute(
            select(*_SHOWN).where(documents.c.dataset_id == dataset_id, documents.c.external_id == external_id)
        ).first()
        if row is not None:
            return _document(row)
    raise _unknown()


def list_documents(connection: Connection, import_id: str, offset: int, limit: int) -> Iterator[StoredDocument]:
    """A page of the documents that an import wrote and nothing has replaced since, in the order they were sent.

    They are read as they are asked for: 500 of the longest are 50 MB.
    """
    own = select(*_SHOWN).where(documents.c.import_id == import_id)
    return _page(connection, own.order_by(documents.c.document_index), offset, limit)


def list_reanalysed(connection: Connection, import_id: str, offset: int, limit: int) -> Iterator[StoredDocument]:
    """A page of the documents in which a re-analysis found something else than was known, by external id."""
    changed = select(*_SHOWN).where(documents.c.reanalysis_id == import_id)
    return _page(connection, changed.order_by(documents.c.external_id), offset, limit)


def documents_of(connection: Connection, dataset_id: str, external_ids: list[str]) -> list[StoredDocument]:
    """The documents of the given external ids, in that order; one that is not there is left out."""
    if not external_ids:
        return []
    rows = connection.execute(
        select(*_SHOWN).where(
            documents.c.dataset_id == dataset_id, dialects.is_any(connection, documents.c.external_id, external_ids)
        )
    )
    found = {row.external_id: _document(row) for row in rows}
    return [found[external_id] for external_id in external_ids if external_id in found]


def erase_document(connection: Connection, dataset_id: str, external_id: str) -> None:
    """Erases a document from everything; NotFound where there is none and no unfinished import may hold it.

    What imports tell of a refused document of that id names it no longer.
    The erasure takes its place in the order of acceptance, so that an import accepted before it cannot bring it back.
    """
    if "\0" in external_id or lock_dataset(connection, dataset_id) is None:
        raise _unknown()
    row = connection.execute(
        delete(documents)
        .where(documents.c.dataset_id == dataset_id, documents.c.external_id == external_id)
        .returning(documents.c.import_id, documents.c.run_id, documents.c.run_row)
    ).first()
    if row is not None:
        segments.bury(connection, dataset_id, [(row.run_id, row.run_row)], now_ms())
        connection.execute(update(imports).where(imports.c.id == row.import_id).values(erased=imports.c.erased + 1))
    if (
        not _forget_refused(connection, dataset_id, external_id)
        and row is None
        and not _awaited(connection, dataset_id)
    ):
        raise _unknown()
    seq = next_seq(connection, dataset_id)
    erasure = (dataset_id, external_id, seq, now_ms())
    dialects.upsert(connection, erasures, ("dataset_id", "external_id", "seq", "erased_at"), [erasure])


def count_erasures(connection: Connection, dataset_id: str, since: int) -> int:
    """How many erasures lie at or after an instant."""
    wanted = (erasures.c.dataset_id == dataset_id) & (erasures.c.erased_at >= since)
    return connection.scalar(select(func.count()).select_from(erasures).where(wanted)) or 0


def list_erasures(connection: Connection, dataset_id: str, since: int, offset: int, limit: int) -> list[Erasure]:
    """Erasures at or after an instant, oldest first."""
    rows = connection.execute(
        select(erasures.c.external_id, erasures.c.erased_at)
        .where(erasures.c.dataset_id == dataset_id, erasures.c.erased_at >= since)
        .order_by(erasures.c.erased_at, erasures.c.external_id)
        .offset(offset)
        .limit(limit)
    )
    return [Erasure(*row) for row in rows]


def _forget_refused(connection: Connection, dataset_id: str, external_id: str) -> bool:
    """Takes the id, and values that a description may repeat, out of the errors of imports; False where it has none."""
    own = select(imports.c.id).where(imports.c.dataset_id == dataset_id)
    refused = (import_errors.c.external_id == external_id) & import_errors.c.import_id.in_(own)
    erased = {"external_id": None, "description": "the refused document was erased"}
    return connection.execute(update(import_errors).where(refused).values(erased)).rowcount > 0


def _awaited(connection: Connection, dataset_id: str) -> bool:
    """Whether an import is under way that might still bring the document; a re-analysis brings none."""
    unfinished = select(imports.c.id).where(
        imports.c.dataset_id == dataset_id,
        imports.c.state == ImportState.STARTED,
        imports.c.kind == ImportKind.DOCUMENTS,
    )
    return connection.execute(unfinished.limit(1)).first() is not None


def _unknown() -> NotFound:
    return NotFound(
        "there is no document of that externalId in this dataset; one sent just now is there when its import has ended"
    )


def _page(connection: Connection, wanted: Select[Any], offset: int, limit: int) -> Iterator[StoredDocument]:
    # A short page costs a single call of the database.
    options = {"yield_per": _AT_ONCE} if limit > _AT_ONCE else {}
    return map(_document, connection.execute(wanted.offset(offset).limit(limit), execution_options=options))


def _document(row: AnyRow) -> StoredDocument:
    *values, found = row
    document = StoredDocument(*values)
    if found is None:
        return document
    enrichments, topics, classifiers = unpacked(found)
    shown_enrichments, shown_topics = shown(enrichments, topics)
    return msgspec.structs.replace(
        document,
        enrichments=_encode(shown_enrichments),
        topics=_encode(shown_topics),
        classifiers=_encode(classifiers),
    )
