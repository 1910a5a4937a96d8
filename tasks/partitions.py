"""The partitions of a stretch of time, and what a backfill would do with each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

import fsspec

from config.definitions import DefinitionError, Problem
from config.feed import Feed
from tasks.connections import Connections
from tasks.extract.dialect import inspect_source
from tasks.warehouse.ledger import Load, loaded_before


class Grain(StrEnum):
    """How long a partition is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Action(StrEnum):
    """What becomes of a partition."""

    LOAD = "load"
    SKIP = "skip: loaded before"
    MISSING = "missing: there is no such file"


@dataclass(frozen=True, slots=True)
class Planned:
    """A partition, its file, and what is to be done."""

    partition: str
    source: str
    action: Action


def partitions(start: date, end: date, grain: Grain) -> list[str]:
    """The names of the partitions from `start` to `end`, both included: 2026-03-01, 2026-W09, 2026-03 or 2026."""
    return list(dict.fromkeys(_name(day, grain) for day in _days(start, end)))


def plan(connections: Connections, feed: Feed, names: list[str], generation: int) -> list[Planned]:
    """What a backfill would do. Raises `DefinitionError` when the feed's files are not partitioned."""
    pattern = feed.source.path or ""
    if "{partition}" not in pattern:
        advice = "must hold {partition} for a backfill, such as exports/{partition}.csv"
        raise DefinitionError(f"feed {feed.name}", [Problem("source.path", advice)])
    dataset = connections.client.find_dataset(feed.dataset.name)
    found = []
    for name in names:
        source = pattern.replace("{partition}", name)
        if not _exists(source):
            action = Action.MISSING
        elif dataset is None:
            action = Action.LOAD
        else:
            load = Load(feed.name, dataset.id, source, inspect_source(source, feed.source).file_hash, name, generation)
            action = Action.SKIP if loaded_before(connections.warehouse, load) else Action.LOAD
        found.append(Planned(name, source, action))
    return found


def _exists(source: str) -> bool:
    files, path = fsspec.core.url_to_fs(source)
    return bool(files.exists(path))


def _days(start: date, end: date) -> Iterator[date]:
    day = start
    while day <= end:
        yield day
        day += timedelta(days=1)


def _name(day: date, grain: Grain) -> str:
    if grain is Grain.WEEK:
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    return day.isoformat()[: {Grain.DAY: 10, Grain.MONTH: 7, Grain.YEAR: 4}[grain]]
