"""Polars' answers: lazy queries over the same two tables."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import polars as pl

from aggregating.corpus import Corpus
from aggregating.questions import AMOUNTS, HALF_CENTS, HALVES, PAIR_TOP, RANGES, SOME_STORES, TERM, TOP, Q

Answer = dict[tuple[Any, ...], tuple[Any, int]]

nps, doc, term = pl.col("nps"), pl.col("doc"), pl.col("term")
NPS = 100.0 * ((nps >= 9).sum().cast(pl.Int64) - ((nps >= 0) & (nps <= 6)).sum().cast(pl.Int64)) / (nps >= 0).sum()
GROUP = (
    pl.when(nps >= 9).then(pl.lit("promoters")).when(nps >= 7).then(pl.lit("neutrals")).otherwise(pl.lit("detractors"))
)
MONTH = pl.col("created").dt.truncate("1mo")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text[:-1])


class Polars:
    """Two data frames in memory."""

    def __init__(self, corpus: Corpus) -> None:
        """Load the corpus; not timed."""
        self.documents = pl.LazyFrame(
            {
                "doc": pl.arange(0, corpus.documents, eager=True, dtype=pl.Int32),
                "created": pl.Series(corpus.created).cast(pl.Datetime("ms")),
                "store": corpus.store,
                "nps": corpus.nps,
                "csat": corpus.csat,
                "cents": corpus.cents,
            }
        )
        self.mentions = pl.LazyFrame(
            {"doc": corpus.mention_doc, "term": corpus.mention_term, "opinion": corpus.mention_opinion}
        )
        self.labels = pl.Series([f"w{n:05d}" for n in range(50_000)])

    def ask(self, name: str) -> list[Answer]:
        """The answer to one question, period by period."""
        return [_answer(frame) for frame in ASK[name](self)]


def _answer(frame: pl.DataFrame) -> Answer:
    return {tuple(row[:-2]): (row[-2], row[-1]) for row in frame.rows()}


def _labelled(frame: pl.LazyFrame, *columns: str, letter: str = "w", width: int = 5) -> pl.LazyFrame:
    return frame.with_columns((pl.lit(letter) + pl.col(c).cast(pl.String).str.zfill(width)).alias(c) for c in columns)


def _best(pairs: pl.LazyFrame, top: int) -> pl.LazyFrame:
    counted = pairs.group_by("term").agg(doc.n_unique().alias("n"))
    return counted.sort(["n", "term"], descending=[True, False]).head(top).select("term")


def _terms_polarity(self: Polars, *, half: bool = False) -> list[pl.DataFrame]:
    pairs = self.mentions
    if half:
        pairs = pairs.join(self.documents.filter(pl.col("cents") < HALF_CENTS).select("doc"), on="doc", how="semi")
    pairs = pairs.collect().lazy() if half else pairs
    found = pairs.join(_best(pairs, TOP), on="term", how="semi").group_by("term", "opinion").agg(pl.len().alias("n"))
    return [_labelled(found, "term").with_columns(volume=pl.col("n")).collect()]


def _week_terms(self: Polars, *, half: bool = False) -> list[pl.DataFrame]:
    documents = self.documents.filter(pl.col("cents") < HALF_CENTS) if half else self.documents
    pairs = (
        self.mentions.join(documents.select("doc"), on="doc", how="semi").collect().lazy() if half else self.mentions
    )
    kept = pairs.join(_best(pairs, TOP), on="term", how="semi").join(documents.select("doc", "created"), on="doc")
    found = kept.group_by(pl.col("created").dt.truncate("1w").alias("week"), "term", "opinion").agg(pl.len().alias("n"))
    return [_labelled(found, "term").with_columns(pl.col("week").dt.strftime("%G-W%V"), volume=pl.col("n")).collect()]


def _store_month(self: Polars) -> list[pl.DataFrame]:
    found = []
    for low, high in HALVES:
        inside = pl.col("created").is_between(_moment(low), _moment(high)) & pl.col("store").is_in(list(SOME_STORES))
        kept = self.documents.filter(inside)
        best = kept.group_by("store").len().sort(["len", "store"], descending=[True, False]).head(100)
        told = kept.join(best, on="store", how="semi").group_by("store", MONTH).agg(NPS.alias("v"), pl.len())
        month = pl.col("created").dt.strftime("%Y-%m")
        found.append(_labelled(told, "store", letter="s", width=3).with_columns(month).collect())
    return found


def _ranges(self: Polars) -> list[pl.DataFrame]:
    cents = pl.col("cents")
    name: Any = pl
    for n, low, high in RANGES:
        inside = cents >= low * 100 if high is None else (cents >= low * 100) & (cents < high * 100)
        name = name.when(inside).then(pl.lit(n))
    kept = self.documents.filter(nps >= 0)
    return [kept.group_by(name.alias("range"), GROUP.alias("kind")).agg(pl.len().alias("v"), pl.len()).collect()]


def _q(self: Polars) -> list[pl.DataFrame]:
    wanted = self.labels.str.contains(Q, literal=True).arg_true().cast(pl.Int32)
    held = self.mentions.filter(term.is_in(wanted.implode())).select("term", "doc").unique().collect().lazy()
    kept = held.join(_best(held, 20), on="term", how="semi").join(self.documents, on="doc")
    return [_labelled(kept.group_by("term").agg(NPS.alias("v"), pl.len()), "term").collect()]


def _three(self: Polars) -> list[pl.DataFrame]:
    best = self.documents.group_by("store").len().sort(["len", "store"], descending=[True, False]).head(20)
    kept = self.documents.filter(pl.col("csat") >= 0).join(best, on="store", how="semi")
    average = pl.col("cents").sum() / 100 / pl.len()
    told = kept.group_by("store", MONTH, "csat").agg(average.alias("v"), pl.len())
    words = [pl.col("created").dt.strftime("%Y-%m"), pl.col("csat").cast(pl.String)]
    return [_labelled(told, "store", letter="s", width=3).with_columns(words).collect()]


def _four(self: Polars) -> list[pl.DataFrame]:
    best = self.documents.group_by("store").len().sort(["len", "store"], descending=[True, False]).head(10)
    kept = self.documents.filter((pl.col("csat") >= 0) & (nps >= 0)).join(best, on="store", how="semi")
    year = pl.col("created").dt.year().alias("year")
    told = kept.group_by("store", year, GROUP.alias("kind"), "csat").agg(NPS.alias("v"), pl.len())
    words = [pl.col("year").cast(pl.String), pl.col("csat").cast(pl.String)]
    return [_labelled(told, "store", letter="s", width=3).with_columns(words).collect()]


def _pairs(self: Polars) -> list[pl.DataFrame]:
    best = _best(self.mentions, PAIR_TOP)
    held = self.mentions.join(best, on="term", how="semi").select("term", "doc").unique().collect().lazy()
    both = held.join(held, on="doc", suffix="_b").group_by("term", "term_b").agg(pl.len().alias("v"))
    return [_labelled(both, "term", "term_b").with_columns(volume=pl.col("v")).collect()]


def _amounts(self: Polars) -> list[pl.DataFrame]:
    told = self.documents.group_by("cents").agg(NPS.alias("v"), pl.len())
    best = told.sort(["len", "cents"], descending=[True, False]).head(AMOUNTS)
    amount = (pl.col("cents") / 100).round(2).cast(pl.String).str.strip_suffix(".0")
    return [best.with_columns(amount).collect()]


def _ten_leaves(self: Polars) -> list[pl.DataFrame]:
    m = self.mentions.filter((term.is_in([3, 4]) & (pl.col("opinion") == 1)) | (term == 11)).select("doc").unique()
    held = m.collect()["doc"]
    csat = pl.col("csat")
    kept = self.documents.filter(
        (nps >= 2) & (nps != 5) & (pl.col("cents") > 1000) & (pl.col("cents") <= 18_000)
        & ~pl.col("store").is_in(list(SOME_STORES[:10])) & (pl.col("created") >= _moment("2024-02-01Z"))
        & (csat.is_in([4, 5]) | (csat == 1) | doc.is_in(held.implode()))
    )  # fmt: skip
    told = kept.group_by(MONTH).agg(NPS.alias("v"), pl.len())
    return [told.with_columns(pl.col("created").dt.strftime("%Y-%m")).collect()]


def _csat(self: Polars) -> list[pl.DataFrame]:
    held = self.mentions.filter((term == TERM) & (pl.col("opinion") == 1)).select("doc")
    kept = self.documents.join(held, on="doc", how="semi")
    return [kept.select(pl.col("csat").filter(pl.col("csat") >= 0).mean().alias("v"), pl.len()).collect()]


def _extremes(self: Polars) -> list[pl.DataFrame]:
    created = pl.col("created").cast(pl.Int64)
    return [self.documents.select(e, pl.len()).collect() for e in (created.min(), created.max())]


def _months(self: Polars) -> list[pl.DataFrame]:
    told = self.documents.group_by(MONTH).agg(NPS.alias("v"), pl.len())
    return [told.with_columns(pl.col("created").dt.strftime("%Y-%m")).collect()]


ASK: dict[str, Callable[[Polars], list[pl.DataFrame]]] = {
    "nps_by_month": _months,
    "nps_by_store_month": _store_month,
    "terms_polarity": _terms_polarity,
    "csat_of_negative_term": _csat,
    "week_terms_polarity": _week_terms,
    "q_nps_by_terms": _q,
    "date_extremes": _extremes,
    "range_by_nps_group": _ranges,
    "terms_polarity_half": lambda self: _terms_polarity(self, half=True),
    "week_terms_polarity_half": lambda self: _week_terms(self, half=True),
    "three_dimensions": _three,
    "four_dimensions": _four,
    "cooccurrence": _pairs,
    "nps_by_amount": _amounts,
    "ten_leaves": _ten_leaves,
    "terms_polarity_replaced": _terms_polarity,
    "week_terms_polarity_replaced": _week_terms,
}
