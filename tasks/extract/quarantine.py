"""Rejected rows beside the warehouse: where each stood, what is wrong and its text, to be mended and replayed."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from config.definitions import DefinitionError, Problem
from feedback.errors import Code

MALFORMED = "malformed_row"


class Rejected(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rejected row. `line` counts physical lines from 1; `raw` is the row as written, its line end included."""

    line: int
    column: str
    code: str
    reason: str
    raw: str
    file: str = ""
    header: tuple[str, ...] = ()
    delimiter: str = ","
    external_id: str | None = None
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is wrong with a row."""

    column: str
    code: Code | str
    text: str


def rejected(line: int, raw: str, reasons: list[Reason], external_id: str | None, occurrence: int) -> Rejected:
    """The record of a row that some reasons speak against."""
    columns = ", ".join(dict.fromkeys(reason.column for reason in reasons if reason.column))
    told = "; ".join(f"{reason.column}: {reason.text}" if reason.column else reason.text for reason in reasons)
    return Rejected(line, columns, str(reasons[0].code), told, raw, external_id=external_id, occurrence=occurrence)


class Quarantine:
    """A quarantine file in the making; it appears under its name only when complete, and not at all when empty."""

    def __init__(self, path: Path, file: str, header: list[str], delimiter: str) -> None:
        self.path = path
        self._template = {"file": file, "header": tuple(header), "delimiter": delimiter}
        # Two loads of one file write each its own, and either is the whole file.
        self._partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.partial")
        self._stream: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()
        if kind is not None:
            self._partial.unlink(missing_ok=True)
        elif self._stream is not None:
            self._partial.replace(self.path)
        else:
            self.path.unlink(missing_ok=True)

    def write(self, rows: list[Rejected]) -> None:
        """Add rejected rows."""
        if rows and self._stream is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._partial.open("wb")
        for row in rows:
            record = msgspec.structs.replace(row, **self._template)
            self._stream.write(msgspec.json.encode(record) + b"\n")  # type: ignore[union-attr]


def read_quarantine(path: Path) -> Iterator[Rejected]:
    """The rows of a quarantine file. Raises `DefinitionError` for a line that is none."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield msgspec.json.decode(line, type=Rejected)
            except msgspec.DecodeError as error:
                raise DefinitionError(str(path), [Problem(f"line {number}", f"is no rejected row: {error}")]) from error
