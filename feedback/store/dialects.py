"""What SQLite and PostgreSQL spell differently, or SQLAlchemy spells slowly."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Table,
    Text,
    any_,
    bindparam,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeEngine

_encode = msgspec.json.Encoder().encode
_HARMLESS = re.compile(r"[A-Za-z0-9_.-]*")
_NONE: Mapping[str, "Constant"] = MappingProxyType({})


Constant = str | int | bytes | None


def upsert(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    everywhere: Mapping[str, Constant] = _NONE,
) -> None:
    """Inserts rows of the given columns, and of those that are the same `everywhere`; what is there takes new values.

    The statement is compiled once and handed to the driver with the rows as they are, because SQLAlchemy's own
    handling of each value takes longer than the database does. What is the same in all rows is written into it.
    """
    dialect = connection.dialect.name
    statement = _compiled(dialect, table, columns, tuple(everywhere))
    if everywhere:
        statement = statement.format_map({name: _literal(dialect, value) for name, value in everywhere.items()})
    connection.exec_driver_sql(statement, list(rows))


def insert_new(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    everywhere: Mapping[str, Constant] = _NONE,
) -> None:
    """Inserts rows of which none is there. PostgreSQL has COPY for that, which takes a third of the time."""
    if connection.dialect.name != "postgresql":
        upsert(connection, table, columns, rows, everywhere)
        return
    names = (*columns, *everywhere)
    constants = tuple(everywhere.values())
    statement = f"COPY {table.name} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)"
    psycopg: Any = connection.connection
    with psycopg.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_binary_type(table.c[name].type) for name in names])
        for row in rows:
            copy.write_row(row + constants)


def _binary_type(kind: TypeEngine[Any]) -> str:
    """What a column's values are to PostgreSQL's binary format."""
    if isinstance(kind, LargeBinary):
        return "bytea"
    if isinstance(kind, Integer):
        return "int8" if isinstance(kind, BigInteger) else "int4"
    return "text"


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
def _compiled(dialect: str, table: Table, columns: tuple[str, ...], everywhere: tuple[str, ...]) -> str:
    insert = _insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    fresh = {name: insert.excluded[name] for name in (*columns, *everywhere) if name not in keys}
    constants: dict[str, ColumnElement[Any]] = {name: literal_column(f"{{{name}}}") for name in everywhere}
    # `inline`: SQLAlchemy would have the database return keys that are no parameters.
    statement = insert.inline().values({name: bindparam(name) for name in columns} | constants)
    conflict = statement.on_conflict_do_update(index_elements=keys, set_=fresh)
    spoken = postgresql.psycopg.dialect(paramstyle="format") if dialect == "postgresql" else sqlite.dialect()  # type: ignore[no-untyped-call]
    compiled = conflict.compile(dialect=spoken, column_keys=[*columns, *everywhere])
    order = tuple(getattr(compiled, "positiontup", None) or ())
    if order != columns:
        raise ValueError(f"{table.name}: rows must be in the order of its columns, {order}")
    return str(compiled)


def are_alike(values: Sequence[Any]) -> bool:
    """Whether values are one and the same constant, so that it can be written into a statement."""
    first = values[0]
    return (isinstance(first, int) or _HARMLESS.fullmatch(first) is not None) and len(set(values)) == 1


def _literal(dialect: str, value: Constant) -> str:
    """A constant in SQL. Text is of a kind that needs no more than quotes."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes) and not value:
        return "x''" if dialect == "sqlite" else "''"
    if not isinstance(value, str) or not _HARMLESS.fullmatch(value):
        raise ValueError(value)
    return f"'{value}'"


@lru_cache(maxsize=64)
def _addition(dialect: str, table: Table, columns: tuple[str, ...], column: str) -> Any:
    statement = _insert(dialect, table).values({name: bindparam(name) for name in columns})
    keys = [c.name for c in table.primary_key]
    total = {column: table.c[column] + statement.excluded[column]}
    return statement.on_conflict_do_update(index_elements=keys, set_=total)


def _insert(dialect: str, table: Table) -> Any:
    return (postgresql if dialect == "postgresql" else sqlite).insert(table)
