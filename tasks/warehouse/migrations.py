"""How an older warehouse becomes one of this release: a step a version, each in the transaction that notes it."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Column, Connection
from sqlalchemy.schema import CreateColumn

from tasks.warehouse.tables import SCHEMA, reports


def _add(connection: Connection, column: "Column[Any]") -> None:
    """Add a column to the table it is declared in; the rows that are there have no value in it."""
    schema = connection.get_execution_options()["schema_translate_map"][SCHEMA]
    table = f"{schema}.{column.table.name}" if schema else column.table.name
    declared = CreateColumn(column).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {declared}")


def _sentences_of_reports(connection: Connection) -> None:
    _add(connection, reports.c.sentences)


# Each step brings a warehouse of the version before to this one; a new warehouse is made whole and skips them all.
STEPS: dict[int, Callable[[Connection], None]] = {2: _sentences_of_reports}
VERSION = max(STEPS)
