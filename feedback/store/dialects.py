"""What SQLite and PostgreSQL spell differently, or SQLAlchemy spells slowly."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
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
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeEngine

_encode = msgspec.json.Encoder().encode
_NONE: Mapping[str, "Constant"] = MappingProxyType({})


Constant = str | int | bytes | None
# Rows that SQLite inserts by one statement, for fewer returns to the driver; releases that know RETURNING take 32,766
# values.
_TOGETHER = 128


def upsert(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    everywhere: Mapping[str, Constant] = _NONE,
) -> None:
    """Inserts rows of the given columns, and of those that are the same `everywhere`; what is there takes new values.

    The statement is made once and handed to the driver with the rows as they are, because SQLAlchemy's own handling of
    each value takes longer than the database does.
    """
    constants = tuple(everywhere.values())
    names = (*everywhere, *columns)
    if connection.dialect.name == "postgresql":
        statement = _upserting(table, names, f"({', '.join(['%s'] * len(names))})")
        connection.exec_driver_sql(statement, [constants + row for row in rows])
        return
    whole = len(rows) // _TOGETHER * _TOGETHER
    for count, lot in ((_TOGETHER, rows[:whole]), (1, rows[whole:])):
        if lot:
            lots = [constants + tuple(chain(*lot[place : place + count])) for place in range(0, len(lot), count)]
            connection.exec_driver_sql(_upserting(table, names, _numbered(len(everywhere), len(columns), count)), lots)


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
def _upserting(table: Table, names: tuple[str, ...], values: str) -> str:
    keys = [column.name for column in table.primary_key]
    quoted = ", ".join(f'"{name}"' for name in names)
    fresh = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in keys)
    inserted = f"INSERT INTO {table.name} ({quoted}) VALUES {values}"  # noqa: S608  Names of our own tables.
    return f"{inserted} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {fresh}"


@lru_cache(maxsize=64)
def _numbered(constants: int, columns: int, rows: int) -> str:
    """Places of values for SQLite: the constants come first, and are the same in all rows."""
    same = [f"?{place}" for place in range(1, constants + 1)]
    first = constants + 1
    return ", ".join(
        f"({', '.join([*same, *(f'?{place}' for place in range(start, start + columns))])})"
        for start in range(first, first + rows * columns, columns)
    )


def are_alike(values: Sequence[Any]) -> bool:
    """Whether values are one and the same."""
    return len(set(values)) == 1


@lru_cache(maxsize=64)
def _addition(dialect: str, table: Table, columns: tuple[str, ...], column: str) -> Any:
    statement = _insert(dialect, table).values({name: bindparam(name) for name in columns})
    keys = [c.name for c in table.primary_key]
    total = {column: table.c[column] + statement.excluded[column]}
    return statement.on_conflict_do_update(index_elements=keys, set_=total)


def _insert(dialect: str, table: Table) -> Any:
    return (postgresql if dialect == "postgresql" else sqlite).insert(table)
