"""Makes what tests need: small, valid, and different only where a test says so."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial, partialmethod
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI

from feedback.api.app import create_app
from feedback.api.service import Service
from feedback.processing.executors import AnalysisExecutor
from feedback.processing.worker import Worker
from feedback.settings import Settings, load_settings
from feedback.store import schema
from feedback.store.clients import Scope, create_client, issue_token
from feedback.store.engine import open_engine

_numbers = count(1)
NPS = {"code": "nps", "type": "NPS", "mandatory": False}


def make_settings(directory: Path, **changes: Any) -> Settings:
    given = {"data_dir": directory, "processes": 1, "claim_seconds": 5.0, "chunk_documents": 64} | changes
    return load_settings(**given)


def make_sqlite(directory: Path) -> Settings:
    """Settings of a service on a new SQLite file with the newest schema."""
    (directory / "feedback.db").write_bytes(empty_database())
    return make_settings(directory)


@cache
def empty_database() -> bytes:
    """An SQLite file with the newest schema, made once: the steps take longer than many a test."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "empty.db"
        engine = open_engine(f"sqlite:///{path}")
        schema.upgrade(engine)
        engine.dispose()
        return path.read_bytes()


def make_definition(code: str, kind: str, **changes: Any) -> dict[str, Any]:
    return {"code": code, "type": kind, "mandatory": False} | changes


def make_dataset(**changes: Any) -> dict[str, Any]:
    return {
        "name": f"Reviews {next(_numbers)}",
        "lang": "en",
        "type": "SATISFACTION_SURVEY_RESPONSE",
        "industry": "RETAIL_B2C",
        "metadataDefinitions": [NPS],
    } | changes


def make_document(
    external_id: str | None = None, content: str = "The staff was friendly.", **changes: Any
) -> dict[str, Any]:
    return {"externalId": external_id or f"doc-{next(_numbers)}", "content": content} | changes


class Http:
    """Calls an app over ASGI, from tests that are not async; what the app raises becomes its reply."""

    def __init__(self, app: FastAPI, portal: BlockingPortal) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 5000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://service")
        self._portal = portal

    @property
    def headers(self) -> httpx.Headers:
        return self._client.headers

    def request(self, method: str, address: str, **options: Any) -> httpx.Response:
        return self._portal.call(partial(self._client.request, method, address, **options))

    get: partialmethod[httpx.Response] = partialmethod(request, "GET")
    post: partialmethod[httpx.Response] = partialmethod(request, "POST")
    patch: partialmethod[httpx.Response] = partialmethod(request, "PATCH")
    put: partialmethod[httpx.Response] = partialmethod(request, "PUT")
    delete: partialmethod[httpx.Response] = partialmethod(request, "DELETE")

    def close(self) -> None:
        self._portal.call(self._client.aclose)


class Running:
    """A service on a real database, called over ASGI, whose worker works when it is told to."""

    def __init__(self, service: Service, executor: AnalysisExecutor, portal: BlockingPortal) -> None:
        self.service = service
        self.engine = service.engine
        self.executor = executor
        self.app = create_app(service)
        self.http = Http(self.app, portal)

    @property
    def settings(self) -> Settings:
        return self.service.settings

    def configure(self, **changes: Any) -> None:
        """Changes settings of the running service."""
        self.service.settings = self.settings.model_copy(update=changes)

    def token(self, organisation: str = "Acme", scope: Scope = "write") -> str:
        with self.engine.begin() as connection:
            client_id, secret = create_client(connection, organisation, scope)
            return issue_token(connection, client_id, secret, self.settings.token_seconds)

    def login(self, organisation: str = "Acme", scope: Scope = "write") -> None:
        self.http.headers["Authorization"] = f"Bearer {self.token(organisation, scope)}"

    def dataset(self, **changes: Any) -> str:
        reply = self.http.post("/v1/management/datasets", json=make_dataset(**changes))
        assert reply.status_code == 201, reply.text
        return str(reply.json()["id"])

    def send(self, dataset_id: str, *documents: Any) -> str:
        """Posts an import and returns its id."""
        reply = self.http.post(f"/v1/management/datasets/{dataset_id}/imports", json={"documents": list(documents)})
        assert reply.status_code == 201, reply.text
        return str(reply.json()["id"])

    def load(self, dataset_id: str, *documents: Any) -> dict[str, Any]:
        """Posts an import, has it processed, and returns its record."""
        import_id = self.send(dataset_id, *documents)
        self.work()
        return self.get_import(dataset_id, import_id)

    def get_import(self, dataset_id: str, import_id: str) -> dict[str, Any]:
        record: dict[str, Any] = self.http.get(f"/v1/management/datasets/{dataset_id}/imports/{import_id}").json()
        return record

    def documents(self, dataset_id: str, import_id: str) -> list[dict[str, Any]]:
        address = f"/v1/management/datasets/{dataset_id}/imports/{import_id}/documents"
        items: list[dict[str, Any]] = self.http.get(address, params={"pageSize": 500}).json()["items"]
        return items

    def count(self, dataset_id: str) -> int:
        """How many documents the aggregations see."""
        body = {"field": "externalId", "type": "COUNT"}
        reply = self.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=body)
        assert reply.status_code == 200, reply.text
        return int(reply.json()["periods"][0]["total"]["volume"])

    def worker(self, **changes: Any) -> Worker:
        settings = self.settings.model_copy(update=changes)
        return Worker(settings, self.engine, self.executor)

    def work(self) -> None:
        self.worker().work_off()


@contextmanager
def make_running(settings: Settings, executor: AnalysisExecutor) -> Iterator[Running]:
    engine = open_engine(settings.url)
    try:
        with start_blocking_portal() as portal:
            running = Running(Service(settings, engine), executor, portal)
            running.login()
            yield running
            running.http.close()
    finally:
        engine.dispose()


def wait_until(condition: Any, seconds: float = 90.0) -> None:
    """Waits for a real process to reach a state; fails where it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
