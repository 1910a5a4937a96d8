"""Documents and terms that match a query: the same masks and surveys as aggregations, read for what they list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import merge

import numpy as np
from sqlalchemy import Connection

from feedback.aggregation.choices import largest
from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.holders import holds_opinion
from feedback.aggregation.masks import common
from feedback.aggregation.partial import Ints
from feedback.aggregation.plan import Plan, Terms
from feedback.aggregation.selection import both
from feedback.aggregation.snapshot import Part

Listed = tuple[int, bytes]
"""A document's sort key, ascending, and its external id, which decides between equal keys."""


@dataclass(frozen=True, slots=True)
class Order:
    """By which instant documents are listed; those without it come last either way."""

    column: str
    descending: bool


@dataclass(frozen=True, slots=True)
class SearchJob:
    """The first `wanted` documents of those that a plan selects and that hold one of the opinions, in an order."""

    plan: Plan
    opinions: tuple[int, ...] | None
    order: Order
    wanted: int


@dataclass(slots=True)
class Listing:
    """How many documents were selected, and the first `wanted` of them."""

    wanted: int
    total: int
    first: list[Listed]

    def add(self, other: "Listing") -> None:
        """Take in the documents of other parts."""
        self.total += other.total
        self.first = list(merge(self.first, other.first))[: self.wanted]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The selected documents of one segment that may stand on the page asked for, and how many were selected."""

    part: Part
    total: int
    rows: Ints
    keys: Ints


def list_parts(parts: Sequence[Part], job: SearchJob) -> Listing:
    """The listing of some parts."""
    return Listing(job.wanted, *page((candidates(part, job) for part in parts), 0, job.wanted))


def candidates(part: Part, job: SearchJob) -> Candidates | None:
    """The first documents of a segment (all that tie for the last place included), None where none matches."""
    selection, order, wanted = common(part, job.plan), job.order, job.wanted
    if job.opinions is not None:
        selection = both(selection, holds_opinion(part.segment, "TERMS", job.opinions, job.plan.matching))
    times = part.segment.times(order.column)
    if selection is False:
        return None
    rows = np.arange(part.documents) if selection is True else np.flatnonzero(selection)
    if times is None:
        keys = np.full(len(rows), np.iinfo(np.int64).max)
    else:
        epoch = times.epoch()[rows]
        keys = np.where(times.day.stored[rows] > 0, -epoch if order.descending else epoch, np.iinfo(np.int64).max)
    total = len(rows)
    if total > wanted:
        kept = keys <= np.partition(keys, wanted - 1)[wanted - 1]
        rows, keys = rows[kept], keys[kept]
    return Candidates(part, total, rows, keys)


def page(found: Iterable[Candidates | None], offset: int, limit: int) -> tuple[int, list[Listed]]:
    """How many documents were selected, and those on the page."""
    held = [one for one in found if one is not None]
    total = sum(c.total for c in held)
    if not held or offset >= total:
        return total, []
    keys = np.concatenate([c.keys for c in held])
    owners = np.repeat(np.arange(len(held)), [len(c.rows) for c in held])
    rows = np.concatenate([c.rows for c in held])
    last = min(offset + limit, total)
    bounds = np.partition(keys, [offset, last - 1])
    before = int((keys < bounds[offset]).sum())
    near = np.flatnonzero((keys >= bounds[offset]) & (keys <= bounds[last - 1]))
    ordered = sorted((int(keys[i]), _external_id(held[owners[i]].part, int(rows[i]))) for i in near)
    return total, ordered[offset - before : last - before]


def _external_id(part: Part, row: int) -> bytes:
    strings = part.segment.strings("externalId")
    return b"" if strings is None else strings.at(row)


def term_survey(column: str, opinions: Sequence[int] | None) -> Terms:
    """The dimension whose survey counts the documents of each term."""
    return Terms(column, 1, (0, 1, 2) if opinions is None else tuple(opinions))


def term_page(
    counts: Ints, connection: Connection, dictionary: Dictionary, offset: int, limit: int
) -> tuple[int, list[dict[str, object]]]:
    """How many terms occur, and those on the page: most frequent first, then by label."""
    total = int((counts > 0).sum())
    codes = largest(counts, offset + limit)
    names = dictionary.terms(connection, codes)
    ranked = sorted(codes, key=lambda code: (-int(counts[code]), names[code][1], names[code][0]))
    return total, [
        {"id": names[code][0], "label": names[code][1], "occurrences": int(counts[code])}
        for code in ranked[offset : offset + limit]
    ]
