"""A warehouse of an older release becomes one of this release, and nothing in it is lost."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, inspect, select
from sqlalchemy.exc import DBAPIError

from feedback.client import Document
from tasks.warehouse import Warehouse, open_warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.database import NewerWarehouse, UnusableWarehouse
from tasks.warehouse.migrations import STEPS, VERSION
from tasks.warehouse.tables import documents, enrichments, metadata, migrations, report_values, reports
from tests.pipeline.conftest import database

FIRST = Path(__file__).parent / "version_1"


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def addresses(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """Two empty databases of the same kind."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            server = request.getfixturevalue("postgres")
            yield [stack.enter_context(database(server)) for _ in range(2)]
        else:
            yield [f"{request.param}:///{tmp_path / name}.db" for name in ("old", "new")]


@pytest.fixture
def old(addresses: list[str]) -> str:
    """A warehouse of version 1 with a document, a report and a view, written by the statements of that release."""
    engine = create_engine(addresses[0])
    with engine.begin() as connection:
        for statement in (FIRST / f"{engine.dialect.name}.sql").read_text("utf-8").split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    engine.dispose()
    return addresses[0]


def rows(warehouse: Warehouse, table: Any) -> list[Any]:
    with warehouse.read() as connection:
        return list(connection.execute(select(table)))


def columns(warehouse: Warehouse) -> dict[str, list[tuple[str, str, bool]]]:
    """Each table's columns: name, type and whether they may be empty."""
    found = inspect(warehouse.engine)
    return {
        table.name: [
            (each["name"], str(each["type"]), each["nullable"])
            for each in found.get_columns(table.name, schema=warehouse.schema)
        ]
        for table in metadata.sorted_tables
    }


def test_a_warehouse_of_the_first_release_keeps_its_rows_and_notes_each_step(old: str) -> None:
    warehouse = open_warehouse(old)
    assert [row.version for row in rows(warehouse, migrations)] == list(range(1, VERSION + 1))
    (document,), (term,), (report,) = (rows(warehouse, table) for table in (documents, enrichments, reports))
    assert (document.content, document.metadata, document._source_line) == ("Nice staff", {"nps": 9}, 2)
    assert (term.surface, report.title, report.sentences) == ("staff", "Visits", None)
    assert [row.value for row in rows(warehouse, report_values)] == [7.5]
    warehouse.close()


def test_a_migrated_warehouse_is_what_a_new_one_is(old: str, addresses: list[str]) -> None:
    migrated, new = open_warehouse(old), open_warehouse(addresses[1])
    assert columns(migrated) == columns(new)
    migrated.close()
    new.close()


def test_a_migrated_warehouse_takes_what_is_collected(old: str, make_document: Callable[..., Document]) -> None:
    for number in range(2):
        warehouse = open_warehouse(old)
        merge(warehouse, Origin("d1", "visits", "i2", "visits.csv", {}), [[make_document(f"b{number}")]])
        warehouse.close()
    warehouse = open_warehouse(old)
    assert sorted(row.external_id for row in rows(warehouse, documents)) == ["a", "b0", "b1"]
    warehouse.close()


def test_a_step_that_fails_leaves_the_warehouse_as_it_was(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(connection: Connection) -> None:
        STEPS[2](connection)
        raise ConnectionAbortedError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr("tasks.warehouse.database.STEPS", STEPS | {2: broken})
        with pytest.raises(ConnectionAbortedError):
            open_warehouse(old)
    warehouse = open_warehouse(old)
    assert [row.version for row in rows(warehouse, migrations)] == list(range(1, VERSION + 1))
    warehouse.close()


def test_a_warehouse_of_a_newer_release_is_refused_in_a_sentence(sqlite_warehouse: Warehouse) -> None:
    with sqlite_warehouse.write() as connection:
        connection.exec_driver_sql(f"UPDATE migrations SET version = {VERSION + 1} WHERE version = {VERSION}")
    with pytest.raises(NewerWarehouse, match=f"is at version {VERSION + 1}, this release knows {VERSION}"):
        open_warehouse(sqlite_warehouse.engine.url.render_as_string())


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://user:hush@host/feedback", "mysql is none of them"),
        ("not an address", "its address cannot be read"),
        ("postgresql://user:hush@127.0.0.1:9/feedback", "Connection refused"),
        ("sqlite:////dev/null/warehouse.db", "File exists"),
        ("duckdb+absent:///warehouse.duckdb", r"pip install '\.\[duckdb\]'"),
    ],
)
def test_a_warehouse_that_cannot_be_opened_is_told_without_its_password(url: str, told: str) -> None:
    with pytest.raises(UnusableWarehouse, match=told) as caught:
        open_warehouse(url)
    assert "hush" not in str(caught.value)


def test_what_a_failing_statement_was_to_write_stays_out_of_its_message(warehouse: Warehouse) -> None:
    row = {"version": 1, "applied_at": datetime(2026, 1, 1, tzinfo=UTC)}
    with pytest.raises(DBAPIError) as caught, warehouse.write() as connection:
        connection.execute(migrations.insert(), [row, row])
    assert "2026" not in str(caught.value)
