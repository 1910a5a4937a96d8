"""Brings one ended import into the warehouse, and proves that every document that was sent is accounted for."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from feedback.client import Document, FeedbackClient, Import
from feedback.client.models import COMPLETED, DocumentError
from tasks.warehouse import Warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.ledger import find_import, manifest_of, note_collected
from tasks.warehouse.tables import refused_documents

ATTEMPTS = 3
NAMED = 20


class NotYetEnded(Exception):
    """The import is still being processed."""


class UnknownImport(Exception):
    """The ledger does not know the import: its post may not be noted yet, or someone else made it."""


class Unreconciled(Exception):
    """Documents that were sent are neither listed nor failed nor superseded nor erased."""


class ImportFailed(Exception):
    """The service could not process an import as a whole; what it did process is in the warehouse."""


@dataclass(frozen=True, slots=True)
class Collected:
    """How the documents of an import ended; the four counts after `sent` add up to it, `reasons` to what failed."""

    import_id: str
    sent: int
    listed: int
    failed: int
    superseded: int
    erased: int
    reasons: Counter[str] = field(default_factory=Counter)


def collect(
    client: FeedbackClient,
    warehouse: Warehouse,
    dataset_id: str,
    import_id: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Collected:
    """Take over an ended import of the ledger. Safe to run twice.

    Raises `UnknownImport`, `NotYetEnded`, `ImportFailed` or `Unreconciled`.
    """
    entry = find_import(warehouse, import_id)
    if entry is None:
        raise UnknownImport(f"import {import_id} is not in the ledger of this warehouse")
    lines = manifest_of(warehouse, import_id)
    origin = Origin(dataset_id, entry.feed, import_id, entry.source_file, lines)
    for attempt in range(1, ATTEMPTS + 1):
        ended = client.get_import(dataset_id, import_id)
        if not ended.ended:
            raise NotYetEnded(f"import {import_id} is {ended.state}: collect it when it has ended")
        listed = merge(warehouse, origin, _pages(client, dataset_id, import_id, progress))
        # A later import may replace documents while these pages are read, so the counts are read again after them.
        ended = client.get_import(dataset_id, import_id)
        reasons = _keep_refusals(warehouse, client, origin, ended)
        if _missing(ended, len(listed)) == 0 or ended.state != COMPLETED:
            break
        if attempt == ATTEMPTS:
            raise Unreconciled(_explanation(ended, listed, lines))
    note_collected(warehouse, ended, len(listed))
    if ended.state != COMPLETED:
        told = "; ".join(error.description for error in ended.errors[:5])
        raise ImportFailed(f"import {import_id} ended {ended.state}: {told or 'no reason given'}")
    return _collected(ended, len(listed), reasons)


def _pages(
    client: FeedbackClient, dataset_id: str, import_id: str, progress: Callable[[int], None]
) -> Iterator[list[Document]]:
    seen = 0
    for page in client.import_documents(dataset_id, import_id):
        yield page.items
        seen += len(page.items)
        progress(seen)


def _missing(ended: Import, listed: int) -> int:
    dealt_with = listed + ended.failed_documents + ended.superseded_documents + ended.erased_documents
    return ended.total_documents - dealt_with


def _collected(ended: Import, listed: int, reasons: Counter[str]) -> Collected:
    return Collected(
        ended.id,
        ended.total_documents,
        listed,
        ended.failed_documents,
        ended.superseded_documents,
        ended.erased_documents,
        reasons,
    )


def _explanation(ended: Import, listed: set[str], lines: dict[str, int]) -> str:
    failed = {error.external_id for error in ended.errors}
    suspects = [f"{key} (line {line})" for key, line in lines.items() if key not in listed and key not in failed]
    named = ", ".join(suspects[:NAMED]) + (f" and {len(suspects) - NAMED} more" if len(suspects) > NAMED else "")
    return (
        f"import {ended.id}: {ended.total_documents} documents were sent, {len(listed)} are listed, "
        f"{ended.failed_documents} failed, {ended.superseded_documents} superseded, {ended.erased_documents} erased: "
        f"{_missing(ended, len(listed))} are not accounted for. Not listed: {named or 'none'}"
    )


def _keep_refusals(warehouse: Warehouse, client: FeedbackClient, origin: Origin, ended: Import) -> Counter[str]:
    """Keep why documents were refused; how many for each reason, named as the reasons of rejected rows are."""
    if not ended.failed_documents:
        return Counter()
    errors = list(client.import_errors(origin.dataset_id, ended.id))
    rows: list[dict[str, Any]] = [
        {
            "dataset_id": origin.dataset_id,
            "import_id": ended.id,
            "position": position,
            "external_id": error.external_id,
            "code": error.code,
            "description": ": ".join(filter(None, (_place(error), error.description))),
            "_source_file": origin.source_file,
            "_source_line": origin.lines.get(error.external_id or ""),
        }
        for position, error in enumerate(errors)
    ]
    with warehouse.write() as connection:
        warehouse.upsert(connection, refused_documents, rows)
    return Counter(f"{error.code} ({place})" if (place := _place(error)) else error.code for error in errors)


def _place(error: DocumentError) -> str:
    """What of its document an error is about."""
    return re.sub(r"^documents\[\d+\]\.?", "", error.field or "")
