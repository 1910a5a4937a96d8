"""Loads analysed documents into the warehouse, beside the same staged upsert in bare SQL (and dlt, where installed).

    python benchmarks/warehouse.py --documents 100000 [--database sqlite|postgresql|duckdb] [--dlt PYTHON] [--json FILE]

Every way takes the same pages of documents, already read from the service; the second load replaces all of them.
PostgreSQL is a throw-away server of the installed binaries, with fsync on. dlt is no dependency: `--dlt` names the
interpreter of an environment that holds `dlt[sqlalchemy]` (SQLite), `dlt[postgres]` or `dlt[duckdb]`; it merges the
same rows there, read from a file of JSON lines before its clock starts. `cpu` is this process's own processor time,
which a busy machine changes less; PostgreSQL's is not in it.
"""

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import duckdb
import msgspec
import psycopg
import pyarrow as pa

from feedback.client.models import Document, Enrichment, MetadataValue, Offset, Topic
from tasks.warehouse import open_warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.tables import documents
from tasks.warehouse.types import stamp

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgres import PostgresServer, find_binaries

PAGE = 500
IMPORT = 1_000
WORDS = ("staff", "till", "delivery", "price", "parking", "queue", "shop", "lamp", "sofa", "refund", "voucher", "order")
START = datetime(2026, 1, 1, tzinfo=UTC)

TABLES = ("documents", "enrichments", "document_topics")


def make_document(number: int, generation: int) -> Document:
    """A document of some twenty words with eight terms; the same number gives the same document."""
    draw = random.Random(number)
    words = [draw.choice(WORDS) for _ in range(20)]
    content, found, at = " ".join(words), [], 0
    for position, word in enumerate(words):
        if position % 5 in {0, 2}:
            offset = Offset(begin=at, end=at + len(word))
            found.append(
                Enrichment(term=f"{word}__NOUN__1", opinion=draw.choice(["POSITIVE", "NEGATIVE"]), offset=offset)
            )
        at += len(word) + 1
    moment = START + timedelta(seconds=number)
    return Document(
        id=f"{number:024x}",
        external_id=f"c{number}",
        content=content,
        lang="en",
        type="SATISFACTION_SURVEY_RESPONSE",
        state="ANALYZED",
        metadata=[
            MetadataValue(code="nps", value=number % 11),
            MetadataValue(code="store", value=f"store {number % 300}"),
        ],
        enrichments=found,
        topics=[Topic(code="STAFF", label="Staff", opinion="POSITIVE")],
        created_at=moment,
        updated_at=moment + timedelta(days=generation),
        last_opinion_enrichment=moment,
    )


def ours(url: str, imports: list[list[list[Document]]]) -> float:
    """Seconds of the pipeline's own merge."""
    warehouse = open_warehouse(url)
    started = time.perf_counter()
    for number, pages in enumerate(imports):
        lines = {document.external_id: line for page in pages for line, document in enumerate(page)}
        merge(warehouse, Origin("d1", "bench", f"i{number}", "bench.csv", lines), pages)
    seconds = time.perf_counter() - started
    warehouse.close()
    return seconds


def bare(database: str, url: str, imports: list[list[list[Document]]]) -> float:
    """Seconds of the same staged upsert, written by hand against the same tables: the least that the work can cost."""
    drivers: dict[str, Callable[[str], Bare]] = {
        "sqlite": BareSqlite,
        "postgresql": BarePostgres,
        "duckdb": BareDuck,
    }
    with drivers[database](url) as sql:
        started = time.perf_counter()
        for table in TABLES:
            sql.run(f"CREATE TEMP TABLE staged_{table} AS SELECT * FROM {sql.schema}{table} LIMIT 0")
        for number, pages in enumerate(imports):
            sql.run("BEGIN")
            for page in pages:
                rows = [row(document, f"i{number}", line, sql.moment) for line, document in enumerate(page)]
                for table, filled in zip(TABLES, (rows, list(terms(page)), list(topics(page))), strict=True):
                    sql.fill(table, filled)
            sql.run("COMMIT")
            sql.run("BEGIN")
            sql.run(sql.upsert)
            for table in TABLES[1:]:
                taken = "SELECT dataset_id, external_id FROM staged_documents"
                sql.run(f"DELETE FROM {sql.schema}{table} WHERE (dataset_id, external_id) IN ({taken})")
                sql.run(f"INSERT INTO {sql.schema}{table} SELECT * FROM staged_{table}")
            sql.run("COMMIT")
            for table in TABLES:
                sql.run(f"{sql.empty} staged_{table}")
        return time.perf_counter() - started


class Bare(ABC):
    """A driver and nothing between."""

    schema: str
    upsert: str
    empty = "DELETE FROM"
    moment: Callable[[datetime], Any]
    _database: Any

    def __enter__(self) -> Self:
        """Closed at the end of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._database.close()

    def run(self, statement: str) -> None:
        """Execute a statement."""
        self._database.execute(statement)

    @abstractmethod
    def fill(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Stage rows the fastest way the driver has."""


class BareSqlite(Bare):
    """SQLite by its own driver."""

    schema = "main."
    moment = staticmethod(stamp)
    upsert = "INSERT OR REPLACE INTO main.documents SELECT * FROM staged_documents"

    def __init__(self, url: str) -> None:
        self._database = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        self._database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=FILE;")

    def fill(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Bring rows into a staging table."""
        marks = ",".join("?" * len(rows[0]))
        self._database.executemany(f"INSERT INTO staged_{table} VALUES ({marks})", rows)


class BarePostgres(Bare):
    """The driver of PostgreSQL, with COPY."""

    schema = "warehouse."
    empty = "TRUNCATE"  # Deleted rows of a temporary table would stay in it.
    moment = staticmethod(lambda moment: moment)

    def __init__(self, url: str) -> None:
        self._database = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
        self.upsert = _on_conflict("warehouse.documents")

    def fill(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Bring rows into a staging table."""
        with self._database.cursor() as cursor, cursor.copy(f"COPY staged_{table} FROM STDIN") as copy:
            for each in rows:
                copy.write_row(each)


class BareDuck(Bare):
    """DuckDB fed by Arrow tables, which is its fastest way."""

    schema = "main."
    moment = staticmethod(lambda moment: moment)

    def __init__(self, url: str) -> None:
        self._database = duckdb.connect(url.removeprefix("duckdb:///"))
        self.upsert = _on_conflict("main.documents")

    def fill(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Bring rows into a staging table."""
        columns = [pa.array(cells) for cells in zip(*rows, strict=True)]
        self._database.register("filled", pa.table(columns, names=[f"c{n}" for n in range(len(columns))]))
        self._database.execute(f"INSERT INTO staged_{table} SELECT * FROM filled")
        self._database.unregister("filled")


def _on_conflict(table: str) -> str:
    others = [column.name for column in documents.columns if column.name not in {"dataset_id", "external_id"}]
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
    conflict = f"ON CONFLICT (dataset_id, external_id) DO UPDATE SET {changed}"
    return f"INSERT INTO {table} SELECT * FROM staged_documents {conflict}"


def row(document: Document, batch: str, line: int, moment: Callable[[datetime], Any]) -> tuple[Any, ...]:
    """A document as the table of documents has it."""
    values = msgspec.json.encode({each.code: each.value for each in document.metadata}).decode()
    created, updated = moment(document.created_at or START), moment(document.updated_at or START)
    head = ("d1", document.external_id, document.id, "bench", "en", document.type, document.state, document.content)
    return (*head, values, "{}", created, updated, created, None, batch, "bench.csv", line)


def terms(page: list[Document]) -> Iterator[tuple[Any, ...]]:
    """The enrichments of a page as their table has them."""
    for document in page:
        for at, found in enumerate(document.enrichments):
            begin, end = found.offset.begin, found.offset.end
            surface = document.content[begin:end]
            yield ("d1", document.external_id, at, found.term, found.label, found.opinion, begin, end, surface)


def topics(page: list[Document]) -> Iterator[tuple[Any, ...]]:
    """The topics of a page as their table has them."""
    for document in page:
        for at, topic in enumerate(document.topics):
            yield ("d1", document.external_id, at, topic.code, topic.label, topic.opinion)


DLT = """
import json, os, sys, time
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
source, database, address, folder = sys.argv[1:]
if database == "sqlite":
    os.environ["LOAD__WORKERS"] = "1"  # SQLite has one writer; several of dlt's lock each other out.
import dlt
rows = [json.loads(line) for line in open(source, encoding="utf-8")]
kind = getattr(dlt.destinations, {"sqlite": "sqlalchemy", "postgresql": "postgres"}.get(database, database))
pipeline = dlt.pipeline("bench", destination=kind(address), dataset_name="bench", pipelines_dir=folder)
started = time.perf_counter()
pipeline.run(
    dlt.resource(rows, name="documents", write_disposition="merge", primary_key=("dataset_id", "external_id"))
)
print(time.perf_counter() - started)
"""


def with_dlt(python: Path, folder: Path, database: str, url: str, imports: list[list[list[Document]]]) -> float:
    """Seconds of `dlt` merging the same rows in one run, its normalisation of terms and topics into tables included."""
    source = folder / "rows.jsonl"
    with source.open("wb") as stream:
        for number, pages in enumerate(imports):
            for page in pages:
                for line, document in enumerate(page):
                    said = {"dataset_id": "d1", "import_id": f"i{number}", "line": line}
                    stream.write(msgspec.json.encode(msgspec.to_builtins(document) | said) + b"\n")
    # dlt wants a host and a password in the address; the socket in its query is what the driver takes.
    address = url.replace("+psycopg", "").replace("postgres@/", "postgres:x@localhost/").removeprefix("duckdb:///")
    command = [python, "-W", "ignore", "-c", DLT, source, database, address, folder / "dlt"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    """Print a line a load."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--database", choices=["sqlite", "postgresql", "duckdb"], default="sqlite")
    options.add_argument("--dlt", type=Path, help="The interpreter of an environment with dlt.")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    found: dict[str, Any] = {"documents": chosen.documents, "database": chosen.database, "loads": []}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = addresses(chosen.database, folder, stack)
        open_warehouse(urls["bare"]).close()
        for generation, name in enumerate(("first", "again")):
            imports = list(make_imports(chosen.documents, generation))
            start = time.process_time()
            ways = {"bare": bare(chosen.database, urls["bare"], imports)}
            middle = time.process_time()
            ways["feedback"] = ours(urls["feedback"], imports)
            processor = {"bare_cpu_s": middle - start, "feedback_cpu_s": time.process_time() - middle}
            if chosen.dlt:
                ways["dlt"] = with_dlt(chosen.dlt, folder, chosen.database, urls["dlt"], imports)
            told = {f"{way}_s": seconds for way, seconds in ways.items()} | processor
            told = {name: round(seconds, 2) for name, seconds in told.items()}
            found["loads"].append({"load": name, **told, "feedback_to_bare": round(ways["feedback"] / ways["bare"], 2)})
            print(json.dumps(found["loads"][-1]), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2))


def make_imports(count: int, generation: int) -> Iterator[list[list[Document]]]:
    """The documents as imports of two pages each."""
    for first in range(0, count, IMPORT):
        last = min(first + IMPORT, count)
        yield [
            [make_document(number, generation) for number in range(page, min(page + PAGE, last))]
            for page in range(first, last, PAGE)
        ]


def addresses(database: str, folder: Path, stack: ExitStack) -> dict[str, str]:
    """An empty database for each way."""
    ways = ("bare", "feedback", "dlt")
    if database != "postgresql":
        return {way: f"{database}:///{folder / way}.db" for way in ways}
    server = PostgresServer(find_binaries() or Path("/usr/bin"), durable=True)
    stack.callback(server.remove)
    server.initialise()
    server.start()
    with psycopg.connect(server.url().replace("+psycopg", ""), autocommit=True) as connection:
        for way in ways:
            connection.execute(f"CREATE DATABASE {way}".encode())
    return {way: server.url(way) for way in ways}


if __name__ == "__main__":
    main()
