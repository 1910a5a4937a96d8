"""Bitmaps of the terms that many documents of a segment hold, and of each opinion, so that filters read no rows.

They are made when a segment is decoded and lie in the local cache alone: the database holds what they are made of.
"""

import numpy as np

from feedback.store.segments.layout import Array, Header

# From this share of the documents on, one part in 64, a bitmap is counted faster than the list of rows.
RARE = 64
# At most 8 KiB each, 16 bytes a document in all.
MOST = 128
OPINIONS = 3


def bitmaps_of(header: Header, arrays: dict[str, Array], most: int = MOST) -> dict[str, Array]:
    """Bitmaps of each column's `most` frequent keys, where they are frequent enough, and of its opinions."""
    made = {name: array for column in _postings(header) for name, array in _bitmaps(header, arrays, column, most)}
    return made | {f"{column}/opinions": _opinions(header, arrays, column) for column in _postings(header)}


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


def _opinions(header: Header, arrays: dict[str, Array], column: str) -> Array:
    """The documents that hold anything with each of the opinions: one bitmap after the other."""
    held = np.zeros((OPINIONS, header.documents), np.bool_)
    first = (arrays[f"{column}/keys"] % OPINIONS * header.documents).astype(np.uint32)
    held.ravel()[np.repeat(first, np.diff(arrays[f"{column}/starts"])) + arrays[column]] = True
    bits = np.zeros((OPINIONS, words_of(header.documents) * 8), np.uint8)
    packed = np.packbits(held, axis=1)
    bits[:, : packed.shape[1]] = packed
    return bits.view(np.uint64).ravel()
