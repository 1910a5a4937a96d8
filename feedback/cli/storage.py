"""Commands on the whole database: back up, restore, copy."""

# ruff: noqa: PLC0415  Imports stand inside the commands, so that `--help` is instant.

from pathlib import Path
from typing import Annotated

import typer

from feedback.cli.options import DatabaseUrl, DataDir, settings_of


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write everything to one file, as of one instant, while the service goes on working.

    The file is a SQLite database, whichever database the service uses; `feedback restore` reads it into either.

        feedback backup /backups/feedback-2026-11-21.db
    """
    from feedback.cli.processes import open_database
    from feedback.store.transfer import back_up

    engine = open_database(settings_of(data_dir=data_dir, database_url=database_url), make=False)
    try:
        back_up(engine, file)
    finally:
        engine.dispose()
    typer.echo(f"Backed up to {file} ({file.stat().st_size:,} bytes).")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `feedback backup` wrote.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Fill an empty database from a backup. Stop the service first; clients and their secrets come back too.

    feedback restore /backups/feedback-2026-11-21.db --data-dir /var/lib/feedback

    feedback restore feedback.db --database-url postgresql+psycopg://feedback@db/feedback
    """
    from feedback.store import transfer

    transfer.restore(file, settings_of(data_dir=data_dir, database_url=database_url).url)
    typer.echo(f"Restored from {file}.")


def copy(
    to: Annotated[str, typer.Argument(help="URL of the database to fill; it must be empty.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Copy everything into another database: the way from SQLite to PostgreSQL. Stop the service first.

    feedback copy postgresql+psycopg://feedback@db/feedback --data-dir data
    """
    from feedback.cli.processes import open_database
    from feedback.store import transfer

    target = settings_of(database_url=to).url
    engine = open_database(settings_of(data_dir=data_dir, database_url=database_url), make=False)
    try:
        transfer.copy(engine, target, lambda table, rows: typer.echo(f"{table:20} {rows:>12,}") if rows else None)
    finally:
        engine.dispose()
    typer.echo("Copied. Set FEEDBACK_DATABASE_URL to the new database and start the service.")
