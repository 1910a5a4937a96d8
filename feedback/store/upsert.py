"""INSERT ... ON CONFLICT, which both databases speak and SQLAlchemy spells once a dialect."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Inserts rows; where the primary key exists already, the row takes the new values."""
    statement = _insert(connection, table)
    keys = [column.name for column in table.primary_key]
    fresh = {c.name: statement.excluded[c.name] for c in table.c if c.name in rows[0] and c.name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=fresh), rows)


def add(connection: Connection, table: Table, row: dict[str, Any], column: str) -> None:
    """Inserts a row; where the primary key exists already, adds `column` to what is there."""
    statement = _insert(connection, table).values(row)
    keys = [c.name for c in table.primary_key]
    total = {column: table.c[column] + statement.excluded[column]}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=total))


def _insert(connection: Connection, table: Table) -> Any:
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
