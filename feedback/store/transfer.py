"""Moves a whole service between databases: backups are SQLite files, whichever database they come from."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select, text
from sqlalchemy.engine import make_url

from feedback.errors import Code, Conflict, Invalid, NotFound
from feedback.store import schema
from feedback.store.engine import open_engine, snapshot
from feedback.store.tables import instance, metadata, organisations

_ROWS = 500

Told = Callable[[str, int], None]
"""Hears of each table that was copied, and its number of rows."""


def back_up(engine: Engine, path: Path) -> None:
    """Writes everything, as of one instant, to a new SQLite file; the service may go on working meanwhile.

    The file appears under its name only when it is complete.
    """
    _require_current(engine)
    if path.exists():
        message = f"{path} exists already; a backup is never written over another file"
        raise Conflict(message, code=Code.NAME_TAKEN)
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        if engine.dialect.name == "sqlite":
            _vacuum_into(engine, partial)
        else:
            _copy_to_file(engine, partial)
        _flush(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def restore(path: Path, url: str) -> None:
    """Fills an empty database from a backup, of this version or an earlier one; the backup is not touched."""
    if not path.is_file():
        message = f"there is no backup {path}"
        raise NotFound(message)
    with tempfile.TemporaryDirectory(dir=_directory_of(url)) as directory:
        copied = Path(directory) / "backup.db"
        shutil.copyfile(path, copied)
        _require_backup(copied)
        source = open_engine(f"sqlite:///{copied}")
        try:
            schema.upgrade(source)
            copy(source, url)
        finally:
            source.dispose()


def copy(source: Engine, url: str, told: Told | None = None) -> None:
    """Copies everything, as of one instant, into an empty database, in one transaction."""
    _require_current(source)
    target = open_engine(url)
    try:
        schema.upgrade(target)
        with snapshot(source) as reading, reading.begin(), target.begin() as writing:
            if writing.scalar(select(func.count()).select_from(organisations)):
                message = "the database to be filled holds data already; give an empty one"
                raise Conflict(message, code=Code.NAME_TAKEN)
            writing.execute(delete(instance))
            for table in metadata.sorted_tables:
                rows = _copy_table(reading, writing, table)
                if told is not None:
                    told(table.name, rows)
            _move_sequences(writing)
    finally:
        target.dispose()


def _copy_table(reading: Connection, writing: Connection, table: Table) -> int:
    total = 0
    result = reading.execute(select(table).execution_options(yield_per=_ROWS))
    rows = result.mappings()
    while block := [dict(row) for row in islice(rows, _ROWS)]:
        writing.execute(insert(table), block)
        total += len(block)
    return total


def _move_sequences(writing: Connection) -> None:
    """PostgreSQL's identity columns do not notice ids that were given; SQLite's do."""
    if writing.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        for column in table.primary_key:
            sequence = writing.scalar(
                text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": column.name}
            )
            if sequence is not None:
                highest = writing.scalar(select(func.max(column)))
                if highest is not None:
                    writing.execute(select(func.setval(sequence, highest)))


def _vacuum_into(engine: Engine, path: Path) -> None:
    # SQLAlchemy's connections begin a transaction, within which SQLite writes no copy of itself.
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("VACUUM INTO ?", (str(path),))
    finally:
        connection.close()


def _copy_to_file(engine: Engine, path: Path) -> None:
    copy(engine, f"sqlite:///{path}")
    # Without its write-ahead log the backup is this one file.
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _require_current(engine: Engine) -> None:
    if not schema.is_current(engine):
        message = f"the database does not have schema {schema.newest()}; run: feedback migrate"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DATABASE_URL")


def _require_backup(path: Path) -> None:
    try:
        with sqlite3.connect(path) as connection:
            connection.execute("SELECT id FROM instance").fetchone()
        connection.close()
    except sqlite3.DatabaseError as error:
        message = f"this is no backup of the service: {error}"
        raise Invalid(message) from None


def _directory_of(url: str) -> str | None:
    """Where there is room for what the database will hold: beside it where it is a file."""
    name = make_url(url).database
    if make_url(url).get_backend_name() != "sqlite" or not name:
        return None
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    return str(Path(name).parent)
