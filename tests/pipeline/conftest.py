"""What the pipeline's tests share: warehouses in three real databases, feeds and documents made to order."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from config.definitions import check_definition
from config.feed import Feed
from feedback.client import Document
from feedback.client.models import Enrichment, MetadataValue, Offset, Topic
from tasks.warehouse import Warehouse, open_warehouse

ROOT = Path(__file__).parents[2]
SHARED = ROOT / ".." / "shared" / "data" / "feedback"


def _postgresql_binaries() -> Path | None:
    found = shutil.which("pg_ctl")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return places[0] if places else None


@pytest.fixture(scope="session")
def postgresql_home() -> Iterator[Path]:
    """The socket directory of a real PostgreSQL; without binaries the test skips, unless CI promises them."""
    binaries = _postgresql_binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL's binaries are missing, and CI is meant to have them")
        pytest.skip("PostgreSQL's binaries are not installed")
    home = Path(tempfile.mkdtemp(prefix="pg"))
    run: dict[str, Any] = {"cwd": home, "env": {"LC_ALL": "C.UTF-8"}, "stdout": subprocess.DEVNULL}
    if os.getuid() == 0:
        # PostgreSQL refuses to run as root.
        user = pwd.getpwnam("postgres")
        os.chown(home, user.pw_uid, user.pw_gid)
        run |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    data = home / "data"
    initdb = [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    subprocess.run([*initdb, "--no-sync"], check=True, **run)
    options = f"-c listen_addresses='' -k {home} -c fsync=off"
    subprocess.run(
        [binaries / "pg_ctl", "-D", data, "-w", "-l", home / "log", "-o", options, "start"], check=True, **run
    )
    yield home
    subprocess.run([binaries / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=True, **run)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql_home: Path) -> Iterator[str]:
    """A database of its own in the real PostgreSQL."""
    server = f"postgresql+psycopg://postgres@/postgres?host={postgresql_home}"
    name = f"w{os.urandom(6).hex()}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield f"postgresql+psycopg://postgres@/{name}?host={postgresql_home}"
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


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
