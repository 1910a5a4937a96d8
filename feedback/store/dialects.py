"""What SQLite and PostgreSQL spell differently, or SQLAlchemy spells slowly."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, Text, any_, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

_encode = msgspec.json.Encoder().encode


def upsert(connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Inserts rows of the given columns; where the primary key exists already, the row takes the new values.

    The statement is compiled once and handed to the driver with the rows as they are, because SQLAlchemy's own
    handling of each value takes longer than the database does.
    """
    connection.exec_driver_sql(_compiled(connection.dialect.name, table, columns), list(rows))


def add(connection: Connection, table: Table, row: dict[str, Any], column: str) -> None:
    """Inserts a row; where the primary key exists already, adds `column` to what is there."""
    connection.execute(_addition(connection.dialect.name, table, tuple(row), column), row)


def is_any(connection: Connection, column: ColumnElement[str], values: Sequence[str]) -> ColumnElement[bool]:
    """Whether a text column has one of many values, as one parameter instead of one each."""
    if connection.dialect.name == "postgresql":
        return column == any_(bindparam(None, list(values), type_=postgresql.ARRAY(Text)))
    listed = func.json_each(_encode(values).decode()).table_valued("value")
    return column.in_(select(listed.c.value))


@lru_cache(maxsize=64)
def _compiled(dialect: str, table: Table, columns: tuple[str, ...]) -> str:
    insert = _insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    fresh = {name: insert.excluded[name] for name in columns if name not in keys}
    statement = insert.values({name: bindparam(name) for name in columns})
    conflict = statement.on_conflict_do_update(index_elements=keys, set_=fresh)
    spoken = postgresql.psycopg.dialect(paramstyle="format") if dialect == "postgresql" else sqlite.dialect()  # type: ignore[no-untyped-call]
    compiled = conflict.compile(dialect=spoken, column_keys=list(columns))
    order = tuple(getattr(compiled, "positiontup", None) or ())
    if order != columns:
        raise ValueError(f"{table.name}: rows must be in the order of its columns, {order}")
    return str(compiled)


@lru_cache(maxsize=64)
def _addition(dialect: str, table: Table, columns: tuple[str, ...], column: str) -> Any:
    statement = _insert(dialect, table).values({name: bindparam(name) for name in columns})
    keys = [c.name for c in table.primary_key]
    total = {column: table.c[column] + statement.excluded[column]}
    return statement.on_conflict_do_update(index_elements=keys, set_=total)


def _insert(dialect: str, table: Table) -> Any:
    return (postgresql if dialect == "postgresql" else sqlite).insert(table)
