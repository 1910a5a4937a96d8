"""Documents analysed once more: what is stored again is only what changed, and every change is counted."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import Connection, Update, bindparam, func, select, update

from feedback.domain.dataset import Dataset
from feedback.domain.findings import Contents, contents_of, unpacked
from feedback.domain.imports import DocumentError, Import, ImportKind, ImportState
from feedback.domain.timestamps import now_ms
from feedback.errors import Code, Conflict
from feedback.store import dialects, segments
from feedback.store.chunks import (
    AnalysedDocument,
    ChunkCounts,
    LostClaim,
    complete_import,
    count_chunk,
    move_cursor,
    segment_rows,
    store_errors,
)
from feedback.store.claims import Claim, purge_chunk
from feedback.store.datasets import lock_dataset
from feedback.store.engine import AnyRow
from feedback.store.tables import documents, imports, reanalysis_changes

Version = tuple[int, int]
"""Which import wrote a document, by its place in the order of acceptance, and which of its documents it was."""


class Change(msgspec.Struct, frozen=True, order=True):
    """One thing that was found otherwise. `before` or `after` is empty where there was nothing."""

    change: str
    value: str
    before: str
    after: str


class Standing(msgspec.Struct, frozen=True):
    """A stored document as it is about to be analysed again."""

    version: Version
    external_id: str
    lang: str
    type: str
    content: str
    metadata: bytes


def require_no_other(connection: Connection, job: Import) -> None:
    """Conflict where another re-analysis of the dataset has not ended."""
    under_way = select(imports.c.id).where(
        imports.c.dataset_id == job.dataset_id,
        imports.c.kind == ImportKind.REANALYSIS,
        imports.c.state == ImportState.STARTED,
        imports.c.id != job.id,
    )
    found = connection.scalar(under_way.limit(1))
    if found is not None:
        message = f"the re-analysis {found} of this dataset has not ended"
        raise Conflict(message, code=Code.REQUEST_IN_FLIGHT)


def external_ids(connection: Connection, dataset_id: str) -> Iterator[bytes]:
    """The external ids of all documents of a dataset, without holding them all."""
    wanted = select(documents.c.external_id).where(documents.c.dataset_id == dataset_id)
    ordered = wanted.order_by(documents.c.external_id).execution_options(yield_per=5000)
    for external_id in connection.execute(ordered).scalars():
        yield external_id.encode()


def standing_documents(connection: Connection, dataset_id: str, wanted: Sequence[str]) -> dict[str, Standing]:
    """The documents of these external ids that are there, as they are."""
    columns = [documents.c[name] for name in Standing.__struct_fields__ if name != "version"]
    rows = connection.execute(
        select(documents.c.import_seq, documents.c.document_index, *columns).where(
            documents.c.dataset_id == dataset_id, dialects.is_any(connection, documents.c.external_id, wanted)
        )
    )
    return {row.external_id: Standing((row[0], row[1]), *row[2:]) for row in rows}


def commit_reanalysis(
    connection: Connection,
    claim: Claim,
    dataset: Dataset,
    *,
    end: int,
    analysed: Sequence[AnalysedDocument],
    versions: dict[str, Version],
    errors: Sequence[DocumentError],
    release: bool,
) -> None:
    """Stores what documents `claim.next_index` to `end` give now; LostClaim where the claim no longer holds.

    A document that was replaced since it was read (its version differs) counts as superseded, one that is gone as
    erased. Takes the dataset's lock first.
    """
    if lock_dataset(connection, claim.dataset_id) is None:
        raise LostClaim
    move_cursor(connection, claim, end, release=release)
    now = now_ms()
    stored = _stored(connection, claim.dataset_id, list(versions))
    same = [f for f in analysed if _version(stored.get(f.document.sent.external_id)) == _version_read(f, versions)]
    changed = [f for f in same if _changed(stored[f.document.sent.external_id], f.packed)]
    _note_changes(connection, claim, stored, changed)
    _store_changed(connection, claim, dataset, stored, changed, now=now)
    _touch(connection, claim, same, now)
    if errors:
        store_errors(connection, claim.import_id, errors)
    failed = len({error.index for error in errors})
    erased = end - claim.next_index - len(stored)
    superseded = end - claim.next_index - failed - erased - len(same)
    count_chunk(connection, claim, ChunkCounts(len(same), failed, superseded, erased), now)
    purge_chunk(connection, claim.import_id, end)
    if end >= claim.total:
        complete_import(connection, claim, now)


def count_changed(connection: Connection, import_id: str) -> int:
    """How many documents carry what a re-analysis found otherwise."""
    own = documents.c.reanalysis_id == import_id
    return connection.scalar(select(func.count()).select_from(documents).where(own)) or 0


def list_changes(
    connection: Connection, import_id: str, offset: int, limit: int
) -> tuple[int, list[tuple[Change, int]]]:
    """How many different changes a re-analysis made, and a page of them with how often, the most frequent first."""
    own = reanalysis_changes.c.import_id == import_id
    total = connection.scalar(select(func.count()).select_from(reanalysis_changes).where(own)) or 0
    columns = [reanalysis_changes.c[name] for name in (*Change.__struct_fields__, "count")]
    frequent = (reanalysis_changes.c["count"].desc(), *columns[:-1])
    rows = connection.execute(select(*columns).where(own).order_by(*frequent).offset(offset).limit(limit))
    return total, [(Change(*row[:-1]), row[-1]) for row in rows]


def differences(before: Contents, after: Contents) -> Iterator[Change]:
    """What an analysis finds otherwise than the one before, term by term at its place in the text."""
    terms_before, terms_after = ({(e.term, e.offset.begin): e.opinion for e in found[0]} for found in (before, after))
    for key in terms_before.keys() | terms_after.keys():
        yield from _difference("TERM", key[0], terms_before.get(key, ""), terms_after.get(key, ""))
    topics_before, topics_after = ({topic.code: topic.opinion for topic in found[1]} for found in (before, after))
    for code in topics_before.keys() | topics_after.keys():
        yield from _difference("TOPIC", code, topics_before.get(code, ""), topics_after.get(code, ""))
    values_before, values_after = before[2], after[2]
    for code in values_before.keys() | values_after.keys():
        old, new = values_before.get(code, ""), values_after.get(code, "")
        if old != new:
            yield Change("CLASSIFIER_CHANGED", code, old, new)


def _difference(kind: str, value: str, before: str, after: str) -> Iterator[Change]:
    if not before:
        yield Change(f"{kind}_GAINED", value, before, after)
    elif not after:
        yield Change(f"{kind}_LOST", value, before, after)
    elif before != after:
        how = "GAINED" if before == "NEUTRAL" else "LOST" if after == "NEUTRAL" else "FLIPPED"
        yield Change(f"{'' if kind == 'TERM' else 'TOPIC_'}OPINION_{how}", value, before, after)


def _stored(connection: Connection, dataset_id: str, wanted: list[str]) -> dict[str, AnyRow]:
    rows = connection.execute(
        select(documents).where(
            documents.c.dataset_id == dataset_id, dialects.is_any(connection, documents.c.external_id, wanted)
        )
    )
    return {row.external_id: row for row in rows}


def _version(row: AnyRow | None) -> Version | None:
    return None if row is None else (row.import_seq, row.document_index)


def _version_read(found: AnalysedDocument, versions: dict[str, Version]) -> Version:
    return versions[found.document.sent.external_id]


def _changed(row: AnyRow, packed: bytes) -> bool:
    return row.found != packed and (row.found is not None or _contents(row) != unpacked(packed))


def _contents(row: AnyRow) -> Contents:
    """What a document has, whichever release wrote it."""
    if row.found is not None:
        return unpacked(row.found)
    return contents_of(row.enrichments, row.topics, row.classifiers)


def _note_changes(
    connection: Connection, claim: Claim, stored: dict[str, AnyRow], changed: Sequence[AnalysedDocument]
) -> None:
    counts: Counter[Change] = Counter()
    for found in changed:
        counts.update(differences(_contents(stored[found.document.sent.external_id]), unpacked(found.packed)))
    for change in sorted(counts):
        row = {"import_id": claim.import_id, **msgspec.structs.asdict(change), "count": counts[change]}
        dialects.add(connection, reanalysis_changes, row, "count")


def _store_changed(
    connection: Connection,
    claim: Claim,
    dataset: Dataset,
    stored: dict[str, AnyRow],
    changed: Sequence[AnalysedDocument],
    *,
    now: int,
) -> None:
    if not changed:
        return
    before = [stored[found.document.sent.external_id] for found in changed]
    columns = segment_rows(changed, [row.created_at for row in before], now)
    run_id = segments.write(connection, dataset, columns)
    segments.bury(connection, dataset.id, [(row.run_id, row.run_row) for row in before])
    fresh = ("found", "run_row", "updated_at", "run_id", "reanalysis_id")
    emptied = dict.fromkeys(("enrichments", "topics", "classifiers"), b"")
    statement = _update_of(dataset.id).values({name: bindparam(f"new_{name}") for name in fresh} | emptied)
    rows = [
        {
            "which": found.document.sent.external_id,
            "new_found": found.packed,
            "new_run_row": place,
            "new_run_id": run_id,
            "new_updated_at": now,
            "new_reanalysis_id": claim.import_id,
        }
        for place, found in enumerate(changed)
    ]
    connection.execute(statement, rows)


def _touch(connection: Connection, claim: Claim, same: Sequence[AnalysedDocument], now: int) -> None:
    """Notes when, and by which version, documents were analysed, whether or not anything changed."""
    if same:
        statement = _update_of(claim.dataset_id).values(analysed_at=now, analysis_version=bindparam("new_version"))
        rows = [{"which": f.document.sent.external_id, "new_version": f.among.version} for f in same]
        connection.execute(statement, rows)


def _update_of(dataset_id: str) -> Update:
    return update(documents).where(documents.c.dataset_id == dataset_id, documents.c.external_id == bindparam("which"))
