"""Which documents of a segment hold which terms or topics, read off its postings."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from feedback.aggregation.selection import Selection
from feedback.store.segments.decode import Postings, Segment
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Int64, Mask

# Many short slices are gathered by one index; few long ones are faster copied.
MANY_RUNS = 32
SHORT_RUN = 200


@lru_cache(maxsize=64)
def codes_of(codes: tuple[int, ...]) -> Int64:
    """Codes as an array."""
    return np.array(codes, np.int64)


@lru_cache(maxsize=64)
def keys_of(codes: tuple[int, ...]) -> Int64:
    """The keys of codes with any opinion."""
    return (codes_of(codes)[:, None] * 3 + np.arange(3)).ravel()


def holds(segment: Segment, column: str, keys: Sequence[int] | Int64) -> Selection:
    """The documents that hold one of the keys of TERMS or TOPICS."""
    postings = segment.postings(column)
    if postings is None or not len(keys):
        return False
    if len(keys) == 1:
        rows = rows_at(postings, int(keys[0]))
        return mark(segment.documents, [rows]) if len(rows) else False
    found = postings.positions(np.asarray(keys, np.int64))
    found = found[found >= 0]
    if not len(found):
        return False
    begins, ends = postings.starts[found].astype(np.int64), postings.starts[found + 1].astype(np.int64)
    return mark(segment.documents, [runs(postings.rows, begins, ends)])


def holds_opinion(
    segment: Segment, column: str, opinions: Sequence[int], codes: Sequence[int] | None = None
) -> Selection:
    """The documents that hold a term or topic (one of `codes`, where given) with one of the opinions."""
    postings = segment.postings(column)
    if postings is None or not opinions:
        return False
    if codes is not None:
        return holds(segment, column, [code * 3 + opinion for code in codes for opinion in opinions])
    if postings.opinions is not None:
        bits = np.bitwise_or.reduce(postings.opinions[list(opinions)], axis=0)
        return np.unpackbits(bits.view(np.uint8), count=segment.documents).view(np.bool_)
    chosen = np.isin(postings.keys % 3, np.array(opinions, postings.keys.dtype))
    return mark(segment.documents, [postings.rows[np.repeat(chosen, postings.counts())]])


def holds_any(segment: Segment, column: str) -> Selection:
    """The documents that hold any term or topic."""
    postings = segment.postings(column)
    if postings is None:
        return False
    return True if postings.any is None else postings.any


def rows_at(postings: Postings, key: int) -> Array:
    """The rows of one key, none where the segment lacks it."""
    position = int(postings.keys.searchsorted(postings.keys.dtype.type(key)))
    if position == len(postings.keys) or postings.keys[position] != key:
        return postings.rows[:0]
    return postings.rows[int(postings.starts[position]) : int(postings.starts[position + 1])]


def runs(array: Array, begins: Int64, ends: Int64) -> Array:
    """Slices of an array, one after the other."""
    begins, ends = _merged(begins, ends)
    if len(begins) == 1:
        return array[int(begins[0]) : int(ends[0])]
    if len(begins) > MANY_RUNS:
        lengths = ends - begins
        stops = np.cumsum(lengths)
        if stops[-1] < len(begins) * SHORT_RUN:
            gathered: Array = np.take(array, np.arange(stops[-1]) + np.repeat(begins - stops + lengths, lengths))
            return gathered
    pieces = [array[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return np.concatenate(pieces) if pieces else array[:0]


def _merged(begins: Int64, ends: Int64) -> tuple[Int64, Int64]:
    """The same slices, those that continue the one before as one with it: the polarities of a term lie side by side."""
    if len(begins) < 2:
        return begins, ends
    apart = begins[1:] != ends[:-1]
    return begins[np.append(True, apart)], ends[np.append(apart, True)]


def mark(documents: int, marked: Sequence[Array]) -> Mask:
    """The mask of the documents in any of some rows."""
    mask = np.zeros(documents, np.bool_)
    for rows in marked:
        mask[rows] = True
    return mask
