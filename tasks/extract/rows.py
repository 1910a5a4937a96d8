"""Reads rows strictly, knowing where each stands and how it was written, so that a bad one can be set aside whole."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from config.feed import Source

CHUNK_ROWS = 2_000
LONGEST_FIELD = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells, the physical line it starts on (from 1) and its text as written."""

    cells: list[str]
    line: int
    raw: str
    fault: str = ""
    occurrence: int = 0
    refused_id: str | None = None


@dataclass(slots=True)
class Table:
    """The header of a file and its rows, which can be walked once. Without header `header` is made of positions."""

    header: list[str]
    rows: Iterator[Row] = field(repr=False)


class _Lines:
    """The lines of a stream, with those a row took and a way to give some back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._returned: deque[str] = deque()
        self.taken: list[str] = []
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else next(self._lines)
        self.taken.append(line)
        self.number += 1
        return line

    def keep_first(self) -> None:
        """Give all but the first taken line back."""
        self._returned.extendleft(reversed(self.taken[1:]))
        self.number -= len(self.taken) - 1
        del self.taken[1:]


def read_table(lines: Iterable[str], source: Source, delimiter: str) -> Table:
    """The header and the rows of a CSV. A row that is no CSV comes with its `fault`, and reading goes on after it."""
    csv.field_size_limit(LONGEST_FIELD)
    counted = _Lines(lines)
    for _ in range(source.skip_rows):
        next(counted, None)
    counted.taken.clear()
    rows = _rows(counted, source, delimiter)
    if source.header:
        first = next(rows, None)
        header = [cell.strip() for cell in first.cells] if first else []
        for _ in range(source.skip_after_header):
            next(rows, None)
        return Table(header, rows)
    first = next(rows, None)
    width = len(source.columns) or (len(first.cells) if first else 0)
    names = source.columns or [str(position) for position in range(1, width + 1)]
    return Table(names, _with_first(first, rows))


def in_chunks(rows: Iterator[Row], size: int = CHUNK_ROWS) -> Iterator[list[Row]]:
    """The rows, some at a time."""
    chunk: list[Row] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _with_first(first: Row | None, rest: Iterator[Row]) -> Iterator[Row]:
    if first is not None:
        yield first
    yield from rest


def _rows(lines: _Lines, source: Source, delimiter: str) -> Iterator[Row]:
    reader = csv.reader(lines, delimiter=delimiter, quotechar=source.quote, strict=True)
    while True:
        start, fault, cells = lines.number + 1, "", []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fault = str(error)
            if "limit" in fault or "end of data" in fault:
                # A quote that is never closed swallows what follows: it shall cost one line, not the rest of the file.
                fault = "a quote that is opened here is never closed"
                lines.keep_first()
                reader = csv.reader(lines, delimiter=delimiter, quotechar=source.quote, strict=True)
        raw = "".join(lines.taken)
        lines.taken.clear()
        if cells or fault:
            yield Row(cells, start, raw, fault)
