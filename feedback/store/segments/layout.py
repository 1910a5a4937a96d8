"""One byte layout for a segment, in the database and in the cache: a header, then aligned little-endian arrays."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

MAGIC = b"FBSEG001"
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
    topic.
    """

    kind: str
    base: int = 0
    scale: int = 0
    low: int = 0
    high: int = 0
    missing: int = 0
    first: int | None = None
    last: int | None = None


class Header(msgspec.Struct, frozen=True):
    """What a segment says of itself."""

    documents: int
    columns: dict[str, ColumnMeta]
    arrays: list[Entry]


# Made once, while this module is imported: two threads that are the first to decode a type may crash msgspec.
_HEADER = msgspec.json.Decoder(Header)


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
    if bytes(view[:8]) != MAGIC:
        message = "not a segment"
        raise ValueError(message)
    length = int.from_bytes(view[8:12], "little")
    header = _HEADER.decode(view[12 : 12 + length])
    start = -(-(12 + length) // ALIGNMENT) * ALIGNMENT
    arrays = {e.name: np.frombuffer(view, e.dtype, e.length, start + e.offset) for e in header.arrays}
    return header, arrays


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNMENT)
