"""The `feedback` command: run the service, make clients, analyse texts without it.

Imports stand inside the commands: `--help` is instant, and analysis processes, which load this module, stay small.
"""

# ruff: noqa: PLC0415  Imports stand inside the commands, for the reason above.

import gc
import json
import os
import sqlite3
import sys
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feedback.cli import storage
from feedback.cli.options import DatabaseUrl, DataDir, settings_of
from feedback.errors import FeedbackError, Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from feedback.settings import Settings

LONGEST_NAME = 200
GC_THRESHOLD = 50_000

app = typer.Typer(
    name="feedback",
    help="Analyses customer feedback: terms, opinions, topics, and exact figures over them, as an HTTP service.",
    epilog="Start with: feedback serve",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
clients_app = typer.Typer(help="Make and end the clients that may call the service.", no_args_is_help=True)
app.add_typer(clients_app, name="clients")
for command in (storage.backup, storage.restore, storage.copy):
    app.command()(command)

Host = Annotated[str | None, typer.Option(help="Address to listen on. [env: FEEDBACK_HOST] [default: 127.0.0.1]")]
Port = Annotated[int | None, typer.Option(help="Port; 0 takes a free one. [env: FEEDBACK_PORT] [default: 8000]")]
Processes = Annotated[
    int | None, typer.Option(help="Analysis processes. [env: FEEDBACK_PROCESSES] [default: one a core]")
]


class ScopeName(StrEnum):
    """What a client may do."""

    WRITE = "write"
    READ = "read"


@app.command()
def serve(
    data_dir: DataDir = None,
    port: Port = None,
    host: Host = None,
    database_url: DatabaseUrl = None,
    processes: Processes = None,
) -> None:
    """Run everything in one command: the API, a worker and its analysis processes.

    With no setting at all it keeps its data in ./data (SQLite) and listens on http://127.0.0.1:8000.

        feedback serve

        feedback serve --data-dir /var/lib/feedback --port 9000

    Larger installations run `feedback api` and `feedback worker` apart, several of each, on one PostgreSQL.
    Ctrl-C or SIGTERM finishes the documents under way and ends all processes.
    """
    from feedback.cli.processes import serve_all

    serve_all(settings_of(data_dir=data_dir, port=port, host=host, database_url=database_url, processes=processes))


@app.command()
def api(data_dir: DataDir = None, port: Port = None, host: Host = None, database_url: DatabaseUrl = None) -> None:
    """Run the HTTP interface alone; a `feedback worker` on the same database does the work.

    feedback api --host 0.0.0.0 --port 8000
    """
    from feedback.cli.processes import serve_api

    serve_api(settings_of(data_dir=data_dir, port=port, host=host, database_url=database_url))


@app.command()
def worker(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    processes: Processes = None,
    follow: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run a worker alone: it claims imports, analyses them and stores what it finds.

    Several may share one database; each import is worked on by one of them at a time. A worker that dies loses
    nothing: another takes over when its claim has run out (FEEDBACK_CLAIM_SECONDS, 15).

        feedback worker --processes 8
    """
    from feedback.cli.processes import run_worker

    run_worker(settings_of(data_dir=data_dir, database_url=database_url, processes=processes), follow)


@app.command()
def migrate(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Bring the database to this version's schema. SQLite needs no call: the service does it when it starts.

    FEEDBACK_DATABASE_URL=postgresql+psycopg://feedback@db/feedback feedback migrate
    """
    from feedback.store import schema
    from feedback.store.engine import open_engine

    settings = settings_of(data_dir=data_dir, database_url=database_url)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    engine = open_engine(settings.url)
    schema.upgrade(engine)
    engine.dispose()
    typer.echo(f"The database has schema {schema.newest()}.")


@clients_app.command("create")
def create_client(
    organisation: Annotated[str, typer.Option(help="Whose data the client sees; made where it does not exist.")],
    scope: Annotated[ScopeName, typer.Option(help="read: may only read, search and aggregate.")] = ScopeName.WRITE,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make a client. Its secret is shown once and stored only as a hash.

    feedback clients create --organisation "Acme Stores"

    feedback clients create --organisation "Acme Stores" --scope read --json
    """
    from feedback.store import clients

    name = organisation.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        message = f"an organisation's name has 1 to {LONGEST_NAME} printable characters"
        raise Invalid(message, field="--organisation")
    with _database(settings_of(data_dir=data_dir, database_url=database_url), make=True) as connection:
        client_id, secret = clients.create_client(connection, name, scope.value)
    _show_secret(client_id, secret, as_json=as_json)


@clients_app.command("list")
def list_clients(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON a client.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """List all clients, revoked ones included."""
    import msgspec

    from feedback.domain.timestamps import to_iso
    from feedback.store import clients

    with _database(settings_of(data_dir=data_dir, database_url=database_url)) as connection:
        found = clients.list_clients(connection)
    for client in found:
        if as_json:
            typer.echo(msgspec.json.encode(client).decode())
        else:
            state = "revoked" if client.revoked_at else f"{client.live_secrets} secret(s)"
            typer.echo(
                f"{client.client_id}  {client.scope:5}  {to_iso(client.created_at)}  {state}  {client.organisation}"
            )


@clients_app.command("rotate")
def rotate_client(
    client_id: str,
    *,
    revoke_others: Annotated[bool, typer.Option(help="End the client's other secrets at once.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Give a client a further secret. Two may live at once, so that a client can change over without a gap.

    feedback clients rotate 0f1e2d3c4b5a69788796a5b4
    """
    from feedback.store import clients

    with _database(settings_of(data_dir=data_dir, database_url=database_url)) as connection:
        secret = clients.rotate_secret(connection, client_id, revoke_others=revoke_others)
    _show_secret(client_id, secret, as_json=as_json)


@clients_app.command("revoke")
def revoke_client(client_id: str, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """End a client, its secrets and its tokens at once."""
    from feedback.store import clients

    with _database(settings_of(data_dir=data_dir, database_url=database_url)) as connection:
        clients.revoke_client(connection, client_id)
    typer.echo(f"Client {client_id} is revoked.")


@app.command()
def analyse(
    lang: Annotated[str, typer.Option(help="Language of the texts, for example en, fr or zh.")] = "en",
    industry: Annotated[
        str, typer.Option(help="Industry whose topics are looked for, for example RETAIL_B2C.")
    ] = "GENERAL",
) -> None:
    """Analyse texts from standard input without a service: JSON lines in, JSON lines out.

    A line is `{"id": ..., "text": ...}`; other members are ignored. Out comes `{"id", "enrichments", "topics"}`.

        echo '{"id": 1, "text": "The staff was lovely."}' | feedback analyse --lang en

        feedback analyse --lang fr < in.jsonl > out.jsonl
    """
    from feedback.processing.jsonl import analyse_lines

    for line in analyse_lines(sys.stdin.buffer, lang, industry):
        sys.stdout.buffer.write(line)


@app.command()
def evaluate(
    gold: Annotated[Path, typer.Argument(help="Annotated comments, JSON lines or the markup of tests/gold.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print figures as JSON.")] = False,
) -> None:
    """Measure the analysis against annotated comments: terms found, opinions right, the worst errors.

    feedback evaluate tests/gold/en.tsv
    """
    from feedback.analysis import evaluate as evaluation

    typer.echo(evaluation.main(gold, as_json))


def main() -> None:
    """The command; errors a caller can mend are one line, everything else is a traceback."""
    # What customers wrote lies in the data directory and in backups: for their owner alone.
    os.umask(0o077)
    # Loading libraries makes what stays: looking through it for what does not is a fifth of the time to start.
    # A worker's chunks are many small objects that live briefly and hold no cycles: there is little to find either.
    gc.set_threshold(GC_THRESHOLD)
    try:
        app()
    except FeedbackError as error:
        for problem in error.problems:
            where = f"{problem.field}: " if problem.field else ""
            typer.echo(f"feedback: {where}{problem.description}", err=True)
        sys.exit(2)
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        typer.echo(f"feedback: {told}", err=True)
        sys.exit(1)


def _told(error: Exception) -> str | None:
    """What whoever typed the command can see to: a file that is not there, a database that does not answer."""
    from sqlalchemy.exc import OperationalError

    if isinstance(error, OperationalError | sqlite3.OperationalError):
        cause = error.orig if isinstance(error, OperationalError) else error
        return f"the database fails: {str(cause).strip().partition(chr(10))[0]}"
    if isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError):
        return f"{error.filename}: {error.strerror}" if error.filename else None
    return None


@contextmanager
def _database(settings: "Settings", *, make: bool = False) -> "Iterator[Connection]":
    """A transaction on the service's database, whose schema is brought up to date where that is safe."""
    from feedback.cli.processes import open_database

    engine = open_database(settings, make=make)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _show_secret(client_id: str, secret: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"clientId": client_id, "clientSecret": secret}))
    else:
        typer.echo(f"client id      {client_id}\nclient secret  {secret}\nThe secret is not shown again.")
