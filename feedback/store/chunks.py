"""The one transaction that makes a chunk of an import real: documents, segment, tombstones, errors, cursor."""

from collections import Counter
from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, insert, select, update

from feedback.domain.dataset import Dataset
from feedback.domain.document import Analysis, SentDocument
from feedback.domain.identifiers import new_ids
from feedback.domain.imports import DocumentError, ImportKind, ImportState
from feedback.domain.timestamps import month_of, now_ms
from feedback.domain.validation import ValidDocument
from feedback.errors import Code
from feedback.store import dialects, segments
from feedback.store.claims import Claim, purge_chunk
from feedback.store.datasets import lock_dataset
from feedback.store.engine import AnyRow
from feedback.store.tables import documents, erasures, import_errors, imports, monthly_documents
from feedback.store.webhooks import announce_end

_encode = msgspec.json.Encoder().encode
_NOTHING = b"{}"
_COLUMNS = tuple(column.name for column in documents.c)


class LostClaim(Exception):
    """Somebody else has claimed the import, or it is gone: nothing of this chunk may be stored."""


class AnalysedDocument(msgspec.Struct, frozen=True, gc=False):
    """A valid document with its place in the import and what the analysis found."""

    index: int
    document: ValidDocument
    analysis: Analysis


class ChunkCounts(msgspec.Struct):
    """What became of a chunk's documents."""

    written: int = 0
    failed: int = 0
    superseded: int = 0
    erased: int = 0


class _Write(msgspec.Struct, gc=False):
    """A document that is to be stored, and the row it replaces."""

    found: AnalysedDocument
    before: AnyRow | None


def commit_chunk(
    connection: Connection,
    claim: Claim,
    dataset: Dataset,
    *,
    end: int,
    analysed: Sequence[AnalysedDocument],
    errors: Sequence[DocumentError],
    release: bool,
) -> ChunkCounts:
    """Stores documents `claim.next_index` to `end` of an import; LostClaim where the claim no longer holds.

    Takes the dataset's lock first. Ends the import where `end` is its last document.
    """
    if lock_dataset(connection, claim.dataset_id) is None:
        raise LostClaim
    move_cursor(connection, claim, end, release=release)
    writes, erased, superseded, doubled = _sort_out(connection, claim, analysed)
    now = now_ms()
    if writes:
        _store(connection, claim, dataset, writes, now)
    failures = [*errors, *doubled]
    if failures:
        store_errors(connection, claim.import_id, failures)
    counts = ChunkCounts(len(writes), len({e.index for e in failures}), superseded, erased)
    count_chunk(connection, claim, counts, now)
    purge_chunk(connection, claim.import_id, end)
    if end >= claim.total:
        complete_import(connection, claim, now)
    return counts


def fail_import(connection: Connection, claim: Claim, reason: str) -> None:
    """Ends an import that cannot be processed as a whole."""
    now = now_ms()
    failed = connection.execute(
        update(imports)
        .where(imports.c.id == claim.import_id, imports.c.epoch == claim.epoch)
        .where(imports.c.state == ImportState.STARTED)
        .values(
            state=ImportState.FAILED, failure=reason, ended_at=now, updated_at=now, claimed_by=None, claim_until=None
        )
    )
    if failed.rowcount == 1:
        purge_chunk(connection, claim.import_id, claim.total)
        announce_end(connection, claim.import_id)


def move_cursor(connection: Connection, claim: Claim, end: int, *, release: bool) -> None:
    """Moves an import's cursor past a chunk; LostClaim where the claim no longer holds."""
    values: dict[str, object] = {"next_index": end}
    if release:
        values |= {"claimed_by": None, "claim_until": None}
    moved = connection.execute(
        update(imports)
        .where(
            imports.c.id == claim.import_id,
            imports.c.epoch == claim.epoch,
            imports.c.next_index == claim.next_index,
            imports.c.state == ImportState.STARTED,
        )
        .values(values)
    )
    if moved.rowcount != 1:
        raise LostClaim


def _sort_out(
    connection: Connection, claim: Claim, analysed: Sequence[AnalysedDocument]
) -> tuple[list[_Write], int, int, list[DocumentError]]:
    """What to write, how many were erased or superseded by what was accepted later, and which were sent twice."""
    last = {found.document.sent.external_id: found for found in analysed}
    doubled: list[DocumentError] = []
    if len(last) < len(analysed):
        sent = ((found, found.document.sent.external_id) for found in analysed)
        doubled = [_doubled(found.index, external_id) for found, external_id in sent if last[external_id] is not found]
    stored = _stored(connection, claim.dataset_id, list(last))
    erased_at = _erased(connection, claim, list(last))
    if not stored and not erased_at:
        return [_Write(found, None) for found in last.values()], 0, 0, doubled
    writes: list[_Write] = []
    erased = superseded = 0
    for external_id, found in last.items():
        before = stored.get(external_id)
        if external_id in erased_at:
            erased += 1
        elif before is not None and before.import_seq > claim.seq:
            superseded += 1
        else:
            if before is not None and before.import_id == claim.import_id:
                doubled.append(_doubled(before.document_index, external_id))
            writes.append(_Write(found, before))
    return writes, erased, superseded, doubled


def _doubled(index: int, external_id: str) -> DocumentError:
    description = "sent again later in the same import; the last one counts"
    field = f"documents[{index}].externalId"
    return DocumentError(Code.DUPLICATE_EXTERNAL_ID, description, field, external_id, index)


def _stored(connection: Connection, dataset_id: str, external_ids: list[str]) -> dict[str, AnyRow]:
    rows = connection.execute(
        select(
            documents.c.external_id,
            documents.c.id,
            documents.c.import_id,
            documents.c.import_seq,
            documents.c.document_index,
            documents.c.created_at,
            documents.c.run_id,
            documents.c.run_row,
        )
        .where(documents.c.dataset_id == dataset_id)
        .where(dialects.is_any(connection, documents.c.external_id, external_ids))
    )
    return {row.external_id: row for row in rows}


def _erased(connection: Connection, claim: Claim, external_ids: list[str]) -> set[str]:
    rows = connection.execute(
        select(erasures.c.external_id).where(
            erasures.c.dataset_id == claim.dataset_id,
            erasures.c.seq > claim.seq,
            dialects.is_any(connection, erasures.c.external_id, external_ids),
        )
    )
    return set(rows.scalars())


def _store(connection: Connection, claim: Claim, dataset: Dataset, writes: list[_Write], now: int) -> None:
    columns = [_columns(write, now) for write in writes]
    run_id = segments.write(connection, dataset, columns)
    ids = new_ids(len(writes))
    rows = [
        _row(claim, write, now, (run_id, row), fresh)
        for row, (write, fresh) in enumerate(zip(writes, ids, strict=True))
    ]
    dialects.upsert(connection, documents, _COLUMNS, rows)
    replaced = [write.before for write in writes if write.before is not None]
    if replaced:
        segments.bury(connection, dataset.id, [(r.run_id, r.run_row) for r in replaced])
        _supersede(connection, Counter(r.import_id for r in replaced if r.import_id != claim.import_id))


def _columns(write: _Write, now: int) -> segments.SegmentDocument:
    document, analysis, before = write.found.document, write.found.analysis, write.before
    return segments.SegmentDocument(
        external_id=document.sent.external_id,
        created_at=now if before is None else before.created_at,
        updated_at=now,
        type=document.type,
        lang=document.lang,
        metadata=document.typed,
        enrichments=analysis.enrichments,
        topics=analysis.topics,
        classifiers=analysis.classifiers,
    )


def _row(claim: Claim, write: _Write, now: int, place: tuple[int, int], fresh: str) -> tuple[object, ...]:
    """The values of `_COLUMNS`."""
    found, before = write.found, write.before
    document, analysis = found.document, found.analysis
    sent: SentDocument = document.sent
    return (
        claim.dataset_id,
        sent.external_id,
        fresh if before is None else before.id,
        claim.import_id,
        claim.seq,
        found.index,
        document.lang,
        document.type,
        sent.content,
        _encode(sent.metadata),
        _encode(analysis.enrichments),
        _encode(analysis.topics),
        _encode(analysis.classifiers) if analysis.classifiers else _NOTHING,
        analysis.version,
        now if before is None else before.created_at,
        now,
        now,
        *place,
        None,
    )


def _supersede(connection: Connection, replaced: Counter[str]) -> None:
    """Moves replaced documents in the record of the import they came with, so that its sum keeps holding."""
    for import_id, count in replaced.items():
        connection.execute(
            update(imports).where(imports.c.id == import_id).values(superseded=imports.c.superseded + count)
        )


def store_errors(connection: Connection, import_id: str, failures: Sequence[DocumentError]) -> None:
    """Stores the errors of a chunk's documents."""
    ordinals: Counter[int] = Counter()
    rows = []
    for error in failures:
        rows.append(
            {
                "import_id": import_id,
                "document_index": error.index,
                "ordinal": ordinals[error.index],
                "code": error.code,
                "description": error.description,
                "field": error.field,
                "external_id": error.external_id,
            }
        )
        ordinals[error.index] += 1
    connection.execute(insert(import_errors), rows)


def count_chunk(connection: Connection, claim: Claim, counts: ChunkCounts, now: int) -> None:
    """Adds what became of a chunk's documents to the import's record."""
    connection.execute(
        update(imports)
        .where(imports.c.id == claim.import_id)
        .values(
            processed=imports.c.next_index,
            failed=imports.c.failed + counts.failed,
            superseded=imports.c.superseded + counts.superseded,
            erased=imports.c.erased + counts.erased,
            updated_at=now,
        )
    )
    if counts.written and claim.kind is ImportKind.DOCUMENTS:
        month = {"dataset_id": claim.dataset_id, "month": month_of(now), "count": counts.written}
        dialects.add(connection, monthly_documents, month, "count")


def complete_import(connection: Connection, claim: Claim, now: int) -> None:
    """Ends an import whose last document is dealt with."""
    connection.execute(
        update(imports)
        .where(imports.c.id == claim.import_id)
        .values(state=ImportState.COMPLETED, ended_at=now, updated_at=now, claimed_by=None, claim_until=None)
    )
    announce_end(connection, claim.import_id)
