"""Drafts a feed from a file: how it is written, what its columns seem to hold, which is the text, which the score."""

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from statistics import mean

from config.feed import Source
from tasks.extract.dialect import Dialect, inspect_source, open_text
from tasks.extract.rows import read_table

SAMPLE_ROWS = 2_000
DATES = {
    "%Y-%m-%d": r"\d{4}-\d{2}-\d{2}",
    "%d/%m/%Y": r"(0?[1-9]|[12]\d|3[01])/(0?[1-9]|1[0-2])/\d{4}",
    "%m/%d/%Y": r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/\d{4}",
    "%d.%m.%Y": r"(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.\d{4}",
    "%d-%m-%Y": r"(0[1-9]|[12]\d|3[01])-(0[1-9]|1[0-2])-\d{4}",
    "iso": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?",
}
NUMBER = r"[+-]?\d+([.,]\d+)?"
BOOLEAN = frozenset({"true", "false", "yes", "no", "0", "1"})
LANGUAGE = r"[a-z]{2}(-[A-Za-z]{2,4})?"


@dataclass(slots=True)
class ColumnGuess:
    """What a column seems to hold. `share` is how many of its cells are filled."""

    name: str
    position: int
    share: float
    distinct: int
    unique: bool
    words: float
    type: str
    detail: str = ""


def draft_feed(path: str) -> str:
    """The text of a feed that loads the file, with what was guessed said in comments. Raises `UnreadableSource`."""
    dialect = inspect_source(path, Source())
    with open_text(path, dialect.encoding) as lines:
        table = read_table(lines, Source(), dialect.delimiter)
        first, rows = table.header, [row.cells for row in islice(table.rows, SAMPLE_ROWS)]
    header = _looks_like_header(first, rows)
    names = first if header else [f"column_{position}" for position in range(1, len(first) + 1)]
    cells = [row for row in ([*rows] if header else [first, *rows]) if len(row) == len(first)]
    guesses = [_guess(name, at, [row[at].strip() for row in cells]) for at, name in enumerate(names)]
    return _write(path, dialect, guesses, header=header)


def _looks_like_header(first: list[str], rows: list[list[str]]) -> bool:
    """A header is short, names each column once, and is not repeated; comments and bare numbers are no names."""
    short = all(len(cell) <= 60 for cell in first)
    words = [cell for cell in first if cell and not re.fullmatch(NUMBER, cell)]
    return short and len(set(words)) == len(words) and len(words) >= len(first) - 1 and first not in rows


def _guess(name: str, position: int, cells: list[str]) -> ColumnGuess:
    filled = [cell for cell in cells if cell]
    distinct = set(filled)
    words = mean(len(cell.split()) for cell in filled) if filled else 0.0
    kind, detail = _type(name, filled, distinct, words)
    unique = len(distinct) == len(filled) == len(cells) > 0
    return ColumnGuess(name, position, len(filled) / max(1, len(cells)), len(distinct), unique, words, kind, detail)


def _type(name: str, filled: list[str], distinct: set[str], words: float) -> tuple[str, str]:
    if not filled:
        return "empty", ""
    for form, pattern in DATES.items():
        if all(re.fullmatch(pattern, cell) for cell in filled):
            return "Datetime", form
    if {cell.lower() for cell in distinct} <= BOOLEAN and len(distinct) <= 2:
        return "Boolean", ""
    if all(re.fullmatch(NUMBER, cell) for cell in filled):
        return _number(name, filled)
    if words > 6:
        return "text", ""
    if all(re.fullmatch(LANGUAGE, cell) for cell in filled) and len(distinct) <= 20:
        return "language", ""
    return ("String", "") if max(map(len, filled)) <= 200 else ("long", "")


def _number(name: str, filled: list[str]) -> tuple[str, str]:
    values = [float(cell.replace(",", ".")) for cell in filled]
    low, high, whole = min(values), max(values), all(value.is_integer() for value in values)
    scored = re.search(r"nps|score|rating|recommend|note|stars|csat|satisf", name, re.IGNORECASE)
    detail = "," if any("," in cell for cell in filled) else "."
    if whole and low >= 0 and 5 < high <= 10 and scored:
        return "NPS", detail
    if whole and low >= 1 and high <= 5 and scored:
        return "CSAT", detail
    return "Number", detail


def _write(path: str, dialect: Dialect, guesses: list[ColumnGuess], *, header: bool) -> str:
    text = max((g for g in guesses if g.type == "text"), key=lambda g: g.words, default=None)
    text = text or max(guesses, key=lambda g: g.words)
    key = next((g for g in guesses if g.unique and g is not text and g.type in {"Number", "String"}), None)
    name = re.sub(r"[^a-z0-9]+", "_", PurePath(path).name.split(".")[0].lower()).strip("_")[:48] or "feed"
    lines = [
        f"# Drafted from {PurePath(path).name}; read every line, then try: python -m flows check FEED SOURCE",
        f"name: {name if name[0].isalpha() else 'feed_' + name}",
        f"title: {_quoted(name.replace('_', ' ').capitalize())}",
        "dataset:",
        f"  name: {_quoted(name.replace('_', '-'))}",
        "  lang: en # The language of the comments.",
        "  type: SATISFACTION_SURVEY_RESPONSE",
        "  industry: RETAIL_B2C # Or HOSPITALITY, RESTAURANT, BANKING, INSURANCE, TELECOM, TRANSPORT ...",
        "source:",
        f"  path: {_quoted(path)}",
        f"  encodings: {_quoted(dialect.encoding)}",
        f"  delimiter: {_quoted(dialect.delimiter)}",
    ]
    if not header:
        lines += ["  header: false", f"  columns: [{', '.join(_quoted(g.name) for g in guesses)}]"]
    lines += ["external_id:"]
    lines += (
        [f"  column: {_quoted(key.name)} # Every value is there once."]
        if key
        else [
            "  # No column holds an id, so one is made of what the row says.",
            f"  hash_of: [{', '.join(_quoted(g.name) for g in guesses if g.type != 'empty' and g.name)}]",
        ]
    )
    lines += ["content:", f"  columns: {_quoted(text.name)} # {text.words:.0f} words a comment."]
    language = next((g for g in guesses if g.type == "language"), None)
    if language:
        lines += ["lang:", f"  column: {_quoted(language.name)}"]
    lines += _metadata(guesses, {g.name for g in (text, key, language) if g})
    return "\n".join(lines) + "\n"


def _metadata(guesses: list[ColumnGuess], taken: set[str]) -> list[str]:
    lines, left_out = ["metadata:"], []
    for guess in guesses:
        if guess.name in taken or not guess.name:
            continue
        if guess.type in {"empty", "long", "text", "language"}:
            left_out.append(guess.name)
            continue
        code = re.sub(r"[^a-z0-9]+", "_", guess.name.lower()).strip("_")[:64] or f"column_{guess.position + 1}"
        rule = [f"type: {guess.type}", f"column: {_quoted(guess.name)}"]
        if guess.type == "Datetime":
            rule.append(f"format: {_quoted(guess.detail)}")
        if guess.detail == "," and guess.type != "Datetime":
            rule.append('decimal: ","')
        if guess.type == "CSAT":
            rule.append("bounds: {lower: 1, upper: 5}")
        lines.append(f"  {code}: {{{', '.join(rule)}}} # {guess.share:.0%} filled, {guess.distinct} different")
    if len(lines) == 1:
        lines = ["metadata: {}"]
    known = [f"known_columns: [{', '.join(map(_quoted, left_out))}]"] if left_out else []
    return lines + known


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'
