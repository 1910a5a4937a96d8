"""What the pipeline's tests share: real servers, warehouses in three databases, feeds and documents made to order."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from config.definitions import check_definition
from config.feed import Feed
from feedback.client import Document
from feedback.client.models import Enrichment, MetadataValue, Offset, Topic
from flows.service import Service, running_service
from tasks.warehouse import Warehouse, open_warehouse
from tests.pipeline.servers import PrefectServer
from tests.postgres import PostgresServer


@contextmanager
def database(server: PostgresServer) -> Iterator[str]:
    """An empty database in the real PostgreSQL; its address."""
    name = f"w{os.urandom(6).hex()}"
    engine = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.url(name)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture
def postgresql_url(postgres: PostgresServer) -> Iterator[str]:
    """A database of its own in the real PostgreSQL."""
    with database(postgres) as url:
        yield url


@pytest.fixture(scope="session")
def prefect_process(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    """One real Prefect server for all tests, which may not answer yet."""
    with database(postgres) as url:
        server = PrefectServer(tmp_path_factory.mktemp("prefect"), url.replace("+psycopg", "+asyncpg"))
        server.start()
        yield server
        server.kill()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One real service for all tests."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FEEDBACK_PROCESSES", "1")
            patch.setenv("FEEDBACK_TOKEN_REQUESTS_PER_MINUTE", "10000")
            patch.setenv("FEEDBACK_WEBHOOK_ALLOWED_HOSTS", "127.0.0.1")
            patch.setenv("FEEDBACK_WEBHOOK_RETRY_SECONDS", ",".join(["1"] * 5 + ["2"] * 60))
            running = stack.enter_context(running_service(tmp_path_factory.mktemp("service"), "tests"))
        yield running


@pytest.fixture(scope="session")
def prefect_server(prefect_process: PrefectServer, service: Service) -> PrefectServer:
    """The same Prefect server, ready; the service starts while it does."""
    prefect_process.wait()
    return prefect_process


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Warehouse]:
    """An empty warehouse, in each of the three databases in turn."""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_url")
    else:
        url = f"{request.param}:///{tmp_path / 'warehouse.db'}"
    opened = open_warehouse(url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    """An empty warehouse in a SQLite file."""
    opened = open_warehouse(f"sqlite:///{tmp_path / 'warehouse.db'}")
    yield opened
    opened.close()


@pytest.fixture
def make_feed() -> Callable[..., Feed]:
    """Makes a feed of columns id, text, score and day; what is given replaces what it says."""

    def make(**given: Any) -> Feed:
        usual = {
            "name": "visits",
            "dataset": {"name": "visits"},
            "external_id": {"column": "id"},
            "content": {"columns": "text"},
            "metadata": {"nps": {"type": "NPS", "column": "score"}, "day": {"type": "Datetime", "column": "day"}},
            "max_rejected_share": 1,
        }
        return check_definition("feed", usual | given, Feed)

    return make


@pytest.fixture
def make_document() -> Callable[..., Document]:
    """Makes an analysed document with one term."""

    def make(external_id: str = "a", content: str = "Nice staff", **given: Any) -> Document:
        moment = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        enrichment = Enrichment(term="staff__NOUN__1", opinion="POSITIVE", offset=Offset(begin=5, end=10))
        usual: dict[str, Any] = {
            "id": "0" * 24,
            "external_id": external_id,
            "content": content,
            "lang": "en",
            "type": "SATISFACTION_SURVEY_RESPONSE",
            "state": "ANALYZED",
            "metadata": [MetadataValue(code="nps", value=9)],
            "enrichments": [enrichment],
            "topics": [Topic(code="STAFF", label="Staff", opinion="POSITIVE")],
            "created_at": moment,
            "updated_at": moment,
            "last_opinion_enrichment": moment,
        }
        return Document(**usual | given)

    return make
