"""Real files with real defects: their first rows through the service and back. `test_feeds` reads them to the end."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
SHARED = Path(__file__).parents[3] / ".." / "shared" / "data" / "feedback"
ROWS = 200
FILES = {
    "hotels": ("en_hotels_semicolon.csv", ";", 1),
    "clothing_reviews": ("en_clothing_reviews.csv", ",", 1),
    "amazon_books_fr": ("fr_amazon_books_noheader.csv", ",", 0),
}


@pytest.mark.parametrize("feed", FILES)
def test_rows_are_documents_and_quarantine_offsets_slice_and_a_reload_changes_nothing(
    pipeline: Any, load: Callable[..., Any], feed: str
) -> None:
    name, delimiter, headers = FILES[feed]
    if not (SHARED / name).exists():
        pytest.skip("the real files (../shared/data/feedback) are not beside the repository")
    text = (SHARED / name).read_bytes().decode("utf-8-sig")
    kept = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row][: ROWS + headers]
    source, rows = pipeline.folder / name, len(kept) - headers
    with source.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(kept)
    summary = load(feed, source=str(source))
    quarantined = Path(summary.quarantine).read_text().count("\n") if summary.quarantine else 0
    assert pipeline.counts()["documents"] + quarantined == summary.rows == rows
    assert pipeline.ask("SELECT count(*) FROM documents WHERE state <> 'ANALYZED'") == [(0,)]
    sliced = "substr(content, offset_begin + 1, offset_end - offset_begin)"
    wrong = f"SELECT count(*) FROM enrichments JOIN documents USING (dataset_id, external_id) WHERE surface <> {sliced}"
    assert pipeline.ask(wrong) == [(0,)]
    before = pipeline.ask("SELECT * FROM documents ORDER BY 1, 2")
    assert load(feed, source=str(source)).skipped
    assert load(feed, source=str(source), dry_run=True).accepted == len(before)
    assert pipeline.ask("SELECT * FROM documents ORDER BY 1, 2") == before
