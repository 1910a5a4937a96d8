"""The first pass: how many documents lie under each value of a dimension, so that the largest are known."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from feedback.aggregation.calendar import buckets
from feedback.aggregation.columns import Reach
from feedback.aggregation.counting import (
    SPARSE,
    Counts,
    distinct,
    few_counts,
    key_counts,
    run_counts,
    some_counts,
    sparse,
)
from feedback.aggregation.domains import Slots
from feedback.aggregation.holders import codes_of, holds_opinion, rows_at
from feedback.aggregation.numbers import NumberCounts, Run, distinct_counts
from feedback.aggregation.plan import Buckets, Categories, Dimension, Identifiers, Numbers, Plan, Polarities, Terms
from feedback.aggregation.selection import Selection
from feedback.aggregation.snapshot import Part, Snapshot
from feedback.store.segments.decode import Floating, Packed, Postings, Segment
from feedback.store.segments.layout import Array
from feedback.store.segments.write import OPINIONS

# Up to so many numbers have a counter each, whether or not they occur.
MOST_NUMBERS = 1 << 20


@dataclass(slots=True)
class Survey:
    """Documents by value: `counts` by code, key or number, `numbers` the others; the `buckets` and `texts` there are.

    Where `reach` is given, `counts` are those of its whole numbers, from the lowest. A document that holds a term with
    two opinions is counted under both keys, and in the term's `surplus`. `among`: the codes of the only terms that are
    to be counted, ascending.
    """

    counts: Counts = field(default_factory=lambda: np.zeros(0, np.uint32))
    surplus: Counts = field(default_factory=lambda: np.zeros(0, np.uint32))
    numbers: NumberCounts = field(default_factory=NumberCounts)
    buckets: set[int] = field(default_factory=set)
    texts: list[bytes] = field(default_factory=list)
    limit: int = 0
    among: Slots | None = None
    reach: Reach | None = None

    def blank(self) -> "Survey":
        """A survey of nothing, of the same shape."""
        counts, surplus = np.zeros_like(self.counts), np.zeros_like(self.surplus)
        return Survey(counts, surplus, limit=self.limit, among=self.among, reach=self.reach)

    def add(self, other: "Survey") -> None:
        """Take in what was found elsewhere."""
        self.counts[: len(other.counts)] += other.counts
        self.surplus[: len(other.surplus)] += other.surplus
        self.numbers.add(other.numbers)
        self.buckets |= other.buckets
        if other.texts:
            self.texts = sorted({*self.texts, *other.texts})[: self.limit]

    def by_term(self, opinions: Sequence[int]) -> Slots:
        """Documents that hold each term with one of the opinions, by term code."""
        found = np.zeros(len(self.counts) // len(OPINIONS), np.int64)
        for opinion in opinions:
            found += self.counts[opinion :: len(OPINIONS)]
        return found if len(opinions) == 1 else found - self.surplus

    def by_number(self) -> Run:
        """The numbers that documents have, ascending, and how many have each."""
        if self.reach is None:
            return self.numbers.whole()
        found = np.flatnonzero(self.counts)
        return (found + self.reach.lowest) / 10.0**self.reach.scale, self.counts[found].astype(np.int64)


def empty_survey(snapshot: Snapshot, dimension: Dimension) -> Survey:
    """A survey of nothing, with room for every code of the snapshot."""
    match dimension:
        case Categories():
            return Survey(np.zeros(snapshot.column(dimension.column).codes, np.uint32))
        case Terms():
            keys = snapshot.column(dimension.column).keys
            return Survey(np.zeros(keys, np.uint32), np.zeros(keys // 3, np.uint32))
        case Polarities():
            return Survey(np.zeros(3, np.uint32))
        case Numbers():
            reach = snapshot.column(dimension.column).reach
            if reach is None or reach.numbers > min(MOST_NUMBERS, snapshot.documents):
                return Survey()
            return Survey(np.zeros(reach.numbers, np.uint32), reach=reach)
        case Identifiers():
            return Survey(limit=dimension.limit)
        case _:
            return Survey()


def take(survey: Survey, part: Part, plan: Plan, dimension: Dimension, selection: Selection) -> None:
    """Add the selected documents of one segment to the survey of a dimension."""
    if selection is False:
        return
    segment = part.segment
    match dimension:
        case Categories():
            _categories(survey, segment, dimension, selection)
        case Numbers():
            _numbers(survey, segment, dimension, selection)
        case Buckets():
            _buckets(survey, segment, dimension, selection)
        case Identifiers():
            _identifiers(survey, segment, dimension, selection)
        case Polarities():
            _polarities(survey, segment, plan, dimension, selection)
        case Terms():
            postings = segment.postings(dimension.column)
            if postings is not None and len(postings.keys):
                _terms(survey, postings, plan, dimension, selection)
        case _:
            return


def _selected(array: Array, selection: Selection) -> Array:
    return array if isinstance(selection, bool) else np.compress(selection, array)


def _categories(survey: Survey, segment: Segment, dimension: Categories, selection: Selection) -> None:
    packed = segment.packed(dimension.column)
    if packed is not None:
        found = np.bincount(_selected(packed.stored, selection))
        survey.counts[: len(found)] += found.astype(np.uint32)


def _numbers(survey: Survey, segment: Segment, dimension: Numbers, selection: Selection) -> None:
    column = segment.columns.get(dimension.column)
    if isinstance(column, Packed):
        stored = _selected(column.stored, selection)
        if survey.reach is not None:
            found = np.bincount(stored)[max(column.low, 1) :]
            first = max(column.low, 1) + column.base - 1 - survey.reach.lowest
            survey.counts[first : first + len(found)] += found.astype(np.uint32)
            return
        values, counts = _distinct(stored, column.high)
        kept = values > 0
        survey.numbers.take(((values[kept] + (column.base - 1)) / 10.0**column.scale, counts[kept]))
    elif isinstance(column, Floating):
        floats = _selected(column.floats, selection)
        survey.numbers.take(distinct_counts(floats[~np.isnan(floats)]))


def _distinct(stored: Array, highest: int) -> tuple[Slots, Slots]:
    """The values that occur and how often each does."""
    if highest > max(4_096, len(stored)):
        values, counts = distinct_counts(stored)
        return values.astype(np.int64), counts
    counted = np.bincount(stored)
    values = np.flatnonzero(counted)
    return values, counted[values]


def _buckets(survey: Survey, segment: Segment, dimension: Buckets, selection: Selection) -> None:
    times = segment.times(dimension.column)
    if times is not None:
        stored, _ = _distinct(_selected(times.day.stored, selection), times.day.high)
        days = stored[stored > 0] + (times.day.base - 1)
        survey.buckets.update(distinct(buckets(days, dimension.unit)).tolist())


def _identifiers(survey: Survey, segment: Segment, dimension: Identifiers, selection: Selection) -> None:
    strings = segment.strings(dimension.column)
    if strings is not None:
        order = strings.order if isinstance(selection, bool) else strings.order[selection[strings.order]]
        first = [strings.at(int(row)) for row in order[: survey.limit]]
        survey.texts = sorted({*survey.texts, *first})[: survey.limit]


def _polarities(survey: Survey, segment: Segment, plan: Plan, dimension: Polarities, selection: Selection) -> None:
    for opinion in dimension.opinions:
        found = holds_opinion(segment, dimension.column, (opinion,), matching_of(plan, dimension.column))
        if isinstance(found, np.ndarray):
            survey.counts[opinion] += int(_selected(found, selection).sum())


def matching_of(plan: Plan, column: str) -> tuple[int, ...] | None:
    """The codes that q leaves of a column's terms; q speaks of TERMS alone."""
    return plan.matching if column == "TERMS" else None


def _terms(survey: Survey, postings: Postings, plan: Plan, dimension: Terms, selection: Selection) -> None:
    wanted = _wanted(survey, plan, dimension)
    if wanted is None and isinstance(selection, np.ndarray) and sparse(selection, SPARSE):
        keys, counts = few_counts(postings, selection)
    elif wanted is None:
        keys, counts = postings.keys, key_counts(postings, selection)
    else:
        positions = postings.positions((wanted[:, None] * 3 + np.array(dimension.opinions)).ravel())
        positions = positions[positions >= 0]
        keys, counts = postings.keys[positions], some_counts(postings, positions, selection)
    if not len(keys):
        return
    # Adding at unsorted places is fast only between arrays of one type.
    np.add.at(survey.counts, keys, counts)
    if len(dimension.opinions) == 1 or not len(postings.twice):
        return
    if len(dimension.opinions) == len(OPINIONS):
        _count_surplus(survey, postings, wanted, selection)
    else:
        _count_both(survey, postings, wanted, dimension.opinions, selection)


def _wanted(survey: Survey, plan: Plan, dimension: Terms) -> Slots | None:
    """The codes of the terms to count, None for all."""
    matching = matching_of(plan, dimension.column)
    return survey.among if matching is None else codes_of(matching)


def _count_surplus(survey: Survey, postings: Postings, wanted: Slots | None, selection: Selection) -> None:
    """Documents that hold a term with two opinions, once for each opinion past the first."""
    twice = postings.twice
    if wanted is not None:
        first, last = np.searchsorted(twice, wanted, "left"), np.searchsorted(twice, wanted, "right")
        survey.surplus[wanted] += run_counts(postings.twice_rows, first, last, selection)
        return
    if not isinstance(selection, bool):
        twice = np.compress(np.take(selection, postings.twice_rows), twice)
    found = np.bincount(twice)
    surplus = survey.surplus[: len(found)]
    np.add(surplus, found, out=surplus, casting="unsafe")


def _count_both(
    survey: Survey, postings: Postings, wanted: Array | None, opinions: Sequence[int], selection: Selection
) -> None:
    """Documents that hold a term with both of two opinions."""
    codes = distinct(postings.twice)
    for code in (codes if wanted is None else np.intersect1d(codes, wanted)).tolist():
        found = [rows_at(postings, code * 3 + opinion) for opinion in opinions]
        both = np.intersect1d(found[0], found[1], assume_unique=True)
        survey.surplus[code] += len(both) if isinstance(selection, bool) else int(selection[both].sum())
