"""Splits `{"documents": [...]}` into its documents by one regular expression over windows of the file."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO

import msgspec

from feedback.domain.document import SentDocument
from feedback.domain.validation import too_large
from feedback.errors import Code, Invalid, Malformed
from feedback.processing.intake.window import Window

NESTING = 64

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_decoder = msgspec.json.Decoder(SentDocument)
_elements = msgspec.json.Decoder(list[msgspec.Raw])
# Within a document the same two characters stand behind each of its metadata: so many places are tried for a cut.
_CUTS = 16


def _nested(depth: int) -> bytes:
    inner = rb"[^\"\[\]{}]++|" + _STRING
    pattern = rb"[\[{](?:" + inner + rb")*+[\]}]"
    for _ in range(depth - 1):
        pattern = rb"[\[{](?:" + inner + rb"|" + pattern + rb")*+[\]}]"
    return pattern


# Brackets of both kinds count alike here; that they pair up is found when the document is decoded, before it is stored.
_CONTAINER = re.compile(_nested(NESTING), re.DOTALL)
# A document, the comma behind it and the white space between: what nearly all of a body consists of.
_FOLLOWED = re.compile(rb"[ \t\n\r]{0,64}+(?=\{)(" + _nested(NESTING) + rb")[ \t\n\r]{0,64}+,", re.DOTALL)
_KEY = re.compile(_STRING, re.DOTALL)
_SCALAR = re.compile(rb'[^\s,\[\]{}":]++')
_LARGE_STRING_PART = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_PLAIN = re.compile(rb'[^"\[\]{}]++')


def split_json(file: IO[bytes]) -> Iterator[bytes]:
    """The raw documents of a JSON body, in order; one that is larger than any may be is stood for by its refusal.

    Raises Malformed where the body is not JSON, Invalid where it is no object with an array of objects `documents`.
    """
    window = Window(file)
    window.skip_blank()
    if window.peek() != b"{":
        _refuse_non_object(window)
    window.place += 1
    found = False
    for key in _keys(window):
        if key != "documents":
            _skip_value(window)
        elif found:
            message = "the body has two members named documents"
            raise Malformed(message)
        else:
            found = True
            yield from _documents(window)
    window.skip_blank()
    if window.peek():
        raise _malformed(window, "something follows the body's closing brace")
    if not found:
        message = "the body needs an array of documents"
        raise Invalid(message, code=Code.REQUIRED, field="documents")


def check_document(raw: bytes, where: str) -> None:
    """Malformed where a document's bytes are not JSON; its rules are checked when it is processed."""
    try:
        _decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        # The quick decoder stops at the first member of a wrong type, and at escapes of lone surrogates: both are
        # JSON, and errors of this document alone.
        try:
            json.loads(raw, parse_int=_any_number, parse_float=_any_number, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            message = f"{where} is not JSON: {error}"
            raise Malformed(message) from None


def _any_number(_: str) -> int:
    return 0


def _no_constant(name: str) -> int:
    message = f"{name} is no JSON value"
    raise ValueError(message)


def _keys(window: Window) -> Iterator[str]:
    window.skip_blank()
    if window.peek() == b"}":
        window.place += 1
        return
    while True:
        window.skip_blank()
        raw = window.match(_KEY, complete=False)
        if raw is None:
            raise _malformed(window, "a member's name was expected")
        key = _decoded(raw, window)
        window.skip_blank()
        _expect(window, b":")
        window.skip_blank()
        yield str(key)
        window.skip_blank()
        if _expect(window, b",", b"}") == b"}":
            return


def _documents(window: Window) -> Iterator[bytes]:
    if window.peek() != b"[":
        _skip_value(window)
        message = "documents is an array of objects"
        raise Invalid(message, code=Code.WRONG_TYPE, field="documents")
    window.place += 1
    window.skip_blank()
    if window.peek() == b"]":
        window.place += 1
        return
    index = 0
    while True:
        if not window.tried:
            for raw in _lot(window):
                _require_object(raw, index)
                yield raw
                index += 1
        followed = _FOLLOWED.match(window.data, window.place)
        if followed is not None:
            window.place = followed.end()
            raw = followed[1]
            check_document(raw, f"documents[{index}]")
            yield raw
            index += 1
            continue
        window.skip_blank()
        yield _document(window, index)
        index += 1
        window.skip_blank()
        if _expect(window, b",", b"]") == b"]":
            return


def _lot(window: Window) -> Iterable[bytes]:
    """The documents that are in memory as a whole, and the commas behind them, by way of msgspec; none when in doubt.

    What ends before a comma and is an array of JSON values once its brackets are closed can be nothing but elements of
    `documents`: a cut within a string or an object would leave that open. Tried once in a window, since what follows
    from there goes document by document, and so does whatever is refused here, to be refused by name.
    """
    window.tried = True
    end = len(window.data)
    for _ in range(_CUTS):
        end = window.data.rfind(b"},", window.place, end)
        if end < 0:
            break
        try:
            found = _elements.decode(b"".join((b"[", memoryview(window.data)[window.place : end + 1], b"]")))
        except (msgspec.DecodeError, RecursionError):
            continue
        window.place = end + 2
        return map(bytes, found)
    return ()


def _require_object(raw: bytes, index: int) -> None:
    if not raw.startswith(b"{"):
        message = "a document is an object"
        raise Invalid(message, code=Code.WRONG_TYPE, field=f"documents[{index}]")
    if raw.count(b"{") + raw.count(b"[") > NESTING and _CONTAINER.fullmatch(raw) is None:
        message = f"the body is not JSON: documents[{index}] nests deeper than {NESTING}"
        raise Malformed(message)


def _document(window: Window, index: int) -> bytes:
    field = f"documents[{index}]"
    if window.peek() != b"{":
        _skip_value(window)
        message = "a document is an object"
        raise Invalid(message, code=Code.WRONG_TYPE, field=field)
    raw = window.match(_CONTAINER, complete=False)
    if raw is not None:
        check_document(raw, field)
        return raw
    if window.ended:
        raise _malformed(window, f"{field} does not end, or nests deeper than {NESTING}")
    _skip_large(window)
    return too_large()


def _skip_value(window: Window) -> None:
    """Moves past a value that nothing is read from; it must be JSON all the same."""
    start = window.peek()
    if start in (b"{", b"["):
        raw = window.match(_CONTAINER, complete=False)
        if raw is None and not window.ended:
            _skip_large(window)
            return
    else:
        raw = window.match(_KEY, complete=False) if start == b'"' else window.match(_SCALAR)
    if raw is None:
        raise _malformed(window, "a value was expected")
    check_document(raw, f"the value before byte {window.offset}")


def _skip_large(window: Window) -> None:
    """Moves past a container too large to be held: brackets are counted, strings are passed over piece by piece."""
    depth = 0
    while True:
        byte = window.peek()
        if not byte:
            raise _malformed(window, "the body ends within a value")
        if byte == b'"':
            _skip_large_string(window)
            continue
        plain = _PLAIN.match(window.data, window.place)
        if plain is not None:
            window.place = plain.end()
            continue
        window.place += 1
        depth += 1 if byte in b"[{" else -1
        if depth > NESTING:
            raise _malformed(window, f"a value nests deeper than {NESTING}")
        if depth == 0:
            return


def _skip_large_string(window: Window) -> None:
    window.place += 1
    while True:
        part = _LARGE_STRING_PART.match(window.data, window.place)
        if part is not None:
            window.place = part.end()
        if window.data[window.place : window.place + 1] == b'"':
            window.place += 1
            return
        # Either the window ends here or an escape is cut in two by its end.
        if not window.extend():
            raise _malformed(window, "the body ends within a string")


def _refuse_non_object(window: Window) -> None:
    if not window.peek():
        message = "the body is empty"
        raise Malformed(message)
    if window.data.startswith(b"\xef\xbb\xbf"):
        message = "the body begins with a byte order mark; JSON has none"
        raise Malformed(message)
    _skip_value(window)
    window.skip_blank()
    if window.peek():
        raise _malformed(window, "something follows the value")
    message = 'the body is an object such as {"documents": [...]}'
    raise Invalid(message, code=Code.WRONG_TYPE)


def _expect(window: Window, *wanted: bytes) -> bytes:
    byte = window.peek()
    if byte not in wanted:
        choices = " or ".join(repr(w.decode()) for w in wanted)
        raise _malformed(window, f"{choices} was expected")
    window.place += 1
    return byte


def _decoded(raw: bytes, window: Window) -> object:
    try:
        return json.loads(raw)
    except ValueError:
        raise _malformed(window, "a member's name is not JSON") from None


def _malformed(window: Window, what: str) -> Malformed:
    return Malformed(f"the body is not JSON: {what}, at byte {window.offset}")
