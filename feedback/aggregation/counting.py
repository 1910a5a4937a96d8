"""Counting as fast as numpy allows: bits of bitmaps, rows of postings under a mask, and codes."""

import numpy as np
import numpy.typing as npt

from feedback.aggregation.holders import runs
from feedback.aggregation.selection import Selection
from feedback.store.segments.bitmaps import words_of
from feedback.store.segments.decode import Postings
from feedback.store.segments.layout import Array
from feedback.store.segments.loose import Int64, Mask

Counts = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]

# Codes are counted in so many interleaved stretches: a counter that was just written is slow to be read again.
LANES = 8
# Under this share of the documents, one in 64, those selected are found before they are counted.
SPARSE = 64
WORTH_LANES = 4_096


def words(mask: Mask) -> Words:
    """The mask as a bitmap."""
    packed = np.zeros(words_of(len(mask)) * 8, np.uint8)
    bits = np.packbits(mask)
    packed[: len(bits)] = bits
    return packed.view(np.uint64)


def ones(bits: Words) -> Counts:
    """How many bits each bitmap has."""
    counted: Counts = np.bitwise_count(bits).sum(axis=-1, dtype=np.uint32)
    return counted


def key_counts(postings: Postings, selection: Selection) -> Counts:
    """How many selected documents hold each key of the segment."""
    if isinstance(selection, bool):
        counts: Counts = postings.starts[1:] - postings.starts[:-1]
        return counts
    running = np.zeros(len(postings.rows) + 1, np.int32)
    np.cumsum(np.take(selection.view(np.uint8), postings.rows), dtype=np.int32, out=running[1:])
    at = np.take(running, postings.starts)
    found: Counts = (at[1:] - at[:-1]).astype(np.uint32)
    return found


def few_counts(postings: Postings, selection: Mask) -> tuple[Array, Counts]:
    """The same for a selection of few documents: the keys they hold, and how many hold each."""
    hits = np.flatnonzero(np.take(selection, postings.rows))
    positions = np.searchsorted(postings.starts, hits.astype(postings.starts.dtype), side="right") - 1
    first = np.flatnonzero(np.diff(positions, prepend=-1))
    counts: Counts = np.diff(np.append(first, len(positions))).astype(np.uint32)
    return postings.keys[positions[first]], counts


def sparse(selection: Selection, share: int) -> bool:
    """Whether less than one in `share` documents is selected."""
    return not isinstance(selection, bool) and int(np.count_nonzero(selection)) * share < len(selection)


def some_counts(postings: Postings, positions: Int64, selection: Selection) -> Counts:
    """How many selected documents hold each of the keys at these ascending positions."""
    begins, ends = postings.starts[positions].astype(np.int64), postings.starts[positions + 1].astype(np.int64)
    if isinstance(selection, bool):
        return (ends - begins).astype(np.uint32)
    found = np.zeros(len(positions), np.uint32)
    mapped, places = bitmaps_at(postings, positions)
    found[mapped] = ones(picked(postings.bits, places) & words(selection))
    listed = np.ones(len(positions), np.bool_)
    listed[mapped] = False
    found[listed] = run_counts(postings.rows, begins[listed], ends[listed], selection)
    return found


def run_counts(rows: Array, begins: Int64, ends: Int64, selection: Selection) -> Counts:
    """How many of the rows in each slice are selected."""
    if isinstance(selection, bool):
        return (ends - begins).astype(np.uint32)
    taken = runs(rows, begins, ends)
    running = np.zeros(len(taken) + 1, np.uint32)
    np.cumsum(np.take(selection.view(np.uint8), taken), dtype=np.uint32, out=running[1:])
    stops = np.cumsum(ends - begins)
    counts: Counts = running[stops] - running[stops - (ends - begins)]
    return counts


def bitmaps_at(postings: Postings, positions: Int64) -> tuple[Int64, Int64]:
    """Which of the ascending positions have a bitmap, and the place of each among the bitmaps."""
    places = np.searchsorted(postings.heavy, positions)
    within = np.flatnonzero(places < len(postings.heavy))
    mapped = within[postings.heavy[places[within]] == positions[within]]
    return mapped, places[mapped]


def distinct(ascending: Array) -> Array:
    """Each value once; numpy's own for arrays in any order loads half a library when it is first called."""
    first = np.ones(len(ascending), np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]


def picked(bits: Words, places: Int64) -> Words:
    """The bitmaps at these ascending places, without a copy where they are all."""
    return bits if len(places) == len(bits) else bits[places]


def tallied(codes: Array, size: int) -> Int64:
    """How often each code occurs, as `bincount` counts, faster where equal codes stand side by side."""
    if len(codes) < WORTH_LANES:
        return np.bincount(codes, minlength=size)
    even = len(codes) // LANES * LANES
    lanes = np.empty((even // LANES, LANES), np.intp)
    lanes[...] = codes[:even].reshape(LANES, -1).T
    counts: Int64 = np.bincount(lanes.ravel(), minlength=size)
    if even < len(codes):
        counts += np.bincount(codes[even:], minlength=size)
    return counts
