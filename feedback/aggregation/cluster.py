"""Runs jobs on a Dask cluster: one task a worker, never a segment, and the findings added by the same code as anywhere.

A worker keeps the segments it was given before, from its own local cache or from the database, so the same worker is
asked about the same segments while it lives. A task whose worker dies is done again by another.
"""

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine

from feedback.aggregation.kernel import SurveyJob, TallyJob, survey_parts, tally_parts
from feedback.aggregation.search import SearchJob, list_parts
from feedback.aggregation.snapshot import DeadRows, Part, Snapshot, part_of
from feedback.aggregation.working_memory import keep_working_memory
from feedback.store.engine import open_engine, snapshot
from feedback.store.segments.cache import SegmentCache
from feedback.store.segments.decode import Segment

# Under this many documents the round trip costs more than a second machine saves.
WORTH_A_CLUSTER = 50_000_000
RETRIES = 3
Job = SurveyJob | TallyJob | SearchJob
# Segments that a worker keeps open, those of all datasets: some 12 KiB each.
MAX_HELD = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker finds segments: the database, and a directory of its own machine."""

    url: str
    cache_dir: Path | None
    cache_bytes: int


@dataclass(frozen=True, slots=True)
class Share:
    """A segment by name, and the rows of it that are dead in the snapshot that is asked."""

    id: int
    checksum: str
    dead: DeadRows


class Cluster:
    """The cluster at a scheduler's address. Safe to share between threads."""

    def __init__(self, scheduler: str, place: Place, *, worth: int = WORTH_A_CLUSTER) -> None:
        """`worth`: how many documents a dataset must have to be asked of the cluster."""
        self.place = place
        self.worth = worth
        self._scheduler = scheduler
        self._lock = Lock()
        self._client: Any = None

    def run(self, found: Snapshot, job: Job) -> Any:
        """What `run_job` gives for all parts of a snapshot. Raises SegmentGone where compaction took one away."""
        client = self._connected()
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        tasks = []
        for worker, shares in zip(workers, shared(found.parts, max(1, len(workers))), strict=False):
            if shares:
                mine = job.blank() if isinstance(job, SurveyJob) else job
                tasks.append(
                    client.submit(
                        work,
                        self.place,
                        shares,
                        mine,
                        workers=[worker],
                        allow_other_workers=True,
                        pure=False,
                        retries=RETRIES,
                    )
                )
        results: list[Any] = client.gather(tasks)
        if not results:
            # A cluster whose workers are all gone is no reason not to answer.
            return run_job(found.parts, job)
        for other in results[1:]:
            results[0].add(other)
        return results[0]

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                # Only who configures a cluster needs the package.
                from distributed import Client  # noqa: PLC0415

                self._client = Client(self._scheduler, set_as_default=False)  # type: ignore[no-untyped-call]
            return self._client

    def close(self) -> None:
        """Leave the cluster."""
        if self._client is not None:
            self._client.close()
            self._client = None


def shared(parts: Sequence[Part], workers: int) -> list[list[Share]]:
    """Each worker's segments: always the same ones while the workers are the same."""
    found: list[list[Share]] = [[] for _ in range(workers)]
    for part in parts:
        found[zlib.crc32(str(part.id).encode()) % workers].append(Share(part.id, part.checksum, part.dead))
    return found


def work(place: Place, shares: Sequence[Share], job: Job) -> Any:
    """What a worker does: find its segments and run the job over them."""
    keep_working_memory()
    return run_job(_parts(place, shares), job)


def run_job(parts: Sequence[Part], job: Job) -> Any:
    """What a job finds in some parts: a survey job filled, the tallies of a tally job, the listing of a search."""
    match job:
        case SurveyJob():
            return survey_parts(parts, job)
        case TallyJob():
            return tally_parts(parts, job)
        case SearchJob():
            return list_parts(parts, job)


_engines: dict[str, Engine] = {}
_held: OrderedDict[tuple[str, int], Part] = OrderedDict()
_lock = Lock()


def _parts(place: Place, shares: Sequence[Share]) -> list[Part]:
    """The parts of the shares, kept from one question to the next with what filters selected of them."""
    with _lock:
        missing = [(s.id, s.checksum) for s in shares if (place.url, s.id) not in _held]
        loaded = _load(place, missing) if missing else {}
        found = [_part(share, _held.get((place.url, share.id)), loaded) for share in shares]
        for part in found:
            _held[place.url, part.id] = part
            _held.move_to_end((place.url, part.id))
        while len(_held) > MAX_HELD:
            _held.popitem(last=False)
        return found


def _load(place: Place, missing: Sequence[tuple[int, str]]) -> dict[int, Segment]:
    if place.url not in _engines:
        _engines[place.url] = open_engine(place.url)
    with snapshot(_engines[place.url], few_pages=True) as connection, connection.begin():
        return SegmentCache(place.cache_dir, place.cache_bytes).load(connection, missing)


def _part(share: Share, held: Part | None, loaded: dict[int, Segment]) -> Part:
    if held is None:
        return part_of(loaded[share.id], share.dead, share.checksum)
    # Rows only ever die, so that as many dead rows are the same ones.
    return held if len(held.dead) == len(share.dead) else part_of(held.segment, share.dead, share.checksum)
