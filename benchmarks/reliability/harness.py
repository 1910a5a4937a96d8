"""What every fault run needs: a service as real processes, a corpus whose figures are known, and a verdict."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.postgres import PostgresServer, find_binaries  # noqa: E402  The path comes first.

COMMAND = [sys.executable, "-m", "feedback.cli"]
QUICK = {
    "FEEDBACK_CLAIM_SECONDS": "1.5",
    "FEEDBACK_CHUNK_DOCUMENTS": "64",
    "FEEDBACK_POLL_SECONDS": "0.05",
    "FEEDBACK_PROCESSES": "1",
    "FEEDBACK_LOG_FORMAT": "json",
}
TEXTS = (
    "The staff was friendly but the queue was far too long.",
    "Great coffee, terrible service.",
    "Delivery never arrived and nobody answered the phone.",
    "Lovely room, the bed could be better.",
    "I love the new app, checkout is easy.",
)


def documents(count: int, seed: int = 1) -> list[dict[str, Any]]:
    random_ = random.Random(seed)
    return [
        {
            "externalId": f"d-{seed}-{number}",
            "content": f"{random_.choice(TEXTS)} {random_.choice(TEXTS)}",
            "metadata": [{"code": "nps", "value": random_.randrange(11)}],
        }
        for number in range(count)
    ]


class House:
    """A data directory, a database, and the processes that run on them."""

    def __init__(self, directory: Path, url: str = "", **settings: str) -> None:
        self.directory = directory
        self.environment = os.environ | QUICK | {"FEEDBACK_DATA_DIR": str(directory), "FEEDBACK_DATABASE_URL": url}
        self.environment |= settings
        self.port = 0
        self.api: subprocess.Popen[str] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.http = httpx.Client(timeout=60, trust_env=False)
        if url:
            self._command("migrate")
        self.credentials = json.loads(self._command("clients", "create", "--organisation", "B", "--json"))

    def _command(self, *arguments: str) -> str:
        done = subprocess.run([*COMMAND, *arguments], env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout

    def start_api(self) -> None:
        """Starts the HTTP interface, on the port it had before, and signs in."""
        self.api = subprocess.Popen(
            [*COMMAND, "api", "--port", str(self.port)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.api.stdout is not None
        base = self.api.stdout.readline().split()[2].rstrip(",")
        self.port = int(base.rpartition(":")[2])
        self.http.base_url = httpx.URL(base)
        reply = self.http.post("/v1/token", json=self.credentials)
        self.http.headers["Authorization"] = f"Bearer {reply.json()['access_token']}"

    def start_worker(self) -> "subprocess.Popen[bytes]":
        """Starts one more worker."""
        worker = subprocess.Popen([*COMMAND, "worker"], env=self.environment, stderr=subprocess.DEVNULL)
        self.workers.append(worker)
        return worker

    def dataset(self) -> str:
        """A new dataset's id."""
        body = {
            "name": f"r{time.monotonic_ns()}",
            "lang": "en",
            "type": "PRODUCT_REVIEW",
            "industry": "RETAIL_B2C",
            "metadataDefinitions": [{"code": "nps", "type": "NPS", "mandatory": False}],
        }
        return str(self.http.post("/v1/management/datasets", json=body).json()["id"])

    def send(self, dataset_id: str, sent: list[dict[str, Any]], key: str | None = None) -> httpx.Response:
        """Posts an import."""
        headers = {} if key is None else {"Idempotency-Key": key}
        address = f"/v1/management/datasets/{dataset_id}/imports"
        return self.http.post(address, json={"documents": sent}, headers=headers)

    def record(self, dataset_id: str, import_id: str) -> dict[str, Any]:
        """An import's record."""
        found: dict[str, Any] = self.http.get(f"/v1/management/datasets/{dataset_id}/imports/{import_id}").json()
        return found

    def begun(self, dataset_id: str, import_id: str) -> bool:
        """Waits until the first documents of an import are dealt with."""
        return until(lambda: self.record(dataset_id, import_id)["processedDocuments"] > 0, 60)

    def listed(self, dataset_id: str, import_id: str) -> list[str]:
        """The external ids that an import lists, page by page."""
        address = f"/v1/management/datasets/{dataset_id}/imports/{import_id}/documents"
        found: list[str] = []
        page = 1
        while items := self.http.get(address, params={"page": page, "pageSize": 500}).json()["items"]:
            found += [item["externalId"] for item in items]
            page += 1
        return found

    def figures(self, dataset_id: str) -> list[Any]:
        """What the aggregations say, times apart."""
        questions: list[dict[str, Any]] = [
            {"field": "metadata.nps", "type": "NPS", "dimensions": [{"field": "metadata.nps", "group": "DISTINCT"}]},
            {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL", "limit": 100}]},
            {"field": "metadata.nps", "type": "AVG", "dimensions": [{"field": "TOPICS", "group": "DISTINCT"}]},
        ]
        found = []
        for question in questions:
            reply = self.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=question)
            period = reply.json()["periods"][0]
            found.append([period["total"], period["values"]])
        return found

    def wait(self, dataset_id: str, import_id: str, seconds: float = 90) -> bool:
        """Waits for an import's end; False where it does not come in time."""
        return until(lambda: self.record(dataset_id, import_id)["state"] != "STARTED", seconds)

    def close(self) -> None:
        """Ends all processes."""
        self.http.close()
        for process in [*self.workers, *([self.api] if self.api else [])]:
            end(process)
        if self.api is not None and self.api.stdout is not None:
            self.api.stdout.close()


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Waits for a condition; False where it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def end(process: "subprocess.Popen[Any]") -> None:
    """Ends a process as its operator would, one that is stopped included."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def kill(process: "subprocess.Popen[Any]") -> None:
    """SIGKILL, and then waits for the analysis processes to notice that they are orphans."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    assert until(lambda: not any(child.is_running() for child in children), 10), "an orphan stays"


@contextmanager
def house(database: str, **settings: str) -> Iterator[House]:
    """A service on an empty database of the kind."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="feedback-fault-")))
        url = stack.enter_context(postgres()).url() if database == "postgresql" else ""
        made = House(directory, url, **settings)
        stack.callback(made.close)
        yield made


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A PostgreSQL server of its own; a durable one waits for the disk, as in production."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("the binaries of PostgreSQL are not installed")
    server = PostgresServer(binaries, durable=durable)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.remove()


def verdict(name: str, *, bad: int, **figures: object) -> None:
    """Prints the run's line of figures; the process fails where something was lost, doubled or left open."""
    print(json.dumps({"run": name, **figures, "bad": bad}), flush=True)
    if bad:
        raise SystemExit(1)
