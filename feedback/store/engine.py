"""One way to open a database, so that every process agrees on isolation and durability."""

from typing import Any

from sqlalchemy import Connection, Engine, Row, create_engine, event
from sqlalchemy.engine import make_url

BUSY_TIMEOUT_MS = 30_000

AnyRow = Row[*tuple[Any, ...]]
"""A row whose columns the reader names."""


def open_engine(url: str, *, pool_size: int = 5) -> Engine:
    """An engine on `sqlite:///PATH` or `postgresql+psycopg://...`.

    SQLite: WAL, synchronous=FULL, BEGIN IMMEDIATE (plain BEGIN where the connection has the execution option
    `read_only`), foreign keys on. PostgreSQL: READ COMMITTED; ask for REPEATABLE READ by execution option.
    """
    if make_url(url).get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False})
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(url, pool_size=pool_size, max_overflow=pool_size, pool_pre_ping=True)


def snapshot(engine: Engine) -> Connection:
    """A connection whose reads all see one state of the database; use it as a context manager, with `begin()`."""
    if engine.dialect.name == "sqlite":
        return engine.connect().execution_options(read_only=True)
    return engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _configure_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    read_only = connection.get_execution_options().get("read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")
