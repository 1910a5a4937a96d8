"""Pandas' answers: group-bys and merges over the same two tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from aggregating.corpus import Corpus
from aggregating.questions import AMOUNTS, HALF_CENTS, HALVES, PAIR_TOP, RANGES, SOME_STORES, TERM, TOP, Q

Answer = dict[tuple[Any, ...], tuple[Any, int]]
Frame = pd.DataFrame


class Pandas:
    """Two data frames in memory; a document's number is its place."""

    def __init__(self, corpus: Corpus) -> None:
        """Load the corpus; not timed."""
        self.d = Frame(
            {
                "created": corpus.created.astype("datetime64[ms]"),
                "store": corpus.store,
                "nps": corpus.nps,
                "csat": corpus.csat,
                "cents": corpus.cents,
            }
        )
        self.m = Frame({"doc": corpus.mention_doc, "term": corpus.mention_term, "opinion": corpus.mention_opinion})
        self.labels = pd.Series([f"w{n:05d}" for n in range(50_000)])

    def ask(self, name: str) -> list[Answer]:
        """The answer to one question, period by period."""
        return ASK[name](self)


def _month(frame: Frame) -> Any:
    return frame["created"].to_numpy().astype("datetime64[M]").astype(np.int32)


def _week(frame: Frame) -> Any:
    return (frame["created"].to_numpy().astype("datetime64[D]").astype(np.int64) + 3) // 7


def _month_name(month: int) -> str:
    return str(np.datetime64(int(month), "M"))


def _week_name(week: int) -> str:
    year, number, _ = np.datetime64(int(week) * 7, "D").astype(object).isocalendar()
    return f"{year}-W{number:02d}"


def _group(nps: "pd.Series[Any]") -> Any:
    return np.select([nps >= 9, nps >= 7], ["promoters", "neutrals"], "detractors")


def _scores(frame: Frame, keys: list[Any]) -> Frame:
    nps = frame["nps"]
    told = Frame({"p": nps >= 9, "d": (nps >= 0) & (nps <= 6), "n": nps >= 0}, index=frame.index)
    sums = told.groupby(keys, observed=True).agg({"p": "sum", "d": "sum", "n": ["sum", "size"]})
    sums.columns = pd.Index(["p", "d", "n", "volume"])
    return sums.assign(value=100.0 * (sums["p"] - sums["d"]) / sums["n"])


def _best(counts: "pd.Series[Any]", top: int) -> Any:
    frame = counts.rename("n").rename_axis("key").reset_index()
    return frame.sort_values(["n", "key"], ascending=[False, True])["key"].head(top)


def _volume(pairs: Frame) -> "pd.Series[Any]":
    return pairs.drop_duplicates(["doc", "term"]).groupby("term").size()


def _months(self: Pandas) -> list[Answer]:
    told = _scores(self.d, [_month(self.d)])
    return [{(_month_name(m),): (v, n) for m, v, n in zip(told.index, told["value"], told["volume"], strict=True)}]


def _store_month(self: Pandas) -> list[Answer]:
    found = []
    for low, high in HALVES:
        inside = self.d["created"].between(pd.Timestamp(low[:-1]), pd.Timestamp(high[:-1]))
        kept = self.d[inside & self.d["store"].isin(SOME_STORES)]
        kept = kept[kept["store"].isin(_best(kept.groupby("store").size(), 100))]
        told = _scores(kept, [kept["store"].to_numpy(), _month(kept)])
        rows = zip(told.index, told["value"], told["volume"], strict=True)
        found.append({(f"s{s:03d}", _month_name(m)): (v, n) for (s, m), v, n in rows})
    return found


def _mentions(self: Pandas, *, half: bool) -> Frame:
    return self.m[(self.d["cents"] < HALF_CENTS).to_numpy()[self.m["doc"]]] if half else self.m


def _terms_polarity(self: Pandas, *, half: bool = False) -> list[Answer]:
    pairs = _mentions(self, half=half)
    kept = pairs[pairs["term"].isin(_best(_volume(pairs), TOP))]
    told = kept.groupby(["term", "opinion"]).size()
    return [{(f"w{t:05d}", o): (n, n) for (t, o), n in zip(told.index, told, strict=True)}]


def _week_terms(self: Pandas, *, half: bool = False) -> list[Answer]:
    pairs = _mentions(self, half=half)
    kept = pairs[pairs["term"].isin(_best(_volume(pairs), TOP))]
    week = _week(self.d)[kept["doc"]]
    told = kept.groupby([week, kept["term"].to_numpy(), kept["opinion"].to_numpy()]).size()
    weeks = {w: _week_name(w) for w in np.unique(week)}
    return [{(weeks[w], f"w{t:05d}", o): (n, n) for (w, t, o), n in zip(told.index, told, strict=True)}]


def _csat(self: Pandas) -> list[Answer]:
    held = self.m.loc[(self.m["term"] == TERM) & (self.m["opinion"] == 1), "doc"]
    csat = self.d["csat"].take(held.to_numpy())
    return [{(): (csat[csat >= 0].mean(), len(csat))}]


def _q(self: Pandas) -> list[Answer]:
    wanted = self.labels.index[self.labels.str.contains(Q, regex=False)]
    held = self.m[self.m["term"].isin(wanted)].drop_duplicates(["doc", "term"])
    held = held[held["term"].isin(_best(held.groupby("term").size(), 20))]
    told = _scores(self.d.take(held["doc"].to_numpy()), [held["term"].to_numpy()])
    return [{(f"w{t:05d}",): (v, n) for t, v, n in zip(told.index, told["value"], told["volume"], strict=True)}]


def _extremes(self: Pandas) -> list[Answer]:
    created = self.d["created"]
    found = (created.min(), created.max())
    return [{(): (round(f.timestamp() * 1000), len(created))} for f in found]


def _ranges(self: Pandas) -> list[Answer]:
    kept = self.d[self.d["nps"] >= 0]
    edges = [low * 100 for _, low, _ in RANGES]
    place = np.searchsorted(edges, kept["cents"], "right") - 1
    told = kept.groupby([place, _group(kept["nps"])]).size()
    return [{(RANGES[p][0], g): (n, n) for (p, g), n in zip(told.index, told, strict=True)}]


def _three(self: Pandas) -> list[Answer]:
    best = _best(self.d.groupby("store").size(), 20)
    kept = self.d[self.d["store"].isin(best) & (self.d["csat"] >= 0)]
    keys = [kept["store"].to_numpy(), _month(kept), kept["csat"].to_numpy()]
    told = kept["cents"].astype(np.int64).groupby(keys).agg(["sum", "size"])
    rows = zip(told.index, told["sum"], told["size"], strict=True)
    return [{(f"s{s:03d}", _month_name(m), str(c)): (total / 100 / n, n) for (s, m, c), total, n in rows}]


def _four(self: Pandas) -> list[Answer]:
    best = _best(self.d.groupby("store").size(), 10)
    kept = self.d[self.d["store"].isin(best) & (self.d["csat"] >= 0) & (self.d["nps"] >= 0)]
    keys = [kept["store"].to_numpy(), kept["created"].dt.year.to_numpy(), _group(kept["nps"]), kept["csat"].to_numpy()]
    told = _scores(kept, keys)
    rows = zip(told.index, told["value"], told["volume"], strict=True)
    return [{(f"s{s:03d}", str(y), g, str(c)): (v, n) for (s, y, g, c), v, n in rows}]


def _pairs(self: Pandas) -> list[Answer]:
    held = self.m.drop_duplicates(["doc", "term"])
    held = held.loc[held["term"].isin(_best(held.groupby("term").size(), PAIR_TOP)), ["doc", "term"]]
    told = held.merge(held, on="doc").groupby(["term_x", "term_y"]).size()
    return [{(f"w{a:05d}", f"w{b:05d}"): (n, n) for (a, b), n in zip(told.index, told, strict=True)}]


def _amounts(self: Pandas) -> list[Answer]:
    best = _best(self.d.groupby("cents").size(), AMOUNTS)
    kept = self.d[self.d["cents"].isin(best)]
    told = _scores(kept, [kept["cents"]])
    rows = zip(told.index, told["value"], told["volume"], strict=True)
    return [{(f"{cents / 100:g}",): (v, n) for cents, v, n in rows}]


def _ten_leaves(self: Pandas) -> list[Answer]:
    d, m = self.d, self.m
    held = m.loc[(m["term"].isin([3, 4]) & (m["opinion"] == 1)) | (m["term"] == 11), "doc"].unique()
    marked = np.zeros(len(d), np.bool_)
    marked[held] = True
    kept = d[
        (d["nps"] >= 2) & (d["nps"] != 5) & (d["cents"] > 1000) & (d["cents"] <= 18_000)
        & ~d["store"].isin(SOME_STORES[:10]) & (d["created"] >= pd.Timestamp("2024-02-01"))
        & (d["csat"].isin([4, 5]) | (d["csat"] == 1) | marked)
    ]  # fmt: skip
    told = _scores(kept, [_month(kept)])
    return [{(_month_name(m),): (v, n) for m, v, n in zip(told.index, told["value"], told["volume"], strict=True)}]


ASK: dict[str, Callable[[Pandas], list[Answer]]] = {
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
