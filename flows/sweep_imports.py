"""Finds what is still open in the ledger and settles it: lost notifications, restarts, overdue imports, erasures."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Annotated

import httpx
from prefect import flow
from prefect.logging import get_run_logger
from pydantic import BaseModel, Field

from config.settings import load_settings
from feedback.client import Permanent
from tasks.collect import ImportFailed, NotYetEnded, Unreconciled
from tasks.connections import Connections, open_connections
from tasks.steps import collect_documents, follow_erasures
from tasks.warehouse.erasures import datasets_in
from tasks.warehouse.ledger import Entry, half_sent, note_state, open_imports


class SweepSummary(BaseModel):
    """What a sweep found; what is overdue, failed, half sent or gone from the service makes the run fail at its end.

    `younger` are open imports that it left alone.
    """

    open: int = 0
    younger: int = 0
    collected: int = 0
    running: int = 0
    overdue: list[str] = []
    failed: list[str] = []
    half_sent: list[str] = []
    gone: list[str] = []
    erased: int = 0


class Unsettled(Exception):
    """Something in the ledger needs a person."""


@flow(name="sweep-imports", validate_parameters=True)
def sweep_imports(
    *,
    older_than: Annotated[int, Field(description="Seconds since the post; younger imports are left alone.", ge=0)] = 60,
    deadline: Annotated[
        int | None, Field(description="Seconds until an import is overdue; as posted if empty.")
    ] = None,
    erasures: Annotated[bool, Field(description="Follow the service's erasures too.")] = True,
) -> SweepSummary:
    """Collect every import that has ended and was not collected; fail when one is overdue."""
    with open_connections(load_settings()) as connections:
        entries = open_imports(connections.warehouse, older_than=timedelta(seconds=older_than))
        younger = {entry.import_id for entry in open_imports(connections.warehouse)} - {e.import_id for e in entries}
        summary = SweepSummary(open=len(entries), younger=len(younger))
        for entry in entries:
            with _told_if_gone(f"import {entry.import_id}", summary):
                _settle(connections, entry, summary, deadline)
        old = datetime.now(UTC) - timedelta(seconds=max(older_than, 60))
        summary.half_sent = [
            f"{e.source_file} batch {e.batch}" for e in half_sent(connections.warehouse) if e.created_at < old
        ]
        for dataset_id in datasets_in(connections.warehouse) if erasures else []:
            with _told_if_gone(f"dataset {dataset_id}", summary):
                summary.erased += follow_erasures(connections, dataset_id)
    _raise_if_unsettled(summary)
    return summary


@contextmanager
def _told_if_gone(what: str, summary: SweepSummary) -> Iterator[None]:
    """What was deleted in the service must not keep the sweep from all that comes after it."""
    try:
        yield
    except Permanent as error:
        if error.status != httpx.codes.NOT_FOUND:
            raise
        summary.gone.append(what)


def _settle(connections: Connections, entry: Entry, summary: SweepSummary, deadline: int | None) -> None:
    import_id = str(entry.import_id)
    found = connections.client.get_import(entry.dataset_id, import_id)
    note_state(connections.warehouse, import_id, found.state)
    if not found.ended:
        limit = entry.posted_at + timedelta(seconds=deadline) if entry.posted_at and deadline else entry.deadline
        if limit and limit < datetime.now(UTC):
            summary.overdue.append(import_id)
        summary.running += 1
        return
    try:
        collect_documents(connections, entry.dataset_id, import_id)
        summary.collected += 1
    except (ImportFailed, Unreconciled) as error:
        summary.failed.append(str(error))
    except NotYetEnded:
        summary.running += 1


def _raise_if_unsettled(summary: SweepSummary) -> None:
    get_run_logger().info("%s", summary.model_dump_json())
    told = [f"overdue: {', '.join(summary.overdue)}"] if summary.overdue else []
    told += [f"failed: {'; '.join(summary.failed)}"] if summary.failed else []
    if summary.gone:
        told.append(f"gone from the service, while the warehouse still knows of it: {', '.join(summary.gone)}")
    if summary.half_sent:
        told.append(f"announced but not sent: {', '.join(summary.half_sent)}; load these files again")
    if told:
        raise Unsettled("; ".join(told))
