"""Brings rows into temporary tables by each database's fastest way, where they are in nobody's way."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from sqlalchemy import Column, Connection, MetaData, Table
from sqlalchemy.schema import DropTable

from tasks.warehouse.types import Instant, Json

Rows = Sequence[tuple[Any, ...]]


def staged(table: Table) -> Table:
    """A temporary twin of a table, without keys."""
    columns = [Column(column.name, column.type) for column in table.columns]
    return Table(f"staged_{table.name}", MetaData(), *columns, prefixes=["TEMPORARY"])


def make_empty(connection: Connection, twins: Iterable[Table]) -> None:
    """Make the temporary tables, empty, whatever a merge that failed left in this connection."""
    twins = list(twins)
    drop(connection, twins)
    for twin in twins:
        twin.create(connection, checkfirst=False)


def drop(connection: Connection, twins: Iterable[Table]) -> None:
    """Drop the temporary tables where they are."""
    for twin in twins:
        connection.execute(DropTable(twin, if_exists=True))


def fill(connection: Connection, twin: Table, rows: Rows) -> None:
    """Append rows; moments are aware datetimes, JSON values are encoded text."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        _copy(connection, twin, rows)
    elif connection.dialect.name == "duckdb":
        _register(connection, twin, rows)
    else:
        marks = ", ".join("?" * len(twin.columns))
        connection.exec_driver_sql(f"INSERT INTO temp.{twin.name} VALUES ({marks})", list(rows))  # noqa: S608 our own names


def _copy(connection: Connection, twin: Table, rows: Rows) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {twin.name} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _register(connection: Connection, twin: Table, rows: Rows) -> None:
    cells = list(zip(*rows, strict=True))
    arrow = pa.table({c.name: pa.array(cells[i], type=_arrow_type(c)) for i, c in enumerate(twin.columns)})
    driver: Any = connection.connection.driver_connection
    driver.register("rows_to_stage", arrow)
    connection.exec_driver_sql(f"INSERT INTO {twin.name} SELECT * FROM rows_to_stage")  # noqa: S608 our own names
    driver.unregister("rows_to_stage")


def _arrow_type(column: "Column[Any]") -> Any:
    if isinstance(column.type, Instant):
        return pa.timestamp("us", tz="UTC")
    return pa.int64() if not isinstance(column.type, Json) and column.type.python_type is int else pa.string()
