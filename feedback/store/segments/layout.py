"""One byte layout for a segment, in the database and in the cache: a header, then aligned little-endian arrays."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

MAGIC = b"FBSEG001"
OUTLINED = b"FBOUT001"
ALIGNMENT = 64

Array = npt.NDArray[Any]


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """Where one array lies, counted from the end of the header."""

    name: str
    dtype: str
    length: int
    offset: int


class ColumnMeta(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the arrays of one column are to be read.

    `packed`: stored = value * 10**scale - base + 1, with 0 for a missing value; low and high bound the stored ones.
    `codes`: packed dictionary codes. `floating`: decimals of any size. `instants`: a packed day and the milliseconds
    within it,
    `first` and `last` their epoch milliseconds. `texts`: UTF-8 strings. `postings`: the documents of each term or
    topic, `high` the highest key (0 where an earlier version wrote the segment).
    """

    kind: str
    base: int = 0
    scale: int = 0
    low: int = 0
    high: int = 0
    missing: int = 0
    first: int | None = None
    last: int | None = None


class Outline(msgspec.Struct, frozen=True):
    """What a segment says of itself without any of its arrays: enough to plan a question by."""

    documents: int
    columns: dict[str, ColumnMeta]


class Header(msgspec.Struct, frozen=True):
    """What stands before a segment's arrays."""

    documents: int
    columns: dict[str, ColumnMeta]
    arrays: list[Entry]


# Made once, while this module is imported: two threads that are the first to decode a type may crash msgspec.
_HEADER = msgspec.json.Decoder(Header)
_OUTLINE = msgspec.json.Decoder(Outline)


def pack(documents: int, columns: Mapping[str, ColumnMeta], arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a segment."""
    entries, parts, offset = [], [], 0
    for name, array in arrays.items():
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        entries.append(Entry(name, little.dtype.str, len(little), offset))
        parts.append(_padded(little.tobytes()))
        offset += len(parts[-1])
    header = msgspec.json.encode(Header(documents, dict(columns), entries))
    start = MAGIC + len(header).to_bytes(4, "little") + header
    return b"".join([_padded(start), *parts])


def unpack(buffer: bytes | memoryview) -> tuple[Header, dict[str, Array]]:
    """The header of a segment and views of its arrays, which share the buffer's memory."""
    view = memoryview(buffer)
    header, end = _header(view)
    start = -(-end // ALIGNMENT) * ALIGNMENT
    arrays = {e.name: np.frombuffer(view, e.dtype, e.length, start + e.offset) for e in header.arrays}
    return header, arrays


def _header(view: memoryview) -> tuple[Header, int]:
    """The header, and where it ends."""
    if bytes(view[:8]) != MAGIC:
        message = "not a segment"
        raise ValueError(message)
    end = 12 + int.from_bytes(view[8:12], "little")
    return _HEADER.decode(view[12:end]), end


def outlined(data: bytes, body: bytes) -> bytes:
    """A body that begins with the outline of a segment's bytes."""
    header, _ = _header(memoryview(data))
    outline = msgspec.json.encode(Outline(header.documents, header.columns))
    return OUTLINED + len(outline).to_bytes(4, "little") + outline + body


def body_of(payload: bytes) -> bytes | memoryview:
    """What `outlined` was given; all of what an earlier version wrote, which has no outline."""
    if not payload.startswith(OUTLINED):
        return payload
    return memoryview(payload)[12 + int.from_bytes(payload[8:12], "little") :]


def outline_in(head: bytes) -> Outline | None:
    """The outline that these first bytes of a payload hold, None where they hold none or not all of it."""
    end = 12 + int.from_bytes(head[8:12], "little")
    return _OUTLINE.decode(head[12:end]) if head.startswith(OUTLINED) and len(head) >= end else None


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNMENT)
