"""Opens the warehouse: the engine, its schema at the newest version, and the dialect's own upsert."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, inspect, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.schema import CreateSchema

from tasks.warehouse import tables
from tasks.warehouse.migrations import STEPS, VERSION

BUSY_SECONDS = 60
KINDS = ("sqlite", "duckdb", "postgresql")


class NewerWarehouse(Exception):
    """The warehouse was written by a newer release than this one."""


class UnusableWarehouse(Exception):
    """The warehouse cannot be opened; the message says which, without its password, and why."""


class Warehouse:
    """One warehouse. Use it from one process at a time when it is DuckDB; the others may be shared."""

    def __init__(self, engine: Engine) -> None:
        # A SQLite or DuckDB file is the warehouse itself; DuckDB also confuses a schema with a file of the same name.
        schema = tables.SCHEMA if engine.dialect.name == "postgresql" else None
        self.engine = engine.execution_options(schema_translate_map={tables.SCHEMA: schema})
        self.dialect = engine.dialect.name
        self.schema = schema

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that writes."""
        with self.engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that only reads, and stands in nobody's way."""
        with self.engine.connect().execution_options(read_only=True) as connection:
            yield connection

    def insert(self, table: Table) -> Any:
        """The dialect's INSERT, which knows ON CONFLICT; DuckDB speaks PostgreSQL's."""
        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    def upsert(self, connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
        """Insert rows, or replace what stands under their primary keys."""
        if not rows:
            return
        statement = self.insert(table)
        keys = [column.name for column in table.primary_key]
        others = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), rows)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_warehouse(url: str) -> Warehouse:
    """The warehouse at a SQLAlchemy address, made or migrated when need be.

    Raises `NewerWarehouse`, and `UnusableWarehouse` where there is none that could be written to.
    """
    address = _address(url)
    try:
        warehouse = Warehouse(_engine(address))
    except (NoSuchModuleError, ImportError, OSError) as error:
        raise _unusable(address, error) from error
    try:
        _migrate(warehouse)
    except BaseException as error:
        warehouse.close()
        if isinstance(error, DBAPIError):
            raise _unusable(address, error.orig) from error
        raise
    return warehouse


def _unusable(address: URL, cause: BaseException | None) -> UnusableWarehouse:
    told = str(cause).strip().partition("\n")[0]
    if isinstance(cause, NoSuchModuleError | ImportError) and address.get_backend_name() == "duckdb":
        told = "its driver is not installed; pip install '.[duckdb]' installs it"
    return UnusableWarehouse(f"the warehouse {address.render_as_string(hide_password=True)} cannot be opened: {told}")


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        address = None
    if address is None or address.get_backend_name() not in KINDS:
        kind = "its address cannot be read" if address is None else f"{address.get_backend_name()} is none of them"
        message = f"a warehouse is sqlite:///FILE, duckdb:///FILE or postgresql://USER:PASSWORD@HOST/NAME; {kind}"
        raise UnusableWarehouse(message)
    return address.set(drivername="postgresql+psycopg") if address.drivername == "postgresql" else address


def _engine(address: URL) -> Engine:
    if address.get_backend_name() != "postgresql" and address.database not in {None, "", ":memory:"}:
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)
    # What a failing statement was about to write is what customers wrote: it stays out of messages and logs.
    engine = create_engine(address, hide_parameters=True)
    if engine.dialect.name == "sqlite":
        _tame_sqlite(engine)
    return engine


def _migrate(warehouse: Warehouse) -> None:
    with warehouse.write() as connection:
        if warehouse.dialect == "postgresql":
            # Two flows that start together would otherwise both make the tables.
            connection.execute(select(func.pg_advisory_xact_lock(7_043_001)))
        if warehouse.schema:
            connection.execute(CreateSchema(warehouse.schema, if_not_exists=True))
        fresh = not inspect(connection).has_table(tables.migrations.name, schema=warehouse.schema)
        if fresh:
            tables.metadata.create_all(connection)
        done = connection.execute(select(func.max(tables.migrations.c.version))).scalar() or 0
        if done > VERSION:
            place = warehouse.engine.url.render_as_string(hide_password=True)
            raise NewerWarehouse(f"{place} is at version {done}, this release knows {VERSION}; install a newer one")
        for version in range(done + 1, VERSION + 1):
            if not fresh:
                STEPS[version](connection)
            row = {"version": version, "applied_at": datetime.now(UTC)}
            connection.execute(tables.migrations.insert(), row)


def _tame_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            f"busy_timeout={BUSY_SECONDS * 1000}",
            "temp_store=FILE",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # A writer takes its lock at once: taken late, it would fail after the work instead of waiting before it.
        relaxed = connection.get_execution_options().get("read_only")
        connection.exec_driver_sql("BEGIN" if relaxed else "BEGIN IMMEDIATE")
