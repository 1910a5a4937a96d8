"""Loads analysed documents into the warehouse, beside the same staged upsert in bare SQL (and dlt, where installed).

    python benchmarks/warehouse.py --documents 100000 [--database sqlite|postgresql|duckdb] [--json FILE]

Every way takes the same pages of documents, already read from the service; the second load replaces all of them.
PostgreSQL needs an address in FEEDBACK_PIPELINE_WAREHOUSE_URL. dlt is no dependency: `pip install "dlt[sqlalchemy]"`.
"""

import argparse
import importlib.util
import json
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from feedback.client.models import Document, Enrichment, MetadataValue, Offset, Topic
from tasks.warehouse import open_warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.types import stamp

PAGE = 500
IMPORT = 1_000
WORDS = ("staff", "till", "delivery", "price", "parking", "queue", "shop", "lamp", "sofa", "refund", "voucher", "order")
START = datetime(2026, 1, 1, tzinfo=UTC)

Pages = Callable[[int], Iterator[list[Document]]]


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


def bare_sqlite(path: Path, imports: list[list[list[Document]]]) -> float:
    """Seconds of the same staged upsert, written by hand against the same tables: the least that the work can cost."""
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=FILE;")
    started = time.perf_counter()
    for table in ("documents", "enrichments", "document_topics"):
        database.execute(f"CREATE TEMP TABLE staged_{table} AS SELECT * FROM main.{table} WHERE 0")
    for number, pages in enumerate(imports):
        database.execute("BEGIN")
        for page in pages:
            rows = [row(document, f"i{number}", line) for line, document in enumerate(page)]
            database.executemany(f"INSERT INTO staged_documents VALUES ({','.join('?' * 17)})", rows)
            database.executemany(f"INSERT INTO staged_enrichments VALUES ({','.join('?' * 9)})", terms(page))
            database.executemany(f"INSERT INTO staged_document_topics VALUES ({','.join('?' * 6)})", topics(page))
        database.execute("COMMIT")
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT OR REPLACE INTO main.documents SELECT * FROM staged_documents")
        for table in ("enrichments", "document_topics"):
            staged = "SELECT dataset_id, external_id FROM staged_documents"
            database.execute(f"DELETE FROM main.{table} WHERE (dataset_id, external_id) IN ({staged})")
            database.execute(f"INSERT INTO main.{table} SELECT * FROM staged_{table}")
        database.execute("COMMIT")
        for table in ("documents", "enrichments", "document_topics"):
            database.execute(f"DELETE FROM staged_{table}")
    seconds = time.perf_counter() - started
    database.close()
    return seconds


def row(document: Document, batch: str, line: int) -> tuple[Any, ...]:
    """A document as the table of documents has it."""
    values = msgspec.json.encode({each.code: each.value for each in document.metadata}).decode()
    created, updated = stamp(document.created_at or START), stamp(document.updated_at or START)
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


def with_dlt(path: Path, imports: list[list[list[Document]]]) -> float:
    """Seconds of `dlt` merging the same rows, its normalisation included."""
    import dlt  # noqa: PLC0415 it may not be installed

    def rows() -> Iterator[dict[str, Any]]:
        for number, pages in enumerate(imports):
            for page in pages:
                for line, document in enumerate(page):
                    yield {**msgspec.to_builtins(document), "dataset_id": "d1", "import_id": f"i{number}", "line": line}

    os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
    pipeline = dlt.pipeline(
        "bench",
        destination=dlt.destinations.sqlalchemy(f"sqlite:///{path}"),
        dataset_name="bench",
        pipelines_dir=str(path.parent / "dlt"),
    )
    resource = dlt.resource(
        rows, name="documents", write_disposition="merge", primary_key=("dataset_id", "external_id")
    )
    started = time.perf_counter()
    pipeline.run(resource())
    return time.perf_counter() - started


def main() -> None:
    """Print a line a way and load."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--database", choices=["sqlite", "postgresql", "duckdb"], default="sqlite")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    found: dict[str, Any] = {"documents": chosen.documents, "database": chosen.database, "loads": []}
    with tempfile.TemporaryDirectory() as folder:
        for generation, name in enumerate(("first", "again")):
            numbers = range(0, chosen.documents, IMPORT)
            imports = [
                [
                    [make_document(n, generation) for n in range(page, min(page + PAGE, chosen.documents))]
                    for page in range(first, min(first + IMPORT, chosen.documents), PAGE)
                ]
                for first in numbers
            ]
            found["loads"].append({"load": name, **compare(Path(folder), chosen.database, imports)})
            print(json.dumps(found["loads"][-1]))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2))


def compare(folder: Path, database: str, imports: list[list[list[Document]]]) -> dict[str, float]:
    """Seconds of each way, and how much more ours costs than bare SQL."""
    if database != "sqlite":
        url = (
            os.environ["FEEDBACK_PIPELINE_WAREHOUSE_URL"]
            if database == "postgresql"
            else f"duckdb:///{folder / 'w.duck'}"
        )
        return {"feedback_s": round(ours(url, imports), 2)}
    if not (folder / "bare.db").exists():
        open_warehouse(f"sqlite:///{folder / 'bare.db'}").close()
    found = {
        "bare_s": bare_sqlite(folder / "bare.db", imports),
        "feedback_s": ours(f"sqlite:///{folder / 'w.db'}", imports),
    }
    if importlib.util.find_spec("dlt"):
        found["dlt_s"] = with_dlt(folder / "dlt.db", imports)
    return {name: round(seconds, 2) for name, seconds in found.items()} | {
        "feedback_to_bare": round(found["feedback_s"] / found["bare_s"], 2)
    }


if __name__ == "__main__":
    main()
