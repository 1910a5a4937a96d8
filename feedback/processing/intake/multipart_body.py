"""Finds the file in a multipart form, so that a browser's upload is taken like any other body."""

import tempfile
from pathlib import Path
from typing import IO

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from feedback.errors import Code, Invalid, Malformed

_IN_MEMORY = 1024 * 1024
_STEP = 1024 * 1024
_MAX_HEADER = 16 * 1024


def extract_file(form: IO[bytes], content_type: str, directory: Path) -> IO[bytes]:
    """A temporary file with the form's one file part, rewound; Malformed or Invalid where there is none, or several."""
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise Malformed("the multipart content type names no boundary")
    target = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(directory))  # noqa: SIM115  The caller closes it.
    try:
        _Extraction(target).run(form, boundary)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


class _Extraction:
    """Follows the parser through the form, and keeps the bytes of its file."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self._name = self._value = b""
        self._disposition = b""
        self._writing = self._found = self._ended = False

    def run(self, form: IO[bytes], boundary: bytes) -> None:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._end_part,
                "on_end": self._end,
            },
        )
        try:
            while data := form.read(_STEP):
                parser.write(data)
            parser.finalize()
        except FormParserError as error:
            raise Malformed(f"the body is no multipart form: {error}") from None
        if not self._ended:
            raise Malformed("the multipart form does not end")
        if not self._found:
            raise Invalid("the form holds no file", code=Code.REQUIRED, field="file")

    def _begin_part(self) -> None:
        self._disposition = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        _require_small(self._name)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        _require_small(self._value)

    def _header_end(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def _headers_finished(self) -> None:
        # A browser sends a file field that was left empty with an empty name.
        self._writing = bool(parse_options_header(self._disposition)[1].get(b"filename"))
        if self._writing and self._found:
            raise Invalid("the form holds several files; send each as an import", code=Code.TOO_MANY, field="file")
        self._found = self._found or self._writing

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._writing:
            self._target.write(data[start:end])

    def _end_part(self) -> None:
        self._writing = False

    def _end(self) -> None:
        self._ended = True


def _require_small(header: bytes) -> None:
    if len(header) > _MAX_HEADER:
        raise Malformed(f"a header of the multipart form is longer than {_MAX_HEADER:,} bytes")
