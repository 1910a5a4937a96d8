"""A window that slides over a file, so that a body of any size is read with a few megabytes of memory."""

import codecs
import re
from typing import IO

from feedback.domain.validation import MAX_DOCUMENT_BYTES
from feedback.errors import Malformed

STEP = 1024 * 1024
MAX_BLANK = STEP

_BLANK = re.compile(rb"[ \t\n\r]*+")


class Window:
    """The unread bytes of a file of UTF-8, as far as they are in memory: `data[place:]`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._before = 0
        self.data = b""
        self.place = 0
        self.ended = False
        self.tried = False
        """Whether what is in memory was tried as a whole; that of each window once."""
        self.extend()

    @property
    def offset(self) -> int:
        """The place in the file, in bytes."""
        return self._before + self.place

    @property
    def unread(self) -> int:
        """How many bytes of the file are in memory and not read yet."""
        return len(self.data) - self.place

    def extend(self) -> bool:
        """Reads on, dropping what was read already; False at the end of the file."""
        fresh = self._file.read(STEP)
        try:
            self._utf8.decode(fresh, final=not fresh)
        except UnicodeDecodeError as error:
            message = f"the body is not UTF-8: {error.reason} near byte {self._before + len(self.data)}"
            raise Malformed(message) from None
        if not fresh:
            self.ended = True
            return False
        self._before += self.place
        self.data = self.data[self.place :] + fresh
        self.place = 0
        self.tried = False
        return True

    def skip_blank(self) -> None:
        """Moves past white space; megabytes of it are refused."""
        skipped = 0
        while True:
            match = _BLANK.match(self.data, self.place)
            end = match.end() if match else self.place
            skipped += end - self.place
            self.place = end
            if skipped > MAX_BLANK:
                message = f"more than a megabyte of white space before byte {self.offset}"
                raise Malformed(message)
            if end < len(self.data) or not self.extend():
                return

    def peek(self) -> bytes:
        """The next byte, b"" at the end of the file."""
        if not self.unread:
            self.extend()
        return self.data[self.place : self.place + 1]

    def match(self, pattern: re.Pattern[bytes], *, complete: bool = True) -> bytes | None:
        """What matches here, read on as far as needed; None where nothing does within a document's largest size.

        A match that touches the window's end may go on (`complete=False` says that this pattern's cannot).
        """
        while True:
            found = pattern.match(self.data, self.place)
            whole = found is not None and (not complete or found.end() < len(self.data) or self.ended)
            if whole and found is not None:
                self.place = found.end()
                return found[0]
            if self.unread > MAX_DOCUMENT_BYTES or not self.extend():
                if found is not None and self.ended:
                    self.place = found.end()
                    return found[0]
                return None
