"""One way to open a database, so that every process agrees on isolation and durability."""

from typing import Any

from sqlalchemy import Connection, Engine, Row, create_engine, event
from sqlalchemy.engine import URL, make_url

BUSY_TIMEOUT_MS = 30_000
IDLE_SECONDS = 60.0
# What SQLite keeps of a file's pages, a connection: its own default, and enough for one who reads each page once.
PAGES_KIB, FEW_PAGES_KIB = 2_000, 256
_KEEPALIVES = {"keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}

AnyRow = Row[Any]
"""A row whose columns the reader names."""


def open_engine(
    url: str, *, pool_size: int = 5, idle_seconds: float = IDLE_SECONDS, application: str = "feedback"
) -> Engine:
    """An engine on `sqlite:///PATH` or `postgresql+psycopg://...`.

    SQLite: WAL, synchronous=FULL, BEGIN IMMEDIATE (plain BEGIN where the connection has the execution option
    `read_only`), foreign keys on. PostgreSQL: READ COMMITTED; ask for REPEATABLE READ by execution option; the server
    ends a transaction in which nothing happens for `idle_seconds`, and shows `application` as the connections' name.
    What a statement was given, which is what customers wrote, stands in no error and so in no log.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        patience = {"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False}
        engine = create_engine(url, hide_parameters=True, connect_args=patience)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    arguments = {"application_name": application} | _postgres_arguments(parsed, idle_seconds)
    return create_engine(
        parsed,
        hide_parameters=True,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        connect_args=arguments,
    )


def snapshot(engine: Engine, *, few_pages: bool = False) -> Connection:
    """A connection whose reads all see one state of the database; use it as a context manager, with `begin()`.

    `few_pages`: what is read is kept elsewhere, so that SQLite need not hold two megabytes of it as well.
    """
    if engine.dialect.name == "sqlite":
        return engine.connect().execution_options(read_only=True, few_pages=few_pages)
    return engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _postgres_arguments(url: URL, idle_seconds: float) -> dict[str, str]:
    """What keeps a machine that is gone without a goodbye, the database's or a client's, from holding up the others.

    Its connections stay open and its transactions keep their locks, for hours if TCP is left to itself.
    """
    given = str(url.query.get("options", ""))
    options = f"-c idle_in_transaction_session_timeout={int(idle_seconds * 1000)} {given}".rstrip()
    return {name: value for name, value in _KEEPALIVES.items() if name not in url.query} | {"options": options}


def _configure_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        # Of a new file alone. Documents take a kilobyte or more: fewer pages are fewer calls for the same bytes.
        "page_size=8192",
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        # What was erased is overwritten, not only let go of; some builds of SQLite do it unasked.
        "secure_delete=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    pages = FEW_PAGES_KIB if options.get("few_pages", False) else PAGES_KIB
    if connection.info.get("pages", PAGES_KIB) != pages:
        connection.exec_driver_sql(f"PRAGMA cache_size=-{pages}")
        connection.info["pages"] = pages
    connection.exec_driver_sql("BEGIN" if options.get("read_only", False) else "BEGIN IMMEDIATE")
