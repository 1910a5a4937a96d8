"""A bare numpy script's answers: whole columns in memory, one pass a question, nothing indexed, nothing general."""

from collections.abc import Callable
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from aggregating.corpus import DAY, STORES, TERMS, Corpus
from aggregating.questions import AMOUNTS, HALF_CENTS, HALVES, PAIR_TOP, RANGES, SOME_STORES, TERM, TOP, Q

Answer = dict[tuple[Any, ...], tuple[Any, int]]
Array = npt.NDArray[Any]
GROUPS = ("promoters", "neutrals", "detractors")


class Numpy:
    """The corpus's own arrays, with the day, month and week of each document and the key of each mention."""

    def __init__(self, corpus: Corpus) -> None:
        """Derive once what every question needs; not timed."""
        self.c = corpus
        self.day = (corpus.created // DAY).astype(np.int32)
        days = np.arange(self.day.min(), self.day.max() + 1)
        self.first = int(days[0])
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(int)
        self.month_of = months - months[0]
        self.months = [str(np.datetime64(int(m), "M")) for m in range(months[0], months[-1] + 1)]
        weeks = (days + 3) // 7
        self.week_of = weeks - weeks[0]
        self.weeks = [_week(int(w)) for w in range(weeks[0], weeks[-1] + 1)]
        self.key = corpus.mention_term * 3 + corpus.mention_opinion
        self.labels = [f"w{n:05d}" for n in range(TERMS)]

    def ask(self, name: str) -> list[Answer]:
        """The answer to one question, period by period."""
        return ASK[name](self)

    def month(self, rows: Any = slice(None)) -> Array:
        """The month of documents."""
        found: Array = self.month_of[self.day[rows] - self.first]
        return found

    def distinct(self, kept: Array | None = None) -> tuple[Array, Array]:
        """Documents by key and by term; mentions are unique pairs, sorted by document and key."""
        key, doc = (self.key, self.c.mention_doc) if kept is None else (self.key[kept], self.c.mention_doc[kept])
        counts = np.bincount(key, minlength=TERMS * 3)
        again = (key[1:] // 3 == key[:-1] // 3) & (doc[1:] == doc[:-1])
        return counts, counts.reshape(-1, 3).sum(axis=1) - np.bincount(key[1:][again] // 3, minlength=TERMS)


def _week(week: int) -> str:
    year, number, _ = np.datetime64(week * 7, "D").astype(object).isocalendar()
    return f"{year}-W{number:02d}"


def _scores(code: Array, size: int, nps: Array) -> tuple[Array, Array]:
    cells = np.bincount(code * 12 + (nps + 1), minlength=size * 12).reshape(size, 12)
    count = cells[:, 1:].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100.0 * (cells[:, 10:].sum(axis=1) - cells[:, 1:8].sum(axis=1)) / count, cells.sum(axis=1)


def _best(volume: Array, top: int) -> Array:
    return np.lexsort((np.arange(len(volume)), -volume))[:top]


def _months(self: Numpy) -> list[Answer]:
    value, volume = _scores(self.month(), len(self.months), self.c.nps)
    return [{(m,): (value[i], volume[i]) for i, m in enumerate(self.months)}]


def _store_month(self: Numpy) -> list[Answer]:
    found = []
    wanted = np.isin(np.arange(STORES), SOME_STORES)[self.c.store]
    for low, high in HALVES:
        bounds = np.array([low[:-1], high[:-1]], "datetime64[ms]").astype(np.int64)
        rows = np.flatnonzero(wanted & (self.c.created >= bounds[0]) & (self.c.created <= bounds[1]))
        store = self.c.store[rows].astype(np.int64)
        size = len(self.months)
        value, volume = _scores(store * size + self.month(rows), STORES * size, self.c.nps[rows])
        best = [s for s in _best(np.bincount(store, minlength=STORES), 100) if volume[s * size : (s + 1) * size].any()]
        found.append(
            {
                (f"s{s:03d}", m): (value[s * size + i], volume[s * size + i])
                for s in best
                for i, m in enumerate(self.months)
                if volume[s * size + i]
            }
        )
    return found


def _half(self: Numpy) -> Array:
    return np.flatnonzero((self.c.cents < HALF_CENTS)[self.c.mention_doc])


def _terms_polarity(self: Numpy, kept: Array | None = None) -> list[Answer]:
    counts, volume = self.distinct(kept)
    best = _best(volume, TOP)
    return [{(self.labels[t], o): (counts[t * 3 + o],) * 2 for t in best for o in range(3) if counts[t * 3 + o]}]


def _week_terms(self: Numpy, kept: Array | None = None) -> list[Answer]:
    _, volume = self.distinct(kept)
    best = _best(volume, TOP)
    slot = np.full(TERMS, -1)
    slot[best] = np.arange(len(best))
    place = slot[self.c.mention_term if kept is None else self.c.mention_term[kept]]
    rows = np.flatnonzero(place >= 0)
    mine = rows if kept is None else kept[rows]
    week = self.week_of[self.day[self.c.mention_doc[mine]] - self.first]
    size = len(self.weeks)
    cells = np.bincount((place[rows] * 3 + self.c.mention_opinion[mine]) * size + week, minlength=len(best) * 3 * size)
    cells = cells.reshape(len(best), 3, size)
    return [
        {(self.weeks[w], self.labels[best[p]], o): (cells[p, o, w],) * 2 for p, o, w in np.argwhere(cells).tolist()}
    ]


def _csat(self: Numpy) -> list[Answer]:
    rows = self.c.mention_doc[self.key == TERM * 3 + 1]
    csat = self.c.csat[rows]
    return [{(): (csat[csat >= 0].mean(), len(rows))}]


def _q(self: Numpy) -> list[Answer]:
    wanted = np.zeros(TERMS, np.bool_)
    wanted[[n for n, label in enumerate(self.labels) if Q in label]] = True
    rows = np.flatnonzero(wanted[self.c.mention_term])
    pairs = np.unique(self.c.mention_doc[rows].astype(np.int64) * TERMS + self.c.mention_term[rows])
    term, doc = pairs % TERMS, pairs // TERMS
    value, volume = _scores(term, TERMS, self.c.nps[doc])
    return [{(self.labels[t],): (value[t], volume[t]) for t in _best(volume, 20)}]


def _extremes(self: Numpy) -> list[Answer]:
    size = self.c.documents
    return [{(): (int(self.c.created.min()), size)}, {(): (int(self.c.created.max()), size)}]


def _ranges(self: Numpy) -> list[Answer]:
    edges = np.array([low for _, low, _ in RANGES]) * 100
    place = np.searchsorted(edges, self.c.cents, "right") - 1
    group = np.array([3, *([2] * 7), 1, 1, 0, 0])[self.c.nps + 1]
    cells = np.bincount(place * 4 + group, minlength=len(RANGES) * 4).reshape(-1, 4)
    return [{(r[0], g): (cells[i, j],) * 2 for i, r in enumerate(RANGES) for j, g in enumerate(GROUPS)}]


def _three(self: Numpy) -> list[Answer]:
    store = self.c.store.astype(np.int64)
    best = _best(np.bincount(store, minlength=STORES), 20)
    slot = np.full(STORES, -1)
    slot[best] = np.arange(20)
    rows = np.flatnonzero((slot[store] >= 0) & (self.c.csat >= 0))
    size = len(self.months)
    code = (slot[store[rows]] * size + self.month(rows)) * 6 + self.c.csat[rows]
    volume = np.bincount(code, minlength=20 * size * 6)
    total = np.bincount(code, weights=self.c.cents[rows], minlength=20 * size * 6)
    return [
        {
            (f"s{best[n // 6 // size]:03d}", self.months[n // 6 % size], str(n % 6)): (
                total[n] / 100 / volume[n],
                volume[n],
            )
            for n in np.flatnonzero(volume).tolist()
        }
    ]


def _four(self: Numpy) -> list[Answer]:
    store = self.c.store.astype(np.int64)
    best = _best(np.bincount(store, minlength=STORES), 10)
    slot = np.full(STORES, -1)
    slot[best] = np.arange(10)
    rows = np.flatnonzero((slot[store] >= 0) & (self.c.csat >= 0) & (self.c.nps >= 0))
    nps = self.c.nps[rows]
    year = self.month(rows) // 12
    group = np.array([*([2] * 7), 1, 1, 0, 0])[nps]
    code = ((slot[store[rows]] * 2 + year) * 3 + group) * 6 + self.c.csat[rows]
    value, volume = _scores(code, 10 * 2 * 18, nps)
    return [
        {
            (f"s{best[n // 36]:03d}", str(2024 + n // 18 % 2), GROUPS[n // 6 % 3], str(n % 6)): (value[n], volume[n])
            for n in np.flatnonzero(volume).tolist()
        }
    ]


def _bitmaps(self: Numpy) -> tuple[Array, Array]:
    """The most frequent terms, and a bitmap of the documents of each."""
    _, volume = self.distinct()
    best = _best(volume, PAIR_TOP)
    held = np.zeros((PAIR_TOP, self.c.documents), np.bool_)
    for place, term in enumerate(best):
        held[place, self.c.mention_doc[self.c.mention_term == term]] = True
    return best, np.packbits(held, axis=1)


def _pairs(self: Numpy) -> list[Answer]:
    best, bits = _bitmaps(self)
    found: Answer = {}
    for i, a in enumerate(best):
        for j, b in enumerate(best):
            n = int(np.bitwise_count(bits[i] & bits[j]).sum())
            found[self.labels[a], self.labels[b]] = (n, n)
    return [found]


def _triples(self: Numpy) -> list[Answer]:
    best, bits = _bitmaps(self)
    found: Answer = {}
    for i, j, k in combinations_with_replacement(range(PAIR_TOP), 3):
        n = int(np.bitwise_count(bits[i] & bits[j] & bits[k]).sum())
        found |= {tuple(self.labels[best[p]] for p in places): (n, n) for places in permutations((i, j, k)) if n}
    return [found]


def _amounts(self: Numpy) -> list[Answer]:
    value, volume = _scores(self.c.cents.astype(np.int64), int(self.c.cents.max()) + 1, self.c.nps)
    return [{(f"{cents / 100:g}",): (value[cents], volume[cents]) for cents in _best(volume, AMOUNTS)}]


def _ten_leaves(self: Numpy) -> list[Answer]:
    c = self.c
    held = np.zeros(c.documents, np.bool_)
    held[c.mention_doc[np.isin(self.key, [10, 13]) | (c.mention_term == 11)]] = True
    start = np.datetime64("2024-02-01", "ms").astype(np.int64)
    kept = (c.nps >= 2) & (c.nps != 5) & (c.cents > 1000) & (c.cents <= 18_000) & (c.created >= start)
    kept &= ~np.isin(np.arange(STORES), SOME_STORES[:10])[c.store]
    kept &= (c.csat >= 4) | (c.csat == 1) | held
    rows = np.flatnonzero(kept)
    value, volume = _scores(self.month(rows), len(self.months), c.nps[rows])
    return [{(m,): (value[i], volume[i]) for i, m in enumerate(self.months) if volume[i]}]


ASK: dict[str, Callable[[Numpy], list[Answer]]] = {
    "nps_by_month": _months,
    "nps_by_store_month": _store_month,
    "terms_polarity": _terms_polarity,
    "csat_of_negative_term": _csat,
    "week_terms_polarity": _week_terms,
    "q_nps_by_terms": _q,
    "date_extremes": _extremes,
    "range_by_nps_group": _ranges,
    "terms_polarity_half": lambda self: _terms_polarity(self, _half(self)),
    "week_terms_polarity_half": lambda self: _week_terms(self, _half(self)),
    "three_dimensions": _three,
    "four_dimensions": _four,
    "cooccurrence": _pairs,
    "three_terms": _triples,
    "nps_by_amount": _amounts,
    "ten_leaves": _ten_leaves,
    "terms_polarity_replaced": _terms_polarity,
    "week_terms_polarity_replaced": _week_terms,
}
