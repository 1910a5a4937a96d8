"""The deployed pipeline: a real Prefect server, a real worker, the receiver, and a real service that notifies it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from flows.service import Service, running_service

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
TERMINAL = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(command: list[Any], environment: dict[str, str], log: Path) -> Iterator[None]:
    """A child process with its own session, ended with the block together with all it started."""
    with log.open("wb") as stream:
        child = subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=environment,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        yield
    finally:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def until(found: Callable[[], Any], seconds: float) -> Any:
    """What `found` gives once it gives something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if got := found():
                return got
        except httpx.TransportError:
            pass
        time.sleep(0.25)
    raise AssertionError(f"nothing came within {seconds} seconds")


@dataclass
class Deployed:
    """The running whole."""

    folder: Path
    api: str
    service: Service
    environment: dict[str, str]

    def call(self, method: str, path: str, json: Any = None, **body: Any) -> httpx.Response:
        def answered() -> httpx.Response | None:
            answer = httpx.request(method, f"{self.api}{path}", json=json or body or None, timeout=90)
            # The server's SQLite was locked; Prefect's own clients come again after this answer too.
            return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer

        found: list[httpx.Response] = []
        until(lambda: (got := answered()) is not None and not found.append(got), 120)
        return found[0]

    def wait_for(self, condition: Callable[[], bool], seconds: float = 120) -> None:
        """Wait until a condition holds."""
        until(condition, seconds)

    def run(self, deployment: str, **parameters: Any) -> str:
        """Create a run of a deployment; its id."""
        found = self.call("GET", f"/deployments/name/{deployment}").raise_for_status().json()["id"]
        body = {"parameters": parameters, "state": {"type": "SCHEDULED"}}
        return str(self.call("POST", f"/deployments/{found}/create_flow_run", **body).raise_for_status().json()["id"])

    def ended(self, run: str, seconds: float = 120) -> dict[str, Any]:
        """The state of a run once it has ended."""

        def look() -> dict[str, Any] | None:
            state: dict[str, Any] = self.call("GET", f"/flow_runs/{run}").raise_for_status().json()["state"]
            return state if state["type"] in TERMINAL else None

        return until(look, seconds)

    def runs_of(self, flow: str) -> list[dict[str, Any]]:
        found = self.call("POST", "/flow_runs/filter", flows={"name": {"any_": [flow]}}).raise_for_status().json()
        return list(found)


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """Everything that runs in production, on free ports of this machine."""
    folder = tmp_path_factory.mktemp("deployed")
    port, ear = free_port(), free_port()
    api = f"http://127.0.0.1:{port}/api"
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("FEEDBACK_WEBHOOK_ALLOWED_HOSTS", "127.0.0.1")
        patch.setenv("FEEDBACK_WEBHOOK_RETRY_SECONDS", "1,1,2,2,5,5,10")
        service = stack.enter_context(running_service(folder / "service", "deployed"))
        environment = _environment(folder, service, api, ear)
        stack.enter_context(
            process([BIN / "prefect", "server", "start", "--port", port], environment, folder / "server.log")
        )
        until(lambda: httpx.get(f"{api}/health").is_success, 90)
        _deploy(environment)
        factory = [sys.executable, "-m", "uvicorn", "--factory", "deployments.receiver:make_app", "--port", ear]
        stack.enter_context(process(factory, environment, folder / "receiver.log"))
        worker = [BIN / "prefect", "worker", "start", "--pool", "feedback", "--type", "process"]
        stack.enter_context(process(worker, environment, folder / "worker.log"))
        until(lambda: httpx.get(f"http://127.0.0.1:{ear}/livez").is_success, 60)
        yield Deployed(folder, api, service, environment)


def _environment(folder: Path, service: Service, api: str, ear: int) -> dict[str, str]:
    chosen = {
        "SERVICE_URL": service.url,
        "CLIENT_ID": service.client_id,
        "CLIENT_SECRET": service.client_secret,
        "WAREHOUSE_URL": f"sqlite:///{folder / 'warehouse.db'}",
        "QUARANTINE_DIR": str(folder / "quarantine"),
        "REPORTS_DIR": str(folder / "reports"),
        "WORK_DIR": str(folder / "work"),
        "FEEDS_DIR": str(folder),
        "WEBHOOK_SECRET_FILE": str(folder / "webhook-secret"),
        "RECEIVER_URL": f"http://127.0.0.1:{ear}/events",
    }
    prefect = {
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_API_URL": api,
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PREFECT_SERVER_DATABASE_TIMEOUT": "60",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "FEEDBACK_HOME": str(ROOT),
    }
    return {**os.environ, **prefect, **{f"FEEDBACK_PIPELINE_{name}": value for name, value in chosen.items()}}


def _deploy(environment: dict[str, str]) -> None:
    prefect = str(BIN / "prefect")
    deploy = [prefect, "--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml"]
    for command in ([prefect, "work-pool", "create", "feedback", "--type", "process"], deploy):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def make_feed_file(deployed: Deployed) -> Callable[[str, int], str]:
    """Writes a feed with a dataset of its own and a file of that many rows; the feed's name."""

    def make(name: str, rows: int) -> str:
        lines = [f"v{number},The staff was friendly.,{number % 11}" for number in range(rows)]
        (deployed.folder / f"{name}.csv").write_text("\n".join(["id,text,score", *lines, ""]), "utf-8")
        feed = {
            "dataset": {"name": name},
            "source": {"path": str(deployed.folder / f"{name}.csv")},
            "external_id": {"column": "id"},
            "content": {"columns": "text"},
            "metadata": {"nps": {"type": "NPS", "column": "score"}},
        }
        (deployed.folder / f"{name}.yaml").write_text(yaml.safe_dump(feed), "utf-8")
        return name

    return make
