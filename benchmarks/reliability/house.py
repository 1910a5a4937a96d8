"""The service as it is run: its database, its processes, each of which can be struck, and a client that calls it."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
from comments import DATASET, make_batch
from sqlalchemy import text

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from feedback.store import schema  # noqa: E402  The path comes first.
from feedback.store.clients import create_client  # noqa: E402
from feedback.store.engine import open_engine, snapshot  # noqa: E402
from tests.postgres import PostgresServer, find_binaries  # noqa: E402

COMMAND = [sys.executable, "-X", "faulthandler", "-m", "feedback.cli"]
CLAIM_SECONDS = 1.5
QUICK = {
    "FEEDBACK_CLAIM_SECONDS": str(CLAIM_SECONDS),
    "FEEDBACK_CHUNK_DOCUMENTS": "256",
    "FEEDBACK_POLL_SECONDS": "0.05",
    "FEEDBACK_PROCESSES": "1",
    "FEEDBACK_LOG_FORMAT": "json",
}
END_SECONDS = 20.0
PATIENCE_SECONDS = 150.0
"""On a busy machine a worker takes most of a minute to start, and so does its analysis process."""
POLL_SECONDS = 0.05
BROKEN_CONNECTION = "Exception during reset or similar"
"""How SQLAlchemy's pool says that the database ended a connection, which here it does on purpose."""
BUGS = ("unexpected error", "turn fails", "chunk fails", "notification fails unexpectedly", "Traceback", "Exception in")
"""What a log says when something happened that nobody planned for."""

_CLAIMS = "SELECT * FROM imports WHERE state = 'STARTED' ORDER BY served_at LIMIT 20"
_ATTEMPTS = "SELECT * FROM chunk_attempts ORDER BY attempts DESC LIMIT 20"
STANDSTILL = {
    "sqlite": {"open imports": _CLAIMS, "chunks begun": _ATTEMPTS},
    "postgresql": {
        "open imports": _CLAIMS,
        "chunks begun": _ATTEMPTS,
        "sessions": "SELECT pid, application_name, state, wait_event, now() - xact_start, left(query, 200),"
        " pg_blocking_pids(pid) FROM pg_stat_activity WHERE datname = current_database()",
    },
}
"""What the database is asked where an import gets no further."""

Json = dict[str, Any]
Condition = Callable[[], object]


class Process:
    """One process of the service and the analysis processes under it; its log is kept in a file."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as file:
            self._popen = subprocess.Popen(
                [*COMMAND, *arguments], env=dict(environment), cwd=ROOT, stdout=subprocess.PIPE, stderr=file, text=True
            )
        self.pid = self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it runs, or is only stopped."""
        return self._popen.poll() is None

    def announcement(self) -> str:
        """The line that an API prints once it listens."""
        assert self._popen.stdout is not None
        line = self._popen.stdout.readline()
        if not line:
            raise RuntimeError(f"the process did not start: {self.log.read_text()[-2000:]}")
        return line

    def confess(self) -> str:
        """Ends it, and returns the last lines of its log and where each of its threads was."""
        for process in self._children():
            process.send_signal(signal.SIGABRT)
        self._popen.send_signal(signal.SIGABRT)
        self._reap()
        return self.log.read_text()[-6000:]

    def kill(self) -> list[psutil.Process]:
        """Kills it with -9; returns the analysis processes it leaves behind, which must notice and go."""
        orphans = self._children()
        self._popen.kill()
        self._reap()
        return orphans

    def freeze(self) -> None:
        """Stops it and its analysis processes, as if the machine under them were gone or asleep."""
        self.pause()
        for child in self._children():
            child.suspend()

    def pause(self) -> None:
        """Stops the process itself, at once."""
        self._popen.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        """Has everything that was frozen go on."""
        for child in self._children():
            child.resume()
        self._popen.send_signal(signal.SIGCONT)

    def destroy(self) -> None:
        """Kills it with everything under it, frozen or not."""
        for child in self._children():
            child.kill()
        self._popen.kill()
        self._reap()

    def end(self) -> None:
        """SIGTERM, as an operator ends it."""
        if self.alive:
            self.wake()
            self._popen.terminate()
            try:
                self._popen.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self.destroy()
        self._reap()

    def _children(self) -> list[psutil.Process]:
        try:
            children: list[psutil.Process] = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return children

    def _reap(self) -> None:
        self._popen.wait()
        if self._popen.stdout is not None:
            self._popen.stdout.close()


class House:
    """A data directory, a database, the processes that run on them, and a client."""

    def __init__(self, directory: Path, logs: Path, url: str = "", **settings: str) -> None:
        self.directory = directory
        self.logs = logs
        given = {"FEEDBACK_DATA_DIR": str(directory), "FEEDBACK_DATABASE_URL": url}
        self.environment = os.environ | QUICK | given | settings
        self.http = httpx.Client(timeout=60, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
        self.workers: list[Process] = []
        self.gone: list[Process] = []
        self.api: Process | None = None
        self.orphans: list[psutil.Process] = []
        self._port = 0
        self._numbers = count(1)
        self.engine = open_engine(url or f"sqlite:///{directory / 'feedback.db'}")
        schema.upgrade(self.engine)
        with self.engine.begin() as connection:
            client_id, secret = create_client(connection, "Acme")
        self.credentials = {"clientId": client_id, "clientSecret": secret}

    def start_api(self) -> None:
        """Starts the API, always on the same port, and waits until it listens."""
        self.api = self._process("api", "--port", str(self._port))
        base = self.api.announcement().split()[2].rstrip(",")
        if not self._port:
            self._port = int(base.rpartition(":")[2])
            self.http.base_url = httpx.URL(base)
            self.login()

    def login(self) -> None:
        """Takes a token for all further calls."""
        reply = self.http.post("/v1/token", json=self.credentials)
        self.http.headers["Authorization"] = f"Bearer {reply.json()['access_token']}"

    def start_worker(self) -> Process:
        """Starts a worker and returns without waiting for it."""
        worker = self._process("worker")
        self.workers.append(worker)
        return worker

    def await_worker(self) -> None:
        """Waits until a worker is at work: it loads for a while, and one that finds no database at first ends."""
        dataset_id = self.dataset()
        if not self.ended(dataset_id, [self.send(dataset_id, make_batch(1, 0).body())]):
            raise RuntimeError("no worker begins to work")

    def kill_api(self) -> None:
        """Kills the API with -9."""
        assert self.api is not None
        self.orphans += self.api.kill()

    def kill_worker(self, worker: Process) -> None:
        """Kills a worker with -9, whose analysis processes are left to themselves."""
        self.orphans += worker.kill()
        self.workers.remove(worker)

    def dataset(self) -> str:
        """A new empty dataset."""
        body = DATASET | {"name": f"Reviews {next(self._numbers)}"}
        reply = self.http.post("/v1/management/datasets", json=body)
        reply.raise_for_status()
        return str(reply.json()["id"])

    def send(self, dataset_id: str, body: bytes) -> str:
        """Posts an import that must be accepted, and returns its id."""
        headers = {"Content-Type": "application/json"}
        reply = self.http.post(imports_of(dataset_id), content=body, headers=headers)
        reply.raise_for_status()
        return str(reply.json()["id"])

    def record(self, dataset_id: str, import_id: str) -> Json:
        """An import; empty where the service cannot say at the moment."""
        reply = self.get(f"{imports_of(dataset_id)}/{import_id}")
        found: Json = reply.json() if reply is not None and reply.status_code == httpx.codes.OK else {}
        return found

    def get(self, address: str, **parameters: Any) -> httpx.Response | None:
        """A reply of any status; None where there is none."""
        try:
            return self.http.get(address, params=parameters)
        except httpx.TransportError:
            return None

    def processed(self, dataset_id: str, import_ids: list[str]) -> int:
        """How many documents of some imports are dealt with."""
        return sum(int(self.record(dataset_id, i).get("processedDocuments", 0)) for i in import_ids)

    def ended(self, dataset_id: str, import_ids: list[str], seconds: float = PATIENCE_SECONDS) -> bool:
        """Waits for imports to complete; False where none of them gets any further for so long."""
        for import_id in import_ids:
            seen = -1
            since = time.monotonic()
            while (record := self.record(dataset_id, import_id)).get("state") != "COMPLETED":
                if record.get("processedDocuments", seen) > seen:
                    seen, since = record["processedDocuments"], time.monotonic()
                if time.monotonic() - since > seconds:
                    self._tell_stall()
                    return False
                time.sleep(POLL_SECONDS)
        return True

    def holder(self, import_id: str) -> Process | None:
        """The worker that has claimed an import, if it is one of ours."""
        statement = text("SELECT claimed_by FROM imports WHERE id = :id")
        with snapshot(self.engine) as connection, connection.begin():
            name = connection.execute(statement, {"id": import_id}).scalar()
        pid = int(name.split(":")[1]) if name else None
        return next((worker for worker in self.workers if worker.pid == pid), None)

    def bugs(self) -> list[str]:
        """Processes that ended by themselves, and what the logs of all, killed or not, hold that nobody planned for."""
        running = [*self.workers, *([self.api] if self.api else [])]
        ended = [f"a process has ended: {process.log.read_text()[-500:]}" for process in running if not process.alive]
        lines = [line for log in sorted(self.logs.iterdir()) for line in log.read_text().splitlines()]
        bugs = [line for line in lines if any(bug in line for bug in BUGS) and BROKEN_CONNECTION not in line]
        return ended + [line[:2000] for line in bugs]

    def _tell_stall(self) -> None:
        """What everybody does at the moment, printed; the workers end by it."""
        with snapshot(self.engine) as connection, connection.begin():
            for name, statement in STANDSTILL[self.engine.dialect.name].items():
                print(name, *connection.execute(text(statement)).all(), sep="\n  ", file=sys.stderr)
        for worker in self.workers:
            print(worker.confess(), file=sys.stderr)

    def close(self) -> None:
        """Ends everything."""
        for process in self.gone:
            process.destroy()
        for process in [*self.workers, *([self.api] if self.api else [])]:
            process.end()
        self.http.close()
        self.engine.dispose()

    def _process(self, *arguments: str) -> Process:
        return Process(list(arguments), self.environment, self.logs / f"{next(self._numbers):05}-{arguments[0]}.log")


def imports_of(dataset_id: str) -> str:
    """Where a dataset's imports are."""
    return f"/v1/management/datasets/{dataset_id}/imports"


def until(condition: Condition, seconds: float, every: float = POLL_SECONDS) -> bool:
    """Waits for a condition; False where it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


@contextmanager
def running_house(database: str, **settings: str) -> Iterator[House]:
    """A service on an empty database of a kind, its API started; everything of it is gone at the end."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="feedback-fault-")))
        url = stack.enter_context(running_server()).url() if database == "postgresql" else ""
        home = open_house(stack, directory, url, **settings)
        home.start_api()
        yield home


def open_house(stack: ExitStack, directory: Path, url: str = "", **settings: str) -> House:
    """A service without processes yet, closed with the stack; its logs lie where no fault can reach them."""
    logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="feedback-logs-")))
    data = directory / "data"
    data.mkdir()
    home = House(data, logs, url, **settings)
    stack.callback(home.close)
    return home


@contextmanager
def running_server(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A PostgreSQL server of its own."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("the binaries of PostgreSQL (initdb, pg_ctl) are not installed")
    server = PostgresServer(binaries, durable=durable)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.remove()
