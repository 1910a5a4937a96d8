"""The Prefect tasks: one step each, repeated only where a rerun can change the outcome, never cached."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.concurrency.sync import rate_limit

from config.feed import Feed, Metadata
from config.report import Report
from feedback.client import Dataset, Transient
from tasks.collect import Collected, NotYetEnded, UnknownImport, Unreconciled, collect
from tasks.connections import Connections
from tasks.dataset import ensure_dataset
from tasks.extract.extraction import Extraction, Place, extract
from tasks.extract.spool import Batch
from tasks.progress import tell
from tasks.reports.making import Made, make_report
from tasks.submit import submit_batch
from tasks.wait import wait_for_import
from tasks.warehouse.erasures import erased_until, follow
from tasks.warehouse.ledger import Load, note_state
from tasks.warehouse.views import make_view

RETRIES = 3
PAUSES = [5.0, 20.0, 60.0]


def can_change(_task: Any, _run: Any, state: Any) -> bool:
    """Whether a rerun can change the outcome: a service out of reach may return, a refusal stays one."""
    try:
        state.result()
    except (Transient, Unreconciled, NotYetEnded, UnknownImport):
        return True
    except Exception:  # noqa: BLE001 whatever else it is, a rerun would meet it again
        return False
    return False


def _limit(connections: Connections) -> None:
    if name := connections.settings.rate_limit:
        rate_limit(name, strict=True)


@task(name="extract", cache_policy=NO_CACHE)
def extract_source(connections: Connections, feed: Feed, source: str, batch_size: int | None) -> Extraction:
    """Read a file into batches and quarantine."""
    settings = connections.settings
    place = Place(work=settings.work_dir, quarantine=settings.quarantine_dir)
    return extract(feed, source, place, batch_size=batch_size, progress=lambda rows: tell("read", rows, None))


@task(
    name="prepare-dataset",
    cache_policy=NO_CACHE,
    retries=RETRIES,
    retry_delay_seconds=PAUSES,
    retry_condition_fn=can_change,
)
def prepare_dataset(connections: Connections, feed: Feed, evolved: dict[str, Metadata]) -> Dataset:
    """Make the feed's dataset, or let it grow."""
    return ensure_dataset(connections.client, feed, evolved)


@task(name="submit", cache_policy=NO_CACHE, retries=RETRIES, retry_delay_seconds=PAUSES, retry_condition_fn=can_change)
def submit(connections: Connections, load: Load, batch: Batch, deadline: timedelta) -> str:
    """Post one batch; the import's id."""
    _limit(connections)
    return submit_batch(connections.client, connections.warehouse, load, batch, deadline)


@task(name="wait", cache_policy=NO_CACHE)
def wait_until_ended(connections: Connections, dataset_id: str, import_id: str, patience: float, before: int) -> int:
    """Poll an import until it has ended; the number of its documents. `before` were processed in earlier imports."""
    ended = wait_for_import(
        connections.client,
        dataset_id,
        import_id,
        patience=patience,
        progress=lambda found: tell("analysed", before + found.processed_documents, None),
    )
    note_state(connections.warehouse, import_id, ended.state)
    return ended.total_documents


@task(name="collect", cache_policy=NO_CACHE, retries=RETRIES, retry_delay_seconds=PAUSES, retry_condition_fn=can_change)
def collect_documents(connections: Connections, dataset_id: str, import_id: str, before: int = 0) -> Collected:
    """Bring an ended import into the warehouse. `before` documents were collected by earlier imports."""
    _limit(connections)
    return collect(
        connections.client,
        connections.warehouse,
        dataset_id,
        import_id,
        progress=lambda seen: tell("collected", before + seen, None),
    )


@task(name="renew-view", cache_policy=NO_CACHE)
def renew_view(connections: Connections, feed: Feed, dataset_id: str) -> str:
    """Make or renew the feed's view; its name."""
    return make_view(connections.warehouse, feed, dataset_id)


@task(
    name="follow-erasures",
    cache_policy=NO_CACHE,
    retries=RETRIES,
    retry_delay_seconds=PAUSES,
    retry_condition_fn=can_change,
)
def follow_erasures(connections: Connections, dataset_id: str) -> int:
    """Remove from the warehouse what the service has erased; the number of documents removed."""
    since = erased_until(connections.warehouse, dataset_id)
    return follow(connections.warehouse, dataset_id, connections.client.erasures(dataset_id, since))


@task(
    name="make-report",
    cache_policy=NO_CACHE,
    retries=RETRIES,
    retry_delay_seconds=PAUSES,
    retry_condition_fn=can_change,
)
def write_report(connections: Connections, report: Report, as_of: date | None) -> Made:
    """Ask a report's questions, keep the answers, write its page."""
    _limit(connections)
    return make_report(connections.client, connections.warehouse, report, connections.settings.reports_dir, as_of)


def discard(folder: Path) -> None:
    """Remove batches that were sent."""
    for file in folder.glob("*"):
        file.unlink()
    folder.rmdir()
