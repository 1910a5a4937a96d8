"""Dimensions under which one document has several values: pairs of a document's row and the place of the value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from feedback.aggregation.counting import distinct
from feedback.aggregation.domains import Domain, Slots, float_in_span, in_span
from feedback.aggregation.holders import holds_opinion, runs
from feedback.aggregation.plan import Plan, Polarities, Ranges, Terms
from feedback.aggregation.snapshot import Part
from feedback.aggregation.survey import matching_of
from feedback.store.segments.decode import Floating, Packed, Postings
from feedback.store.segments.layout import Array

# Combinations that are made of documents at once: some 40 bytes each while they are.
AT_ONCE = 1 << 20

Rows = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows and places: place `held[i]` has the next `times[i]` rows.

    `surplus` pairs stand in `rows` once too often and are to be taken off again.
    """

    rows: Array
    held: Slots
    times: Slots
    surplus_rows: Array
    surplus_places: Slots

    def groups(self, width: int) -> Slots:
        """The place of each row, times a width."""
        return np.repeat(self.held * width, self.times)

    def among(self, kept: npt.NDArray[np.bool_]) -> "Pairs":
        """Those of the kept documents."""
        chosen, surplus = np.flatnonzero(np.take(kept, self.rows)), kept[self.surplus_rows]
        ends = np.searchsorted(chosen, np.cumsum(self.times))
        return Pairs(
            self.rows[chosen],
            self.held,
            np.diff(ends, prepend=0),
            self.surplus_rows[surplus],
            self.surplus_places[surplus],
        )


@dataclass(frozen=True, slots=True)
class Axis:
    """One spread dimension, together with the polarity dimension that qualifies it; `size` places."""

    dimension: Terms | Polarities | Ranges
    domain: Domain
    polarities: Polarities | None = None

    @property
    def size(self) -> int:
        """Places: value x polarity."""
        return self.domain.size * (1 if self.polarities is None else len(self.polarities.opinions))

    def same_as(self, other: "Axis") -> bool:
        """Whether both have the same values at the same places."""
        if self.dimension != other.dimension or self.polarities != other.polarities:
            return False
        mine, theirs = self.domain.chosen, other.domain.chosen
        return mine is not None and theirs is not None and np.array_equal(mine, theirs)


_NO_ROWS: Array = np.zeros(0, np.int64)
_NO_PLACES: Slots = np.zeros(0, np.int64)
NOTHING = Pairs(_NO_ROWS, _NO_PLACES, _NO_PLACES, _NO_ROWS, _NO_PLACES)


def pairs_of(part: Part, plan: Plan, axis: Axis) -> Pairs:
    """All pairs of a segment, whether or not the document is in the population."""
    match axis.dimension:
        case Ranges():
            return _ranges(part, axis.dimension)
        case Polarities():
            return _opinions(part, plan, axis.dimension)
        case Terms():
            postings = part.segment.postings(axis.dimension.column)
            return NOTHING if postings is None else _terms(postings, axis)


def _ranges(part: Part, dimension: Ranges) -> Pairs:
    column = part.segment.columns.get(dimension.column)
    if isinstance(column, Packed):
        found = [np.flatnonzero(in_span(column, column.stored, span)) for span in dimension.spans]
    elif isinstance(column, Floating):
        found = [np.flatnonzero(float_in_span(column.floats, span)) for span in dimension.spans]
    else:
        return NOTHING
    return _stacked(found)


def _opinions(part: Part, plan: Plan, dimension: Polarities) -> Pairs:
    found = []
    for opinion in dimension.opinions:
        held = holds_opinion(part.segment, dimension.column, (opinion,), matching_of(plan, dimension.column))
        found.append(np.flatnonzero(held) if isinstance(held, np.ndarray) else _NO_ROWS)
    return _stacked(found)


def _stacked(found: Sequence[Array]) -> Pairs:
    times = np.array([len(rows) for rows in found], np.int64)
    rows = np.concatenate(found) if found else _NO_ROWS
    return Pairs(rows, np.arange(len(found)), times, _NO_ROWS, _NO_PLACES)


def _terms(postings: Postings, axis: Axis) -> Pairs:
    keys, places = wanted_keys(axis)
    positions = postings.positions(keys)
    present = positions >= 0
    positions, places = positions[present], places[present]
    begins, ends = postings.starts[positions].astype(np.int64), postings.starts[positions + 1].astype(np.int64)
    rows = runs(postings.rows, begins, ends)
    terms = axis.dimension
    merged = isinstance(terms, Terms) and not terms.apart and len(terms.opinions) > 1 and axis.polarities is None
    if not merged or not len(postings.twice) or axis.domain.chosen is None:
        return Pairs(rows, places, ends - begins, _NO_ROWS, _NO_PLACES)
    first = np.searchsorted(postings.twice, axis.domain.chosen, "left")
    last = np.searchsorted(postings.twice, axis.domain.chosen, "right")
    surplus = runs(postings.twice_rows, first, last)
    return Pairs(rows, places, ends - begins, surplus, np.repeat(np.arange(axis.domain.size), last - first))


def wanted_keys(axis: Axis) -> tuple[Slots, Slots]:
    """The keys that count under each place, in ascending order of keys."""
    terms, chosen = axis.dimension, axis.domain.chosen
    if not isinstance(terms, Terms) or chosen is None:
        return _NO_PLACES, _NO_PLACES
    values = np.arange(axis.domain.size)
    if terms.apart:
        keys, places, opinions = chosen, values, chosen % 3
    else:
        allowed = np.array(terms.opinions)
        keys = (chosen[:, None] * 3 + allowed).ravel()
        places, opinions = np.repeat(values, len(allowed)), np.tile(allowed, len(chosen))
    if axis.polarities is not None:
        order = {opinion: place for place, opinion in enumerate(axis.polarities.opinions)}
        place_of = np.array([order.get(opinion, -1) for opinion in range(3)])
        kept = place_of[opinions] >= 0
        keys, places = keys[kept], (places * len(order) + place_of[opinions])[kept]
    return keys, places


def crossed(found: Sequence[Pairs], sizes: Sequence[int], kept: npt.NDArray[np.bool_]) -> Iterator[tuple[Slots, Slots]]:
    """Every combination of places within one document: rows and combined places, of the kept documents alone.

    About AT_ONCE at a time: a text of a hundred terms has a hundred million combinations of four.
    """
    (rows, places), *others = (_unique(pairs, kept) for pairs in found)
    counts = [np.bincount(other_rows, minlength=len(kept)) for other_rows, _ in others]
    made = np.cumsum(np.prod([held[rows] for held in counts], axis=0))
    edges = np.searchsorted(made, np.arange(AT_ONCE, made[-1] if len(made) else 0, AT_ONCE))
    for begin, end in pairwise(distinct(np.concatenate([[0], edges, [len(rows)]])).tolist()):
        yield _combined(rows[begin:end], places[begin:end], others, counts, sizes)


def _combined(
    rows: Slots, places: Slots, others: Sequence[tuple[Slots, Slots]], counts: Sequence[Slots], sizes: Sequence[int]
) -> tuple[Slots, Slots]:
    """Pairs of the first dimension, each with all places that its document has in the `others`."""
    for (_, other_places), held, size in zip(others, counts, sizes[1:], strict=True):
        starts, times = np.cumsum(held) - held, held[rows]
        within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        at = np.repeat(starts[rows], times) + within
        places = np.repeat(places, times) * size + other_places[at]
        rows = np.repeat(rows, times)
    return rows, places


def _unique(pairs: Pairs, kept: npt.NDArray[np.bool_]) -> tuple[Slots, Slots]:
    """Pairs sorted by row, each once, as `surplus` says that some are not."""
    living = kept[pairs.rows]
    rows, places = pairs.rows[living].astype(np.int64), pairs.groups(1)[living]
    width = int(places.max()) + 1 if len(places) else 1
    both = np.sort(rows * width + places)
    if len(pairs.surplus_rows):
        both = both[np.flatnonzero(np.diff(both, prepend=-1))]
    return both // width, both % width
