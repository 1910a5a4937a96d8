"""The one transaction that makes a chunk of an import real: documents, segment, tombstones, errors, cursor."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from feedback.domain.dataset import Dataset
from feedback.domain.findings import Findings
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
# Nearly always the same in all documents of a chunk.
_ALIKE = ("lang", "type", "analysis_version", "created_at")
# Statements of every chunk are made once: making one takes several times as long as SQLAlchemy needs to run it.
_MOVE = (
    update(imports)
    .where(
        imports.c.id == bindparam("wanted"),
        imports.c.epoch == bindparam("known_epoch"),
        imports.c.next_index == bindparam("known_index"),
        imports.c.state == ImportState.STARTED,
    )
    .values(next_index=bindparam("end"))
)
_MOVE_AND_RELEASE = _MOVE.values(claimed_by=None, claim_until=None)
_COUNT = (
    update(imports)
    .where(imports.c.id == bindparam("wanted"))
    .values(
        processed=imports.c.next_index,
        failed=imports.c.failed + bindparam("of_failed"),
        superseded=imports.c.superseded + bindparam("of_superseded"),
        erased=imports.c.erased + bindparam("of_erased"),
        updated_at=bindparam("present"),
    )
)


class LostClaim(Exception):
    """Somebody else has claimed the import, or it is gone: nothing of this chunk may be stored."""


class AnalysedDocument(msgspec.Struct, frozen=True, gc=False):
    """A valid document with its place in the import and what the analysis found."""

    index: int
    document: ValidDocument
    place: int
    among: Findings

    @property
    def packed(self) -> bytes:
        """What was found, as it is stored."""
        return self.among.texts[self.place]


class ChunkCounts(msgspec.Struct):
    """What became of a chunk's documents."""

    written: int = 0
    failed: int = 0
    superseded: int = 0
    erased: int = 0


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
    accepted_last = lock_dataset(connection, claim.dataset_id)
    if accepted_last is None:
        raise LostClaim
    move_cursor(connection, claim, end, release=release)
    stored = _stored(connection, claim.dataset_id, analysed)
    erased_since = _erased(connection, claim, analysed) if accepted_last > claim.seq else set()
    written, erased, superseded, doubled = _sort_out(claim, analysed, stored, erased_since)
    now = now_ms()
    if written:
        _store(connection, claim, dataset, written, stored, now=now)
    failures = [*errors, *doubled]
    if failures:
        store_errors(connection, claim.import_id, failures)
    counts = ChunkCounts(len(written), len({e.index for e in failures}), superseded, erased)
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
    known = {"wanted": claim.import_id, "known_epoch": claim.epoch, "known_index": claim.next_index, "end": end}
    moved = connection.execute(_MOVE_AND_RELEASE if release else _MOVE, known)
    if moved.rowcount != 1:
        raise LostClaim


def _sort_out(
    claim: Claim, analysed: Sequence[AnalysedDocument], stored: Mapping[str, AnyRow], erased_since: set[str]
) -> tuple[Sequence[AnalysedDocument], int, int, list[DocumentError]]:
    """What to write, how many were erased or superseded by what was accepted later, and which were sent twice."""
    last = {found.document.sent.external_id: found for found in analysed}
    doubled: list[DocumentError] = []
    if len(last) < len(analysed):
        sent = ((found, found.document.sent.external_id) for found in analysed)
        doubled = [_doubled(found.index, external_id) for found, external_id in sent if last[external_id] is not found]
    if not stored and not erased_since:
        return list(last.values()), 0, 0, doubled
    written: list[AnalysedDocument] = []
    erased = superseded = 0
    for external_id, found in last.items():
        before = stored.get(external_id)
        if external_id in erased_since:
            erased += 1
        elif before is not None and before.import_seq > claim.seq:
            superseded += 1
        else:
            if before is not None and before.import_id == claim.import_id:
                doubled.append(_doubled(before.document_index, external_id))
            written.append(found)
    return written, erased, superseded, doubled


def _doubled(index: int, external_id: str) -> DocumentError:
    description = "sent again later in the same import; the last one counts"
    field = f"documents[{index}].externalId"
    return DocumentError(Code.DUPLICATE_EXTERNAL_ID, description, field, external_id, index)


def _stored(connection: Connection, dataset_id: str, analysed: Sequence[AnalysedDocument]) -> dict[str, AnyRow]:
    """What the dataset has of these documents' external ids."""
    external_ids = [found.document.sent.external_id for found in analysed]
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


def _erased(connection: Connection, claim: Claim, analysed: Sequence[AnalysedDocument]) -> set[str]:
    """Which of these documents were erased after the import was accepted."""
    external_ids = [found.document.sent.external_id for found in analysed]
    rows = connection.execute(
        select(erasures.c.external_id).where(
            erasures.c.dataset_id == claim.dataset_id,
            erasures.c.seq > claim.seq,
            dialects.is_any(connection, erasures.c.external_id, external_ids),
        )
    )
    return set(rows.scalars())


def _store(
    connection: Connection,
    claim: Claim,
    dataset: Dataset,
    written: Sequence[AnalysedDocument],
    stored: Mapping[str, AnyRow],
    *,
    now: int,
) -> None:
    sent = [found.document.sent for found in written]
    before = [stored.get(document.external_id) for document in sent] if stored else [None] * len(sent)
    columns = segment_rows(written, [now if row is None else row.created_at for row in before], now)
    run_id = segments.write(connection, dataset, columns)
    ids = new_ids(len(written))
    if stored:
        ids = [fresh if row is None else row.id for fresh, row in zip(ids, before, strict=True)]
    values: dict[str, Sequence[Any]] = {
        "external_id": columns.external_ids,
        "id": ids,
        "document_index": [found.index for found in written],
        "lang": columns.langs,
        "type": columns.types,
        "content": [document.content for document in sent],
        "metadata": [_encode(document.metadata) for document in sent],
        "analysis_version": [found.among.version for found in written],
        "created_at": columns.created_at,
        "run_row": range(len(written)),
        "found": [found.among.texts[found.place] for found in written],
    }
    everywhere: dict[str, dialects.Constant] = {
        "dataset_id": claim.dataset_id,
        "import_id": claim.import_id,
        "import_seq": claim.seq,
        "updated_at": now,
        "analysed_at": now,
        "run_id": run_id,
        "reanalysis_id": None,
        "enrichments": b"",
        "topics": b"",
        "classifiers": b"",
    }
    everywhere |= {name: values.pop(name)[0] for name in _ALIKE if dialects.are_alike(values[name])}
    names, rows = tuple(values), list(zip(*values.values(), strict=True))
    if not stored:
        dialects.insert_new(connection, documents, names, rows, everywhere)
        return
    fresh = [row for row, former in zip(rows, before, strict=True) if former is None]
    known = [row for row, former in zip(rows, before, strict=True) if former is not None]
    replaced = [row for row in before if row is not None]
    if fresh:
        dialects.insert_new(connection, documents, names, fresh, everywhere)
    if replaced:
        dialects.upsert(connection, documents, names, known, everywhere)
        segments.bury(connection, dataset.id, [(r.run_id, r.run_row) for r in replaced])
        _supersede(connection, Counter(r.import_id for r in replaced if r.import_id != claim.import_id))


def segment_rows(analysed: Sequence[AnalysedDocument], created_at: list[int], now: int) -> segments.SegmentRows:
    """What a segment keeps of documents that are stored now."""
    return segments.SegmentRows(
        external_ids=[found.document.sent.external_id for found in analysed],
        created_at=created_at,
        updated_at=[now] * len(analysed),
        types=[found.document.type for found in analysed],
        langs=[found.document.lang for found in analysed],
        metadata=[found.document.typed for found in analysed],
        found=[(found.place, found.among) for found in analysed],
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
    of = {"of_failed": counts.failed, "of_superseded": counts.superseded, "of_erased": counts.erased}
    connection.execute(_COUNT, {"wanted": claim.import_id, "present": now} | of)
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
