"""Drafts a feed from a file: how it is written, what its columns seem to hold, which is the text, which the score."""

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from config.feed import Source
from tasks.extract.dialect import DELIMITERS, Dialect, UnreadableSource, inspect_source, open_text
from tasks.extract.guesses import FITTING, NUMBER, ColumnGuess, guess
from tasks.extract.rows import Row, read_table

SAMPLE_ROWS = 2_000
SAMPLE_TEXTS = 50
PREAMBLE = 20
HEADERS = 3
DELIMITER_LINE = re.compile(rf"\ufeff?\"?sep=([{DELIMITERS}])\"?[;,\t|]*\s*", re.IGNORECASE)
REPEATED, OFTEN = 3, 0.05
IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:.*\}', re.DOTALL)
TYPED = frozenset({"Datetime", "Number", "NPS", "CSAT", "Boolean"})


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where in the file the columns are named and the data begins."""

    dialect: Dialect
    names: list[str]
    guesses: list[ColumnGuess]
    skip_rows: int = 0
    skip_after_header: int = 0
    header: bool = True


def draft_feed(path: str) -> str:
    """The text of a feed that loads the file, with what was guessed said in comments. Raises `UnreadableSource`."""
    layout, rows = _layout(path, inspect_source(path, Source()))
    return _write(path, layout, rows)


def _layout(path: str, dialect: Dialect) -> tuple[_Layout, list[list[str]]]:
    dialect = _delimited(path, dialect)
    with open_text(path, dialect.encoding) as lines:
        found = list(
            islice(read_table(lines, Source(header=False, columns=["1"]), dialect.delimiter).rows, SAMPLE_ROWS)
        )
    if not any(cell.strip() for row in found for cell in row.cells):
        raise UnreadableSource(f"{path}: the file is empty, there is nothing to draft a feed from")
    skipped, found = _after_preamble(found)
    first, rows = (found[0].cells if found else []), [row.cells for row in found[1:]]
    first = [cell.strip() for cell in first]
    if not _looks_like_header(first, rows):
        names = [f"column_{position}" for position in range(1, len(first) + 1)]
        return _Layout(dialect, names, _guesses(names, [first, *rows]), skipped, header=False), [first, *rows]
    beneath = _beneath(first, rows)
    return _Layout(dialect, first, _guesses(first, rows[beneath:]), skipped, beneath), rows[beneath:]


def _beneath(names: list[str], rows: list[list[str]]) -> int:
    """How many rows beneath the names are no data: Qualtrics writes the questions and then its own ids of them."""
    for at, row in enumerate(rows[:HEADERS]):
        said = [cell.strip() for cell in row if cell.strip()]
        if said and all(map(IMPORT_ID.fullmatch, said)):
            return at + 1
    return int(len(rows) > 1 and _names_again(_guesses(names, rows[1:]), rows[0]))


def _names_again(guesses: list[ColumnGuess], row: list[str]) -> bool:
    """Survey tools write the kind of each question beneath its name: words, where the column has dates or numbers."""
    cells = (
        [(each, row[each.position].strip()) for each in guesses if each.type in TYPED]
        if len(row) == len(guesses)
        else []
    )
    fits = [guess(each.name, 0, [cell]).type in TYPED or cell in each.recode for each, cell in cells if cell]
    return bool(fits) and not any(fits)


def _delimited(path: str, dialect: Dialect) -> Dialect:
    """The dialect, by what Excel writes into the first line for itself where it is there."""
    with open_text(path, dialect.encoding) as lines:
        told = DELIMITER_LINE.fullmatch(lines.readline(1_000))
    return Dialect(dialect.encoding, told[1], dialect.file_hash, dialect.size) if told else dialect


def _after_preamble(rows: list[Row]) -> tuple[int, list[Row]]:
    """How many lines stand before the first row of the usual width, and the rows from there on."""
    widths = Counter(len(row.cells) for row in rows)
    usual = widths.most_common(1)[0][0] if rows else 0
    start = next((at for at, row in enumerate(rows[:PREAMBLE]) if len(row.cells) == usual), 0)
    return (rows[start].line - 1 if start else 0), rows[start:]


def _looks_like_header(first: list[str], rows: list[list[str]]) -> bool:
    """A header is short, names each column once, and is not repeated; comments and bare numbers are no names."""
    short = all(len(cell) <= 100 for cell in first)
    words = [cell for cell in first if cell and not re.fullmatch(NUMBER, cell)]
    return short and len(set(words)) == len(words) and len(words) >= len(first) - 1 and first not in rows


def _guesses(names: list[str], rows: list[list[str]]) -> list[ColumnGuess]:
    cells = [row for row in rows if len(row) == len(names) and any(map(str.strip, row))]
    return [guess(name, at, [row[at].strip() for row in cells]) for at, name in enumerate(names)]


def _write(path: str, layout: _Layout, rows: list[list[str]]) -> str:
    guesses = layout.guesses
    text = max((g for g in guesses if g.type == "text"), key=lambda g: g.words, default=None)
    text = text or max(guesses, key=lambda g: g.words)
    key = next((g for g in guesses if g.unique and g is not text and g.type in {"Number", "String"}), None)
    language = next((g for g in guesses if g.type == "language"), None)
    name = re.sub(r"[^a-z0-9]+", "_", _plain(PurePath(path).name.split(".")[0])).strip("_")[:48] or "feed"
    lines = [
        f"# Drafted from {PurePath(path).name}; read every line, then try: python -m flows check FEED SOURCE",
        f"name: {name if name[0].isalpha() else 'feed_' + name}",
        f"title: {_quoted(name.replace('_', ' ').capitalize())}",
        "dataset:",
        f"  name: {_quoted(name.replace('_', '-'))}",
        f"  lang: {_language([row[text.position] for row in rows if len(row) == len(guesses)])} # Of the comments.",
        "  type: SATISFACTION_SURVEY_RESPONSE",
        "  industry: RETAIL_B2C # Or HOSPITALITY, RESTAURANT, BANKING, INSURANCE, TELECOM, TRANSPORT ...",
        *_source(path, layout),
        *_external_id(guesses, key),
        "content:",
        f"  columns: {_quoted(text.name)} # {text.words:.0f} words a comment, {text.share:.0%} filled",
        *_beside(text, guesses, rows),
    ]
    if text.share < 1:
        lines.append("  empty: keep # Rows without text count for their other answers; write reject to leave them out.")
    if language:
        lines += ["lang:", f"  column: {_quoted(language.name)}"]
    lines += _metadata(guesses, {g.name for g in (text, key, language) if g})
    return "\n".join(lines) + "\n"


def _beside(text: ColumnGuess, guesses: list[ColumnGuess], rows: list[list[str]]) -> list[str]:
    """What a person should know of the text: other columns of text, and words that many rows repeat."""
    lines = []
    texts = [each for each in guesses if each.type == "text" and each is not text]
    if others := [_quoted(each.name) for each in texts if each.distinct > len(rows) / 2]:
        both = f"[{_quoted(text.name)}, {others[0]}]"
        lines.append(f"  # There is text in {', '.join(others)}, too; columns: {both} joins what belongs together.")
    said = Counter(row[text.position].strip() for row in rows if len(row) == len(guesses))
    often = [cell for cell, count in said.most_common(REPEATED) if cell and count >= OFTEN * len(rows)]
    if often and len(rows) > SAMPLE_TEXTS:
        lines.append(f"  # Many rows say the same: drop: [{', '.join(map(_quoted, often))}] takes it for no text.")
    return lines


def _source(path: str, layout: _Layout) -> list[str]:
    lines = [
        "source:",
        f"  path: {_quoted(path)}",
        f"  encodings: {_quoted(layout.dialect.encoding)}",
        f"  delimiter: {_quoted(layout.dialect.delimiter)}",
    ]
    if layout.skip_rows:
        lines.append(f"  skip_rows: {layout.skip_rows} # Lines before the names of the columns.")
    if layout.skip_after_header:
        lines.append(f"  skip_after_header: {layout.skip_after_header} # Rows beneath the names that are no data.")
    if not layout.header:
        lines += ["  header: false", f"  columns: [{', '.join(map(_quoted, layout.names))}]"]
    return lines


def _external_id(guesses: list[ColumnGuess], key: ColumnGuess | None) -> list[str]:
    if key:
        return ["external_id:", f"  column: {_quoted(key.name)} # Every value is there once."]
    said = [g.name for g in guesses if g.type != "empty" and g.name] or [g.name for g in guesses]
    reason = "  # No column holds an id, so one is made of what the row says."
    return ["external_id:", reason, f"  hash_of: [{', '.join(map(_quoted, said))}]"]


def _metadata(guesses: list[ColumnGuess], taken: set[str]) -> list[str]:
    lines, left_out = ["metadata:"], []
    for each in guesses:
        if each.name in taken or not each.name:
            continue
        if each.type in {"empty", "long", "text", "language"}:
            left_out.append(each.name)
            continue
        code = re.sub(r"[^a-z0-9]+", "_", _plain(each.name)).strip("_")[:64] or f"column_{each.position + 1}"
        doubt = f"; {each.doubt}" if each.doubt else ""
        told = f"{each.share:.0%} filled, {each.distinct} different{doubt}"
        lines.append(f"  {code}: {{{', '.join(_rule(each))}}} # {told}")
    if len(lines) == 1:
        lines = ["metadata: {}"]
    known = [f"known_columns: [{', '.join(map(_quoted, left_out))}]"] if left_out else []
    return lines + known


def _rule(each: ColumnGuess) -> list[str]:
    rule = [f"type: {each.type}", f"column: {_quoted(each.name)}"]
    if each.type == "Datetime":
        rule.append(f"format: {_quoted(each.detail)}")
        if each.share >= FITTING:
            # No report finds a comment without a date, and a line of totals has none.
            rule.append("mandatory: true")
    elif each.detail == ",":
        rule.append('decimal: ","')
    if each.type == "CSAT":
        rule.append(f"bounds: {{lower: 1, upper: {each.detail}}}")
    if each.personal:
        rule.append("personal_data: true")
    if each.recode:
        words = ", ".join(f"{_quoted(text)}: {json.dumps(value)}" for text, value in each.recode.items())
        rule.append(f"recode: {{values: {{{words}}}, otherwise: omit}}")
    return rule


def _language(texts: list[str]) -> str:
    """The language that most of the first texts are written in; English when that cannot be told."""
    import eld  # noqa: PLC0415 takes a second to load, and only a draft asks

    detector = eld.LanguageDetector()
    found = Counter(detector.detect(text).language for text in texts[:SAMPLE_TEXTS] if text.strip())
    return next((language for language, _ in found.most_common(1) if language), "en")


def _plain(text: str) -> str:
    """Lower case without accents, for names that only hold letters and digits."""
    folded = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def _quoted(text: str) -> str:
    """YAML reads a JSON string as it is, line breaks and tabs included."""
    return json.dumps(text, ensure_ascii=False)
