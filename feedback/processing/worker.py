"""The worker: claims imports chunk by chunk, has them analysed, and commits each chunk in one transaction."""

import os
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from feedback.analysis import Profile
from feedback.domain.dataset import Dataset
from feedback.domain.findings import Found
from feedback.domain.identifiers import new_id
from feedback.domain.imports import ImportKind
from feedback.processing.analysing import Texts
from feedback.processing.deliveries import Sender
from feedback.processing.executors import AnalysisExecutor, NoAnalysis, open_executor
from feedback.processing.flight import Flight
from feedback.processing.housekeeping import Housekeeping
from feedback.processing.metrics import CHUNK_DOCUMENTS, CHUNK_FAILURES, CHUNK_SECONDS
from feedback.processing.profiles import profile_of
from feedback.processing.reanalysis import ReanalysisFlight
from feedback.settings import Settings
from feedback.store import claims
from feedback.store.blocks import DamagedBlock
from feedback.store.chunks import LostClaim, fail_import
from feedback.store.claims import Claim
from feedback.store.datasets import find_dataset
from feedback.store.engine import snapshot
from feedback.store.own_entries import all_entries

_log = structlog.get_logger()

FLIGHTS = 2
"""Chunks under way at once: one is analysed while the one before it is committed."""
# A chunk may be begun anew once without suspicion: workers are also killed by machines and by their operators.
TRUSTED_STARTS = 2
MAX_FAILURES = 5
MAX_PAUSE_SECONDS = 10.0
SENDER_GRACE_SECONDS = 3.0
"""A notification under way for longer is sent again by whoever comes next."""


def new_worker_name() -> str:
    """A name that no other worker has or will have; as short as the names of PostgreSQL's connections must be."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{new_id()[:8]}"


class Worker:
    """Works until `stop` is called; several may work on one database. An executor that is handed in stays open.

    On PostgreSQL its connections should bear its `name`: by that others can end what it leaves open when it is gone.
    """

    def __init__(
        self, settings: Settings, engine: Engine, executor: AnalysisExecutor | None = None, name: str = ""
    ) -> None:
        self.name = name or new_worker_name()
        self._settings = settings
        self._engine = engine
        self._executor = executor or open_executor(settings)
        self._owns_executor = executor is None
        self._housekeeping = Housekeeping(settings, engine)
        self._sender = Sender(settings, engine, self.name)
        self._flights: deque[Flight] = deque()
        self._read_up_to: dict[str, int] = {}
        self._failures: Counter[str] = Counter()
        self._outlived: list[tuple[str, int, int]] = []
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Asks the worker to finish the chunks it has begun, to give its claims back, and to end."""
        self._stopping.set()

    def run(self) -> None:
        """Works until stopped; NoAnalysis where it cannot analyse, for a reason that it will not outlive."""
        _log.info("worker starts", worker=self.name, processes=self._executor.width)
        heart = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        heart.start()
        sending = threading.Thread(target=self._sender.run, name="sender", daemon=True)
        sending.start()
        try:
            while not self._stopping.is_set():
                self._guarded_turn()
            self._land_all()
        finally:
            self._stopping.set()
            self._drop_flights()
            self._sender.stop()
            if self._owns_executor:
                self._executor.close()
            heart.join()
            sending.join(SENDER_GRACE_SECONDS)
            self._release()
            _log.info("worker ends", worker=self.name)

    def work_off(self) -> None:
        """Processes what is waiting, and returns when nothing more can be claimed."""
        while self._turn():
            pass

    def _guarded_turn(self) -> None:
        try:
            if not self._turn() and not self._housekeeping.turn():
                self._stopping.wait(self._settings.poll_seconds)
        except NoAnalysis:
            raise
        except DBAPIError as error:
            _log.error("database fails, trying again", worker=self.name, error=type(error.orig).__name__)
            self._recover()
        except Exception:  # noqa: BLE001  A bug in one import must not end the work on the others.
            _log.exception("turn fails", worker=self.name)
            self._recover()

    def _recover(self) -> None:
        self._drop_flights()
        self._stopping.wait(min(MAX_PAUSE_SECONDS, self._settings.claim_seconds))

    def _turn(self) -> bool:
        """Begins chunks until enough are under way, and lands the oldest; False where there is nothing to do."""
        while len(self._flights) < FLIGHTS and self._begin():
            pass
        if not self._flights:
            return False
        self._land(self._flights.popleft())
        return True

    def _begin(self) -> bool:
        if not self._flights and not self._work_waits():
            return False
        claim_ms = int(self._settings.claim_seconds * 1000)
        with self._engine.begin() as connection:
            claim = claims.claim_next(connection, self.name, claim_ms, self._read_up_to)
            if claim is None:
                return False
            dataset = find_dataset(connection, claim.dataset_id)
            entries = all_entries(connection, claim.dataset_id)
            raw = self._read(connection, claim)
            for attempt in self._outlived:
                claims.forget_attempt(connection, *attempt)
            attempts = claims.record_attempt(connection, claim.import_id, claim.next_index, len(raw))
        self._outlived.clear()
        if dataset is None:
            return True
        if not raw:
            self._fail(claim, "documents of this import are missing from the database, or damaged")
            return True
        flight = self._flight(claim, dataset, profile_of(dataset, entries), raw)
        if attempts > TRUSTED_STARTS:
            _log.warning("chunk was begun before and never ended", import_id=claim.import_id, attempts=attempts)
            flight.hold(self._executor.width)
        else:
            self._start(flight)
        self._flights.append(flight)
        self._read_up_to[claim.import_id] = flight.end
        return True

    def _work_waits(self) -> bool:
        with snapshot(self._engine) as connection, connection.begin():
            return claims.work_waits(connection, self.name)

    def _flight(self, claim: Claim, dataset: Dataset, profile: Profile, raw: list[bytes]) -> Flight:
        if claim.kind is ImportKind.DOCUMENTS:
            return Flight(claim, dataset, profile, raw)
        with snapshot(self._engine) as connection, connection.begin():
            return ReanalysisFlight(connection, claim, dataset, profile, raw)

    def _start(self, flight: Flight) -> None:
        try:
            flight.start(self._executor)
        except BrokenExecutor:
            # A text of an earlier chunk ended a process, which is noticed here first.
            flight.hold(self._executor.width)

    def _read(self, connection: Connection, claim: Claim) -> list[bytes]:
        try:
            return claims.read_chunk(connection, claim.import_id, claim.next_index, self._settings.chunk_documents)
        except DamagedBlock:
            _log.exception("block is damaged", import_id=claim.import_id)
            return []

    def _land(self, flight: Flight) -> None:
        claim = flight.claim
        started = time.monotonic()
        try:
            analysed = flight.finish(self._settings.chunk_deadline_seconds, self._isolate)
            followed = any(other.claim.import_id == claim.import_id for other in self._flights)
            with self._engine.begin() as connection:
                flight.commit(connection, analysed, release=not followed)
        except LostClaim:
            CHUNK_FAILURES.labels("claim lost").inc()
            _log.warning("claim was lost", import_id=claim.import_id, worker=self.name)
            self._give_up(flight)
            self._drop_import(claim.import_id)
            return
        except (DBAPIError, NoAnalysis):
            self._give_up(flight)
            raise
        except Exception:  # noqa: BLE001  A bug met in one chunk must not end the worker.
            CHUNK_FAILURES.labels("error").inc()
            _log.exception("chunk fails", import_id=claim.import_id)
            self._give_up(flight)
            self._drop_import(claim.import_id)
            self._count_failure(claim)
            return
        if flight.end >= claim.total:
            self._sender.look()
        self._failures.pop(claim.import_id, None)
        if not followed:
            self._read_up_to.pop(claim.import_id, None)
        CHUNK_SECONDS.observe(time.monotonic() - flight.claimed)
        CHUNK_DOCUMENTS.inc(flight.documents)
        seconds = round(time.monotonic() - started, 3)
        _log.debug("chunk committed", import_id=claim.import_id, end=flight.end, seconds=seconds)

    def _isolate(self, flight: Flight, place: int, texts: Texts) -> Sequence[Found | None]:
        if flight.in_pool:
            flight.in_pool = False
            self._renew_pool()
        alone = self._executor.alone()
        try:
            share = max(1 / 12, len(texts) / self._settings.chunk_documents)
            seconds = self._settings.chunk_deadline_seconds * min(share, 1.0)
            return flight.isolated(alone, place, texts, seconds, lambda *slice_: self._record(flight, *slice_))
        finally:
            alone.close()

    def _renew_pool(self) -> None:
        # The pool may hold the process that hangs. Of the flight that is being landed, what is lost with it is isolated
        # as well; the others are begun anew, because isolating them would renew the pool for each of them in turn.
        self._executor.renew()
        for other in self._flights:
            if other.in_pool:
                self._start(other)

    def _record(self, flight: Flight, start: int, count: int) -> int:
        # A negative size keeps the attempts of isolated slices apart from those of whole chunks.
        flight.run_alone.append((start, -count))
        with self._engine.begin() as connection:
            return claims.record_attempt(connection, flight.claim.import_id, start, -count)

    def _count_failure(self, claim: Claim) -> None:
        """A chunk that cannot be stored for a reason we do not know fails its import in the end, and never loops."""
        self._failures[claim.import_id] += 1
        if self._failures[claim.import_id] >= MAX_FAILURES:
            self._fail(claim, "the documents of this import could not be stored; the service's log says why")
        else:
            self._stopping.wait(self._settings.poll_seconds)

    def _fail(self, claim: Claim, reason: str) -> None:
        with self._engine.begin() as connection:
            fail_import(connection, claim, reason)
        self._sender.look()

    def _drop_import(self, import_id: str) -> None:
        for flight in [f for f in self._flights if f.claim.import_id == import_id]:
            self._give_up(flight)
            self._flights.remove(flight)
        self._read_up_to.pop(import_id, None)

    def _drop_flights(self) -> None:
        for flight in self._flights:
            self._give_up(flight)
        self._flights.clear()
        self._read_up_to.clear()

    def _give_up(self, flight: Flight) -> None:
        """The flight's chunk will be begun anew; that this worker is there to see it clears the chunk of suspicion."""
        flight.cancel()
        attempts = ((flight.claim.next_index, flight.documents), *flight.run_alone)
        self._outlived += [(flight.claim.import_id, *attempt) for attempt in attempts]

    def _land_all(self) -> None:
        while self._flights:
            self._land(self._flights.popleft())

    def _beat(self) -> None:
        claim_ms = int(self._settings.claim_seconds * 1000)
        while not self._stopping.wait(self._settings.claim_seconds / 3):
            try:
                with self._engine.begin() as connection:
                    evicted = claims.evict_silent(connection, self.name)
                if evicted:
                    _log.warning("transactions of a silent worker are ended", worker=self.name, transactions=evicted)
                with self._engine.begin() as connection:
                    claims.renew_claims(connection, self.name, claim_ms)
            except DBAPIError as error:
                _log.error("heartbeat fails", worker=self.name, error=type(error.orig).__name__)

    def _release(self) -> None:
        try:
            with self._engine.begin() as connection:
                for attempt in self._outlived:
                    claims.forget_attempt(connection, *attempt)
                claims.release_claims(connection, self.name)
        except DBAPIError as error:
            _log.error("claims could not be given back", worker=self.name, error=type(error.orig).__name__)
