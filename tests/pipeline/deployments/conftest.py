"""The deployed pipeline: deployments on a real Prefect server, a real worker, the receiver, and a real service."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from sqlalchemy import func, select

from feedback.client import FeedbackClient
from flows.service import Service
from tasks.warehouse import Warehouse, open_warehouse
from tasks.warehouse.tables import documents
from tests.pipeline.servers import BIN, ROOT, Child, PrefectServer, free_port, until

ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
LOAD, COLLECT, SWEEP = "load-feedback/store-reviews", "collect-import/collect-import", "sweep-imports/sweep-imports"
REPORT, BACKFILL = "aggregation-report/store-reviews-report", "backfill/backfill"


@dataclass
class Deployed:
    """The running whole."""

    folder: Path
    prefect: PrefectServer
    service: Service
    receiver: Child
    ear: str
    warehouse: Warehouse

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return httpx.request(method, f"{self.prefect.api}{path}", json=body, timeout=90)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        return self.call(method, path, body).raise_for_status().json()

    def id_of(self, deployment: str) -> str:
        return str(self.ask("GET", f"/deployments/name/{deployment}")["id"])

    def run(self, deployment: str, **parameters: Any) -> str:
        """Create a run of a deployment; its id."""
        body = {"parameters": parameters, "state": {"type": "SCHEDULED"}}
        return str(self.ask("POST", f"/deployments/{self.id_of(deployment)}/create_flow_run", body)["id"])

    def schedule(self, deployment: str, **parameters: Any) -> None:
        """Let a deployment run in seconds; the scheduler, which looks every five, may miss the first time."""
        soon = (datetime.now(UTC) + timedelta(seconds=8)).isoformat()
        timing = {"interval": 60, "anchor_date": soon}
        body = [{"schedule": timing, "active": True, "slug": "soon", "parameters": parameters}]
        assert self.call("POST", f"/deployments/{self.id_of(deployment)}/schedules", body).status_code == 201

    def unschedule(self, deployment: str) -> None:
        """End what `schedule` began."""
        path = f"/deployments/{self.id_of(deployment)}/schedules"
        for each in self.ask("GET", path):
            if each["slug"] == "soon":
                assert self.call("DELETE", f"{path}/{each['id']}").status_code == 204

    def ended(self, run: str, seconds: float = 300) -> dict[str, Any]:
        """The state of a run once it has ended."""

        def look() -> dict[str, Any] | None:
            state: dict[str, Any] = self.ask("GET", f"/flow_runs/{run}")["state"]
            return state if state["type"] in ENDED else None

        found: dict[str, Any] = until(look, seconds)
        return found

    def runs_of(self, deployment: str) -> list[dict[str, Any]]:
        body = {"deployments": {"id": {"any_": [self.id_of(deployment)]}}}
        return list(self.ask("POST", "/flow_runs/filter", body))

    def logs_of(self, run: str) -> str:
        found = self.ask("POST", "/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}})
        return "\n".join(line["message"] for line in found)

    def collections_of(self, import_id: str) -> list[str]:
        """The runs that the receiver created for an import."""
        return [run["id"] for run in self.runs_of(COLLECT) if run["parameters"]["import_id"] == import_id]

    def client(self) -> FeedbackClient:
        return FeedbackClient(self.service.url, self.service.client_id, self.service.client_secret)

    def collected(self, feed: str) -> int:
        """How many documents of a feed the warehouse holds."""
        counting = select(func.count()).select_from(documents).where(documents.c.feed == feed)
        with self.warehouse.read() as connection:
            return int(connection.execute(counting).scalar_one())

    def feed(self, name: str, rows: int) -> str:
        """Write a feed with a dataset of its own and a file of that many rows; the feed's name."""
        lines = [f"v{number},The staff was friendly.,{number % 11}" for number in range(rows)]
        (self.folder / f"{name}.csv").write_text("\n".join(["id,text,score", *lines, ""]), "utf-8")
        feed = {
            "dataset": {"name": name},
            "source": {"path": str(self.folder / f"{name}.csv")},
            "external_id": {"column": "id"},
            "content": {"columns": "text"},
            "metadata": {"nps": {"type": "NPS", "column": "score"}},
        }
        (self.folder / f"{name}.yaml").write_text(yaml.safe_dump(feed), "utf-8")
        return name


@dataclass
class Started:
    """The runs that every test of deployments looks at, started at once because each takes seconds to start."""

    load: str
    heard: str
    misspelt: str


@pytest.fixture(scope="package")
def deployed(
    prefect_server: PrefectServer, service: Service, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    """Everything that runs in production, on free ports of this machine."""
    folder = tmp_path_factory.mktemp("deployed")
    port = free_port()
    environment = _environment(folder, prefect_server, service, f"http://127.0.0.1:{port}")
    _deploy(environment)
    factory = [sys.executable, "-m", "uvicorn", "--factory", "deployments.receiver:make_app", "--port", port]
    receiver = Child(factory, environment, folder / "receiver.log")
    command = [BIN / "prefect", "worker", "start", "--pool", "feedback", "--type", "process"]
    worker = Child(command, environment, folder / "worker.log")
    receiver.start()
    worker.start()
    warehouse = open_warehouse(environment["FEEDBACK_PIPELINE_WAREHOUSE_URL"])
    ear = f"http://127.0.0.1:{port}"
    until(lambda: httpx.get(f"{ear}/livez").is_success, 150)
    whole = Deployed(folder, prefect_server, service, receiver, ear, warehouse)
    yield whole
    worker.kill()
    receiver.kill()
    with whole.client() as client:
        for webhook in client.webhooks():
            client.delete_webhook(webhook.id)
    warehouse.close()


@pytest.fixture(scope="package")
def started(deployed: Deployed) -> Started:
    """A load, a load that is heard of, a schedule about to fire, and a load that fails."""
    past = "dataset: {name: past}\nsource: {path: '/nowhere/{partition}.csv'}\n"
    (deployed.folder / "past.yaml").write_text(past + "external_id: {column: id}\ncontent: {columns: text}\n")
    deployed.schedule(BACKFILL, feed="past", start="2026-01-01", end="2026-03-31", dry_run=True)
    return Started(
        heard=deployed.run(LOAD, feed=deployed.feed("heard", 30), wait="webhook"),
        misspelt=deployed.run(LOAD, fed="store_reviews"),
        load=deployed.run(LOAD, batch_size=1000),
    )


def _environment(folder: Path, prefect: PrefectServer, service: Service, ear: str) -> dict[str, str]:
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
        "RECEIVER_URL": f"{ear}/events",
    }
    pipeline = {f"FEEDBACK_PIPELINE_{name}": value for name, value in chosen.items()}
    return {**prefect.environment, **pipeline, "PREFECT_WORKER_QUERY_SECONDS": "2", "FEEDBACK_HOME": str(ROOT)}


def _deploy(environment: dict[str, str]) -> None:
    prefect = str(BIN / "prefect")
    deploy = [prefect, "--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml"]
    for command in ([prefect, "work-pool", "create", "feedback", "--type", "process"], deploy):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
