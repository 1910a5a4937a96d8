"""Loads a file of feedback: extract, quarantine, send in batches and, when waiting, collect into the warehouse."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from prefect import flow
from pydantic import BaseModel, Field

from config.definitions import DefinitionError, Problem
from config.feed import Feed, load_feed
from config.settings import load_settings
from flows.artifacts import progress_artifact, publish_load
from tasks.connections import Connections, open_connections
from tasks.extract.dialect import inspect_source
from tasks.extract.extraction import Extraction
from tasks.progress import tell
from tasks.receiver import register_receiver
from tasks.steps import (
    collect_documents,
    discard,
    extract_source,
    prepare_dataset,
    renew_view,
    submit,
    wait_until_ended,
)
from tasks.warehouse.ledger import (
    Load,
    begin_load,
    dataset_before,
    find_load,
    finish_load,
    loaded_before,
    open_imports,
)


class Wait(StrEnum):
    """What happens after sending: nothing, polling here, or a webhook that starts `collect-import`."""

    NONE = "none"
    POLL = "poll"
    WEBHOOK = "webhook"


class LoadSummary(BaseModel):
    """What a load did. `rows` = `accepted` + `rejected`; `collected` counts documents this run brought home."""

    feed: str
    source: str
    dataset_id: str = ""
    load_id: str = ""
    skipped: bool = False
    note: str = ""
    dry_run: bool = False
    rows: int = 0
    accepted: int = 0
    rejected: int = 0
    reasons: dict[str, int] = {}
    quarantine: str = ""
    imports: int = 0
    collected: int = 0
    refused: int = 0
    refusals: dict[str, int] = {}
    view: str = ""


@flow(name="load-feedback", validate_parameters=True)
def load_feedback(
    feed: Annotated[str, Field(description="Name of a feed, or the path of its YAML file.")],
    source: Annotated[
        str, Field(description="The file, or a quarantine file to replay; the feed's own if empty.")
    ] = "",
    *,
    partition: Annotated[str, Field(description="Stands for {partition} in the feed's source path.")] = "",
    wait: Annotated[Wait, Field(description="What to do after sending.")] = Wait.POLL,
    batch_size: Annotated[int | None, Field(description="Documents an import; the feed's own if empty.", ge=1)] = None,
    dry_run: Annotated[bool, Field(description="Read and quarantine only; send nothing.")] = False,
    generation: Annotated[int, Field(description="A higher number loads a file again that was loaded.", ge=0)] = 0,
) -> LoadSummary:
    """Load one file of feedback."""
    with open_connections(load_settings()) as connections:
        definition = load_feed(feed, connections.feed_folders)
        path = _source_path(definition, source, partition)
        if dry_run:
            return _rehearse(connections, definition, path, batch_size)
        run = _Run(connections, definition, path, partition, generation)
        with progress_artifact(f"load-{definition.name}"):
            summary = run.load(batch_size, wait)
    publish_load(summary)
    return summary


def _source_path(feed: Feed, source: str, partition: str) -> str:
    path = source or feed.source.path
    if not path:
        raise DefinitionError(f"feed {feed.name}", [Problem("source.path", "is not set; say which file to load")])
    if "{partition}" in path and not partition:
        raise DefinitionError(f"feed {feed.name}", [Problem("source.path", f"{path} needs a partition")])
    return path.replace("{partition}", partition)


def _rehearse(connections: Connections, feed: Feed, path: str, batch_size: int | None) -> LoadSummary:
    extraction = extract_source(connections, feed, path, batch_size)
    _discard(extraction)
    return _counted(LoadSummary(feed=feed.name, source=path, dry_run=True), extraction)


def _counted(summary: LoadSummary, extraction: Extraction) -> LoadSummary:
    counts = {
        "rows": extraction.rows,
        "accepted": extraction.accepted,
        "rejected": extraction.rejected,
        "reasons": dict(extraction.reasons.most_common()),
        "quarantine": str(extraction.quarantine or ""),
    }
    return summary.model_copy(update=counts)


def _discard(extraction: Extraction) -> None:
    if extraction.batches:
        discard(extraction.batches[0].path.parent)


class _Run:
    """One load, from the file to the warehouse."""

    def __init__(self, connections: Connections, feed: Feed, path: str, partition: str, generation: int) -> None:
        self._connections = connections
        self._feed = feed
        self._path = path
        self._partition = partition
        self._generation = generation

    def load(self, batch_size: int | None, wait: Wait) -> LoadSummary:
        """Send the file unless that was done before; bring home what is open of it."""
        dataset = self._connections.client.find_dataset(self._feed.dataset.name)
        if dataset is not None:
            load = self._load(dataset.id, inspect_source(self._path, self._feed.source).file_hash)
            if loaded_before(self._connections.warehouse, load):
                return self._bring_home(self._skipped(load), wait)
        extraction = extract_source(self._connections, self._feed, self._path, batch_size)
        dataset_id = prepare_dataset(self._connections, self._feed, extraction.evolved).id
        load = replace(self._load(dataset_id, extraction.file_hash), origin=extraction.origin)
        summary = LoadSummary(feed=self._feed.name, source=self._path, dataset_id=dataset_id, load_id=load.id)
        if wait is Wait.WEBHOOK:
            register_receiver(self._connections.client, self._connections.settings, dataset_id)
        self._send(load, extraction)
        return self._bring_home(_counted(summary, extraction), wait)

    def _load(self, dataset_id: str, file_hash: str) -> Load:
        return Load(self._feed.name, dataset_id, self._path, file_hash, self._partition, self._generation)

    def _skipped(self, load: Load) -> LoadSummary:
        known = find_load(self._connections.warehouse, load.id)
        counts = {"rows": known.row_count, "accepted": known.accepted, "rejected": known.rejected} if known else {}
        return LoadSummary(
            feed=load.feed,
            source=self._path,
            dataset_id=load.dataset_id,
            load_id=load.id,
            skipped=True,
            note=f"this file was loaded before in generation {load.generation}; after a change of the feed, "
            f"--generation {load.generation + 1} loads it again",
            quarantine=(known.quarantine or "") if known else "",
            **counts,
        )

    def _send(self, load: Load, extraction: Extraction) -> None:
        begin_load(
            self._connections.warehouse,
            load,
            rows=extraction.rows,
            accepted=extraction.accepted,
            quarantine=str(extraction.quarantine or ""),
            batches=len(extraction.batches),
        )
        deadline = timedelta(seconds=self._connections.settings.import_deadline)
        sent = 0
        for batch in extraction.batches:
            submit(self._connections, load, batch, deadline)
            sent += batch.documents
            tell("sent", sent, extraction.accepted)
        finish_load(self._connections.warehouse, load)
        _discard(extraction)

    def _bring_home(self, summary: LoadSummary, wait: Wait) -> LoadSummary:
        settings = self._connections.settings
        entries = open_imports(self._connections.warehouse, load_id=summary.load_id)
        collected = refused = home = 0
        reasons = Counter[str]()
        for entry in entries if wait is Wait.POLL else []:
            import_id = str(entry.import_id)
            wait_until_ended(self._connections, entry.dataset_id, import_id, settings.import_deadline, home)
            outcome = collect_documents(self._connections, entry.dataset_id, import_id, home)
            home += outcome.sent
            collected += outcome.listed
            refused += outcome.failed
            reasons += outcome.reasons
        before = dataset_before(self._connections.warehouse, self._feed.name, summary.load_id)
        view = renew_view(self._connections, self._feed, summary.dataset_id)
        if before not in {None, summary.dataset_id}:
            note = f"{view} showed dataset {before} until now; a feed of other comments needs a name of its own"
            summary = summary.model_copy(update={"note": "; ".join(filter(None, (summary.note, note)))})
        found = {"imports": len(entries), "collected": collected, "refused": refused, "view": view}
        return summary.model_copy(update=found | {"refusals": dict(reasons.most_common())})
