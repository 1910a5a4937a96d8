"""Splits newline-delimited JSON: one document a line, blank lines passed over."""

from collections.abc import Iterator
from typing import IO

from feedback.domain.validation import MAX_DOCUMENT_BYTES, too_large
from feedback.errors import Code, Invalid, Malformed
from feedback.processing.intake.json_body import check_document
from feedback.processing.intake.window import Window


def split_ndjson(file: IO[bytes]) -> Iterator[bytes]:
    """The raw documents of a body of JSON lines. Malformed or Invalid name the line that is no JSON object."""
    window = Window(file)
    for number, line in enumerate(_lines(window), 1):
        if line is None:
            yield too_large()
        elif line:
            check_document(line, f"line {number}")
            if not line.startswith(b"{"):
                raise Invalid("a line is a document, which is an object", code=Code.WRONG_TYPE, field=f"line {number}")
            yield line


def _lines(window: Window) -> Iterator[bytes | None]:
    """Each line without the white space around it; None for one that is larger than a document may be."""
    if window.data.startswith(b"\xef\xbb\xbf"):
        raise Malformed("the body begins with a byte order mark; JSON has none")
    while window.unread or window.extend():
        end = window.data.find(b"\n", window.place)
        while end < 0 and window.unread <= MAX_DOCUMENT_BYTES:
            searched = window.unread
            if not window.extend():
                break
            end = window.data.find(b"\n", window.place + searched)
        if end < 0 and not window.ended:
            _skip_line(window)
            yield None
            continue
        stop = end if end >= 0 else len(window.data)
        yield window.data[window.place : stop].strip(b" \t\r")
        window.place = min(stop + 1, len(window.data))


def _skip_line(window: Window) -> None:
    while True:
        end = window.data.find(b"\n", window.place)
        if end >= 0:
            window.place = end + 1
            return
        window.place = len(window.data)
        if not window.extend():
            return
