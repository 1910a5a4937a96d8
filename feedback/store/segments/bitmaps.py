"""Bitmaps of the terms that many documents of a segment hold, so that counting them under a filter reads no rows.

They are made when a segment is decoded and lie in the local cache alone: the database holds what they are made of.
"""

import numpy as np

from feedback.store.segments.layout import Array, Header

# From this share of the documents on, one part in 64, a bitmap is counted faster than the list of rows.
RARE = 64
# At most 8 KiB each, 16 bytes a document in all.
MOST = 128


def bitmaps_of(header: Header, arrays: dict[str, Array], most: int = MOST) -> dict[str, Array]:
    """Bitmaps of each column's `most` frequent keys, where they are frequent enough."""
    return {name: array for column in _postings(header) for name, array in _bitmaps(header, arrays, column, most)}


def words_of(documents: int) -> int:
    """How many words of 64 bits a bitmap takes."""
    return -(-documents // 64)


def _postings(header: Header) -> list[str]:
    return [name for name, meta in header.columns.items() if meta.kind == "postings"]


def _bitmaps(header: Header, arrays: dict[str, Array], column: str, most: int) -> list[tuple[str, Array]]:
    rows, starts = arrays[column], arrays[f"{column}/starts"].astype(np.int64)
    counts = np.diff(starts)
    heavy = np.flatnonzero(counts * RARE >= header.documents)
    heavy = np.sort(heavy[np.argsort(-counts[heavy], kind="stable")[:most]])
    if not len(heavy):
        return []
    bits = np.zeros((len(heavy), words_of(header.documents) * 8), np.uint8)
    held = np.zeros(header.documents, np.bool_)
    for place, (begin, end) in enumerate(zip(starts[heavy].tolist(), starts[heavy + 1].tolist(), strict=True)):
        held[rows[begin:end]] = True
        packed = np.packbits(held)
        bits[place, : len(packed)] = packed
        held[rows[begin:end]] = False
    return [(f"{column}/heavy", heavy.astype(np.uint32)), (f"{column}/bits", bits.view(np.uint64).ravel())]
