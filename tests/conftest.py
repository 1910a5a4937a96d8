"""Fixtures of every test of the service: databases that are real, and a service on each of them."""

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import text
from xdist.scheduler import LoadFileScheduling

from feedback.processing.executors import AnalysisExecutor, LocalExecutor
from feedback.settings import Settings
from feedback.store import schema
from feedback.store.engine import open_engine
from tests.builders import Running, make_running, make_settings, make_sqlite
from tests.postgres import PostgresServer, running_postgres
from tests.receiver import Receiver, running_receiver

_databases = count(1)

# The default renderer draws tracebacks with all local variables, which takes longer than the test that fails.
structlog.configure(
    processors=[structlog.processors.format_exc_info, structlog.processors.LogfmtRenderer()],
    logger_factory=structlog.PrintLoggerFactory(sys.__stderr__),
)


class ByFile(LoadFileScheduling):  # type: ignore[misc] # xdist is not typed.
    """Each file's tests run in one process, as do all that share a Prefect server; a fault is a group of its own."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/reliability/"):
            return nodeid
        sharing = (folder for folder in ("tests/pipeline/deployments", "tests/pipeline/flows") if folder in nodeid)
        return next(sharing, super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """How tests are shared out when they run in several processes."""
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a PostgreSQL, so that the inner loop can leave it to the whole suite."""
    for item in items:
        if "postgres" in getattr(item, "fixturenames", ()) or "postgresql" in item.name:
            item.add_marker("postgresql")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server whose database `template` has the newest schema."""
    with running_postgres() as server:
        _administer(server, "CREATE DATABASE template")
        engine = open_engine(server.url("template"))
        schema.upgrade(engine)
        engine.dispose()
        yield server


@pytest.fixture(scope="session")
def executor() -> Iterator[AnalysisExecutor]:
    """One analysis process for all tests, because starting one takes longer than most tests."""
    executor = LocalExecutor(1)
    yield executor
    executor.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings of a service on an empty database, once on each kind of database."""
    if request.param == "postgresql":
        url = make_database(request.getfixturevalue("postgres"))
        return make_settings(tmp_path, database_url=url)
    return make_sqlite(tmp_path)


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Settings:
    """Settings of a service on an empty SQLite file, for what does not depend on the database."""
    return make_sqlite(tmp_path)


@pytest.fixture
def running(settings: Settings, executor: AnalysisExecutor) -> Iterator[Running]:
    """A running service, on each kind of database."""
    with make_running(settings, executor) as service:
        yield service


@pytest.fixture
def on_sqlite(sqlite_settings: Settings, executor: AnalysisExecutor) -> Iterator[Running]:
    """A running service on SQLite, for what does not depend on the database."""
    with make_running(sqlite_settings, executor) as service:
        yield service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of notifications on loopback, which answers as a test tells it to."""
    with running_receiver() as receiver:
        yield receiver


def make_database(server: PostgresServer) -> str:
    """The URL of a new database with the newest schema."""
    name = f"test{next(_databases)}"
    _administer(server, f"CREATE DATABASE {name} TEMPLATE template")
    return server.url(name)


def _administer(server: PostgresServer, statement: str) -> None:
    engine = open_engine(server.url()).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
