"""A pipeline of its own for every test, beside a real service and a real Prefect server."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from feedback.client import FeedbackClient
from flows.service import Service
from tests.pipeline.servers import PrefectServer


@pytest.fixture(scope="session")
def prefect_api(prefect_server: PrefectServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The flows of this process know the Prefect server; its address."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PREFECT_HOME", str(tmp_path_factory.mktemp("home")))
        environment.setenv("PREFECT_LOGGING_LEVEL", "WARNING")
        from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings  # noqa: PLC0415 they are read when imported

        with temporary_settings({PREFECT_API_URL: prefect_server.api, PREFECT_HOME: os.environ["PREFECT_HOME"]}):
            yield prefect_server.api


@dataclass
class Pipeline:
    """Settings, files and eyes for one test."""

    folder: Path
    service: Service
    environment: dict[str, str]

    @property
    def warehouse(self) -> Path:
        return self.folder / "warehouse.db"

    def client(self) -> FeedbackClient:
        return FeedbackClient(self.service.url, self.service.client_id, self.service.client_secret)

    def feed(self, name: str = "visits", **given: Any) -> str:
        """Write a feed into a dataset of its own; its path."""
        usual = {
            "dataset": {"name": f"{name} of {self.folder.name}"},
            "external_id": {"column": "id"},
            "content": {"columns": "text"},
            "metadata": {
                "nps": {"type": "NPS", "column": "score"},
                "day": {"type": "Datetime", "column": "day", "format": "%Y-%m-%d"},
            },
            "batch_size": 10,
        }
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(json.loads(json.dumps(usual | given))), "utf-8")
        return str(path)

    def file(self, rows: int = 25, name: str = "visits.csv", text: str = "The staff was friendly.") -> str:
        """Write a CSV with that many good rows; its path."""
        path = self.folder / name
        lines = [f"v{number},{text},{number % 11},2026-03-{number % 28 + 1:02}" for number in range(rows)]
        path.write_text("\n".join(["id,text,score,day", *lines, ""]), "utf-8")
        return str(path)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """What the warehouse answers."""
        with sqlite3.connect(self.warehouse) as connection:
            return connection.execute(sql).fetchall()

    def counts(self) -> dict[str, int]:
        """How many rows the tables of documents have."""
        tables = ("documents", "enrichments", "document_topics")
        return {table: self.ask(f"SELECT count(*) FROM {table}")[0][0] for table in tables}


@pytest.fixture
def pipeline(tmp_path: Path, service: Service, prefect_api: str, monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    """A pipeline with a warehouse and folders of its own."""
    chosen = {
        "SERVICE_URL": service.url,
        "CLIENT_ID": service.client_id,
        "CLIENT_SECRET": service.client_secret,
        "WAREHOUSE_URL": f"sqlite:///{tmp_path / 'warehouse.db'}",
        "QUARANTINE_DIR": str(tmp_path / "quarantine"),
        "REPORTS_DIR": str(tmp_path / "reports"),
        "WORK_DIR": str(tmp_path / "work"),
        "WEBHOOK_SECRET_FILE": str(tmp_path / "webhook-secret"),
    }
    environment = {f"FEEDBACK_PIPELINE_{name}": value for name, value in chosen.items()}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Pipeline(tmp_path, service, {**os.environ, **environment, "PREFECT_API_URL": prefect_api})


@pytest.fixture
def load(pipeline: Pipeline) -> Callable[..., Any]:
    """The flow that loads."""
    from flows.load_feedback import load_feedback  # noqa: PLC0415 after Prefect's settings are made

    return load_feedback
