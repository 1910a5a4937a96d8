"""Packs columns into the fewest bytes that can still be counted without unpacking them."""

import msgspec
import numpy as np
import zstandard

from feedback.store.segments.layout import Array, ColumnMeta, body_of, outlined, pack
from feedback.store.segments.loose import Codes, Column, Decimals, Instants, Int64, Integers, Loose, Mask, Pairs, Texts

DAY_MS = 86_400_000
MAX_DOCUMENTS = 65_536
COMPRESSION_LEVEL = 3
# Stored values up to here keep base 0, so that the same score has the same stored value in every segment.
SMALL = 250


def encode(loose: Loose) -> bytes:
    """The uncompressed bytes of a segment."""
    columns: dict[str, ColumnMeta] = {}
    arrays: dict[str, Array] = {}
    for name, column in loose.columns.items():
        columns[name] = _encode_column(name, column, loose.documents, arrays)
    return pack(loose.documents, columns, arrays)


def compress(data: bytes) -> bytes:
    """What is stored in the database: the outline, to be read by itself, and the compressed bytes."""
    return outlined(data, zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_content_size=True).compress(data))


def decompress(payload: bytes) -> bytes:
    """The inverse of `compress`."""
    return zstandard.ZstdDecompressor().decompress(body_of(payload))


def _encode_column(name: str, column: Column, documents: int, arrays: dict[str, Array]) -> ColumnMeta:
    match column:
        case Integers():
            arrays[name], meta = _packed(column.integers, column.present, column.scale)
            return meta
        case Codes():
            arrays[name], meta = _packed(column.codes, column.codes > 0, 0, base=1)
            return msgspec.structs.replace(meta, kind="codes")
        case Instants():
            return _instants(name, column, arrays)
        case Decimals():
            arrays[name] = column.floats
            arrays[f"{name}/digits"] = column.digits
            arrays[f"{name}/scales"] = column.scales
            return ColumnMeta("floating", missing=_missing(column.present))
        case Texts():
            return _texts(name, column, arrays)
        case Pairs():
            return _postings(name, column, documents, arrays)


def _packed(values: Int64, present: Mask, scale: int, base: int | None = None) -> tuple[Array, ColumnMeta]:
    if not present.any():
        return np.zeros(len(values), np.uint8), ColumnMeta("packed", base=base or 0, scale=scale, missing=len(values))
    found = values[present]
    low, high = int(found.min()), int(found.max())
    if base is None:
        base = 0 if low >= 0 and high < SMALL else low
    stored = np.where(present, values - (base - 1), 0)
    meta = ColumnMeta("packed", base, scale, low - base + 1, high - base + 1, _missing(present))
    return stored.astype(smallest(high - base + 1)), meta


def smallest(highest: int) -> type[np.unsignedinteger]:
    """The narrowest unsigned type that holds `highest`."""
    return next(t for t in (np.uint8, np.uint16, np.uint32, np.uint64) if highest <= np.iinfo(t).max)


def _instants(name: str, column: Instants, arrays: dict[str, Array]) -> ColumnMeta:
    day = column.ms // DAY_MS
    within = (column.ms - day * DAY_MS).astype(np.uint32)
    arrays[name], meta = _packed(day, column.present, 0, base=_low(day, column.present))
    if within[column.present].any():
        within[~column.present] = 0
        arrays[f"{name}/ms"] = within
    held = column.ms[column.present]
    first, last = (int(held.min()), int(held.max())) if len(held) else (None, None)
    return ColumnMeta("instants", meta.base, 0, meta.low, meta.high, meta.missing, first, last)


def _low(values: Int64, present: Mask) -> int:
    return int(values[present].min()) if present.any() else 0


def _texts(name: str, column: Texts, arrays: dict[str, Array]) -> ColumnMeta:
    lengths = np.fromiter(map(len, column.values), np.int64, len(column.values))
    arrays[f"{name}/ends"] = np.cumsum(lengths).astype(np.uint32)
    arrays[f"{name}/bytes"] = np.frombuffer(b"".join(column.values), np.uint8)
    order = sorted(range(len(column.values)), key=column.values.__getitem__)
    arrays[f"{name}/order"] = np.array(order, np.uint16)
    return ColumnMeta("texts", missing=int((lengths == 0).sum()))


def _postings(name: str, column: Pairs, documents: int, arrays: dict[str, Array]) -> ColumnMeta:
    # Numbers of 32 bits are sorted in half the time, and few datasets have terms enough to need more.
    narrow = np.uint32 if len(column.keys) and int(column.keys.max()) < MAX_DOCUMENTS else np.uint64
    pairs: Array = column.keys.astype(narrow)
    pairs <<= 16
    pairs |= column.rows.astype(narrow)
    # numpy's own unique hashes, which takes twenty times as long as sorting here.
    pairs.sort()
    pairs = pairs[_firsts(pairs)]
    keys, rows = pairs >> 16, pairs.astype(np.uint16)
    starts = np.flatnonzero(_firsts(keys))
    arrays[name] = rows
    arrays[f"{name}/keys"] = keys[starts].astype(np.uint32)
    arrays[f"{name}/starts"] = np.append(starts, len(rows)).astype(np.uint32)
    # A document that holds one term with two opinions would count twice under the term: these are the surplus.
    held = keys // 3 << 16 | rows
    held.sort()
    surplus = held[~_firsts(held)]
    arrays[f"{name}/twice"] = (surplus >> 16).astype(np.uint32)
    arrays[f"{name}/twice_rows"] = surplus.astype(np.uint16)
    holders = np.zeros(documents, np.bool_)
    holders[rows] = True
    without = documents - int(holders.sum())
    if without:
        arrays[f"{name}/any"] = holders
    return ColumnMeta("postings", high=int(keys[-1]) if len(keys) else 0, missing=without)


def _firsts(ordered: Array) -> Mask:
    """Which numbers differ from the one before them."""
    firsts = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=firsts[1:])
    return firsts


def _missing(present: Mask) -> int:
    return len(present) - int(present.sum())
