"""Makes documents of rows as a feed says, and says of every other row what is wrong with it, all of it."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from config.feed import Feed, Kind, Metadata, PerDocument
from feedback.errors import Code
from tasks.extract.coercion import Coerced, coerce, coerce_pair
from tasks.extract.columns import Layout
from tasks.extract.identity import MAX_ID_BYTES, Occurrences, content_hash, numbered
from tasks.extract.languages import language_code
from tasks.extract.quarantine import MALFORMED, Reason, Rejected, rejected
from tasks.extract.rows import Row

MAX_CONTENT = 100_000


@dataclass(slots=True)
class Outcome:
    """What became of a chunk of rows: documents with the lines they stand on, and rejected rows."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    rejects: list[Rejected] = field(default_factory=list)


class DocumentMaker:
    """Makes the documents of one file; `occurrences` remembers its ids from chunk to chunk."""

    def __init__(self, feed: Feed, layout: Layout, occurrences: Occurrences) -> None:
        self._feed = feed
        self._layout = layout
        self._occurrences = occurrences
        self._dropped = {text.strip().casefold() for text in feed.content.drop}
        self.metadata = dict(feed.metadata)

    def make(self, rows: list[Row]) -> Outcome:
        """The documents of some rows, in order; every row ends in exactly one of the two lists."""
        outcome = Outcome()
        whole = [row for row in rows if not self._misshapen(row, outcome)]
        if not whole:
            return outcome
        reasons: dict[int, list[Reason]] = defaultdict(list)
        frame = self._frame(whole)
        ids, counts = self._identify(whole, frame, reasons)
        contents = self._contents(frame, reasons)
        metadata = self._metadata(frame, reasons)
        langs = self._langs(frame, reasons)
        types = self._per_document(self._feed.type, frame, self._feed.dataset.type)
        for index, row in enumerate(whole):
            if index in reasons:
                outcome.rejects.append(rejected(row.line, row.raw, reasons[index], ids[index], counts[index]))
                continue
            values = [{"code": code, "value": column[index]} for code, column in metadata if column[index] is not None]
            outcome.documents.append(
                {
                    "externalId": ids[index],
                    "lang": langs[index],
                    "type": types[index],
                    "content": contents[index],
                    "metadata": values,
                }
            )
            outcome.lines.append(row.line)
        return outcome

    def _misshapen(self, row: Row, outcome: Outcome) -> bool:
        width = self._layout.width
        reason = row.fault or ("" if len(row.cells) == width else f"has {len(row.cells)} columns instead of {width}")
        if reason:
            outcome.rejects.append(rejected(row.line, row.raw, [Reason("", MALFORMED, reason)], None, 0))
        return bool(reason)

    def _frame(self, rows: list[Row]) -> pd.DataFrame:
        cells = list(zip(*(row.cells for row in rows), strict=True))
        used = sorted(
            set(self._layout.position.values()) | {self._layout.header.index(name) for name in self._evolved()}
        )
        return pd.DataFrame({position: pd.Series(cells[position], dtype="str") for position in used})

    def _evolved(self) -> list[str]:
        return self._layout.new if self._feed.on_new_column == "evolve" else []

    def _identify(
        self, rows: list[Row], frame: pd.DataFrame, reasons: dict[int, list[Reason]]
    ) -> tuple[list[str], list[int]]:
        identity = self._feed.external_id
        if identity.hash_of:
            columns = [frame[position].tolist() for position in self._layout.all(identity.hash_of)]
            made = [content_hash(cells) for cells in zip(*columns, strict=True)]
            counts = self._occurrences.count(made)
            # A replayed row keeps the number it had in its file, or it would take the place of its twin.
            counts = [max(count, row.occurrence) for count, row in zip(counts, rows, strict=True)]
            return [numbered(each, count) for each, count in zip(made, counts, strict=True)], counts
        position = self._layout.first(identity.column or [])
        ids = frame[position].str.strip().tolist()
        counts = self._occurrences.count(ids)
        name = self._layout.name(position)
        for index, (each, count) in enumerate(zip(ids, counts, strict=True)):
            reason = _fault_of_id(name, each, count, rows[index].refused_id)
            if reason:
                reasons[index].append(reason)
        return ids, counts

    def _contents(self, frame: pd.DataFrame, reasons: dict[int, list[Reason]]) -> list[str]:
        content = self._feed.content
        positions = self._layout.all(content.columns)
        parts = [frame[position].str.strip().tolist() for position in positions]
        name = ", ".join(self._layout.name(position) for position in positions)
        joined = []
        for index, texts in enumerate(zip(*parts, strict=True)):
            text = content.separator.join(each for each in texts if each and each.casefold() not in self._dropped)
            if not text and content.empty == "reject":
                reasons[index].append(Reason(name, Code.REQUIRED, "there is no text"))
            elif len(text) > MAX_CONTENT:
                told = f"the text has {len(text)} characters, {MAX_CONTENT} are allowed"
                reasons[index].append(Reason(name, Code.TOO_LONG, told))
            elif "\0" in text:
                reasons[index].append(Reason(name, Code.ILLEGAL_CHARACTER, "the text holds a NUL character"))
            joined.append(text)
        return joined

    def _metadata(self, frame: pd.DataFrame, reasons: dict[int, list[Reason]]) -> list[tuple[str, list[Any]]]:
        columns = []
        for code, rule in self.metadata.items():
            if rule.constant is not None:
                columns.append((code, [rule.constant] * len(frame)))
                continue
            name, coerced = self._coerced(frame, rule)
            for index, (problem, told) in coerced.problems.items():
                reasons[index].append(Reason(name, problem, told))
            columns.append((code, coerced.column.tolist()))
        return columns

    def _coerced(self, frame: pd.DataFrame, rule: Metadata) -> tuple[str, Coerced]:
        if rule.type is Kind.LATLNG and rule.columns:
            first, second = self._layout.all(list(rule.columns))
            name = f"{self._layout.name(first)}, {self._layout.name(second)}"
            return name, coerce_pair(frame[first], frame[second], rule, self._feed.missing)
        position = self._layout.first(rule.column or [])
        return self._layout.name(position), coerce(frame[position], rule, self._feed.missing, self._feed.zone)

    def _langs(self, frame: pd.DataFrame, reasons: dict[int, list[Reason]]) -> list[str]:
        default = self._feed.dataset.lang
        rule = self._feed.lang
        if rule is None:
            return [default] * len(frame)
        position = self._layout.first(rule.column)
        words = frame[position].str.strip().tolist()
        # What the feed itself calls a language is taken at its word: the table does not know all there are.
        own = {word: language_code(code) or code for word, code in rule.names.items()}
        unsaid = language_code(rule.default or default) or rule.default or default
        blank = {"", *(text.strip() for text in self._feed.missing)}
        known = {word: own.get(word) or (unsaid if word in blank else language_code(word)) for word in set(words)}
        for index, word in enumerate(words):
            if known[word] is None:
                told = f"{word!r} is no language; write its code (en, pt-BR) or its name, or list it in lang.values"
                reasons[index].append(Reason(self._layout.name(position), Code.INVALID_VALUE, told))
        return [known[word] or default for word in words]

    def _per_document(self, rule: PerDocument | None, frame: pd.DataFrame, default: str) -> list[str]:
        if rule is None:
            return [default] * len(frame)
        words = frame[self._layout.first(rule.column)].str.strip().tolist()
        return [rule.names.get(word, word) or rule.default or default for word in words]


def _fault_of_id(name: str, external_id: str, count: int, refused: str | None) -> Reason | None:
    if not external_id:
        return Reason(name, Code.REQUIRED, "the id is empty")
    if len(external_id.encode()) > MAX_ID_BYTES:
        return Reason(name, Code.TOO_LONG, f"the id has more than {MAX_ID_BYTES} bytes")
    if "\0" in external_id:
        return Reason(name, Code.ILLEGAL_CHARACTER, "the id holds a NUL character")
    if count > 1 or external_id == refused:
        return Reason(name, Code.DUPLICATE_EXTERNAL_ID, f"{external_id!r} stands in the file before")
    return None
