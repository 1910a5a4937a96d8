# ruff: noqa: ISC004 -- a statement is one string, however many lines it takes.
"""ClickHouse's answers, through chdb where it is installed: SQL over the same two tables, held in memory."""

import json
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from chdb.session import Session

from aggregating.corpus import Corpus
from aggregating.questions import AMOUNTS, HALF_CENTS, HALVES, PAIR_TOP, RANGES, SOME_STORES, TERM, TOP, Q

Answer = dict[tuple[Any, ...], tuple[Any, int]]

NPS = "100.0 * (countIf(nps >= 9) - countIf(nps BETWEEN 0 AND 6)) / nullIf(countIf(nps >= 0), 0)"
MONTH = "formatDateTime(month, '%Y-%m')"
BY_MONTH = "toStartOfMonth(created) AS month"
GROUP = "multiIf(nps >= 9, 'promoters', nps >= 7, 'neutrals', 'detractors')"
CREATED = "fromUnixTimestamp64Milli(created, 'UTC') AS created"


def _label(column: str, letter: str, digits: int) -> str:
    return f"concat('{letter}', leftPad(toString({column}), {digits}, '0'))"


TERM_LABEL, STORE_LABEL = _label("term", "w", 5), _label("store", "s", 3)


class ClickHouse:
    """An embedded ClickHouse with as many threads as the kernel has."""

    def __init__(self, corpus: Corpus, threads: int) -> None:
        """Load the corpus; not timed."""
        self.session = Session()
        weakref.finalize(self, self.session.close)
        self._ask(f"SET max_threads = {threads}, output_format_json_quote_64bit_integers = 0")
        documents = pl.DataFrame(
            {
                "id": pl.arange(0, corpus.documents, eager=True, dtype=pl.Int32),
                "created": corpus.created,
                "store": corpus.store,
                "nps": corpus.nps,
                "csat": corpus.csat,
                "cents": corpus.cents,
            }
        )
        mentions = pl.DataFrame(
            {"doc": corpus.mention_doc, "term": corpus.mention_term, "opinion": corpus.mention_opinion}
        )
        with tempfile.TemporaryDirectory() as directory:
            self._load("documents", documents, f"* REPLACE ({CREATED})", directory)
            self._load("mentions", mentions, "*", directory)
        self._ask(
            "CREATE TABLE terms ENGINE = Memory AS "
            f"SELECT toInt32(number) AS term, {_label('number', 'w', 5)} AS label FROM numbers(50000)"
        )

    def _load(self, table: str, frame: pl.DataFrame, columns: str, directory: str) -> None:
        path = Path(directory) / f"{table}.parquet"
        frame.write_parquet(path)
        self._ask(f"CREATE TABLE {table} ENGINE = Memory AS SELECT {columns} FROM file('{path}', Parquet)")

    def _ask(self, sql: str) -> list[list[Any]]:
        told = str(self.session.query(sql, "JSONCompact"))
        return list(json.loads(told)["data"]) if told else []

    def ask(self, name: str) -> list[Answer]:
        """The answer to one question, period by period; rows are (key..., value, volume)."""
        return [{tuple(row[:-2]): (row[-2], row[-1]) for row in self._ask(sql)} for sql in SQL[name]()]


def _top(where: str) -> str:
    return f"SELECT term FROM mentions {where} GROUP BY term ORDER BY uniqExact(doc) DESC, term LIMIT {TOP}"


def _filtered(condition: str) -> str:
    return f"WHERE doc IN (SELECT id FROM documents WHERE {condition})" if condition else "WHERE true"


def _terms_polarity(condition: str = "") -> list[str]:
    kept = _filtered(condition)
    return [
        f"SELECT {TERM_LABEL}, opinion, count(), count() FROM mentions {kept} AND term IN ({_top(kept)}) "
        "GROUP BY term, opinion"
    ]


def _week_terms(condition: str = "") -> list[str]:
    kept = _filtered(condition)
    return [
        f"SELECT formatDateTime(week, '%G-W%V'), {TERM_LABEL}, opinion, count(), count() "
        f"FROM (SELECT * FROM mentions {kept} AND term IN ({_top(kept)})) AS m "
        "INNER JOIN (SELECT id, toMonday(created) AS week FROM documents) AS d ON m.doc = d.id "
        "GROUP BY week, term, opinion"
    ]


def _store_month() -> list[str]:
    stores = ",".join(map(str, SOME_STORES))
    found = []
    for low, high in HALVES:
        kept = f"store IN ({stores}) AND created BETWEEN '{_moment(low)}' AND '{_moment(high)}'"
        top = f"SELECT store FROM documents WHERE {kept} GROUP BY store ORDER BY count() DESC, store LIMIT 100"
        found.append(
            f"SELECT {STORE_LABEL}, {MONTH}, {NPS}, count() FROM documents WHERE {kept} AND store IN ({top}) "
            f"GROUP BY store, {BY_MONTH}"
        )
    return found


def _moment(text: str) -> str:
    return text.replace("T", " ").removesuffix("Z")


def _ranges() -> list[str]:
    cases = ", ".join(
        f"cents >= {a * 100} {'' if b is None else f'AND cents < {b * 100}'}, '{name}'" for name, a, b in RANGES
    )
    return [
        f"SELECT multiIf({cases}, '') AS range, {GROUP} AS kind, count(), count() FROM documents WHERE nps >= 0 "
        "GROUP BY range, kind"
    ]


def _ten_leaves() -> list[str]:
    stores = ",".join(map(str, SOME_STORES[:10]))
    kept = (
        f"nps >= 2 AND nps <> 5 AND cents > 1000 AND cents <= 18000 AND store NOT IN ({stores}) "
        "AND created >= '2024-02-01 00:00:00.000' AND (csat IN (4, 5) OR csat = 1 "
        "OR id IN (SELECT doc FROM mentions WHERE term IN (3, 4) AND opinion = 1) "
        "OR id IN (SELECT doc FROM mentions WHERE term = 11))"
    )
    return [f"SELECT {MONTH}, {NPS}, count() FROM documents WHERE {kept} GROUP BY {BY_MONTH}"]


def _pairs() -> list[str]:
    top = f"SELECT term FROM mentions GROUP BY term ORDER BY uniqExact(doc) DESC, term LIMIT {PAIR_TOP}"
    kept = f"(SELECT DISTINCT term, doc FROM mentions WHERE term IN ({top}))"
    return [
        f"SELECT {_label('a.term', 'w', 5)}, {_label('b.term', 'w', 5)}, count(), count() "
        f"FROM {kept} AS a INNER JOIN {kept} AS b ON a.doc = b.doc GROUP BY a.term, b.term"
    ]


def _largest_stores(limit: int) -> str:
    return f"SELECT store FROM documents GROUP BY store ORDER BY count() DESC, store LIMIT {limit}"


def _q() -> list[str]:
    held = f"SELECT DISTINCT term, doc FROM mentions WHERE term IN (SELECT term FROM terms WHERE label LIKE '%{Q}%')"
    top = f"SELECT term FROM ({held}) GROUP BY term ORDER BY count() DESC, term LIMIT 20"
    return [
        f"SELECT {TERM_LABEL}, {NPS}, count() FROM (SELECT * FROM ({held}) WHERE term IN ({top})) AS h "
        "INNER JOIN documents AS d ON h.doc = d.id GROUP BY term"
    ]


def _amounts() -> list[str]:
    return [
        f"SELECT toString(cents / 100), {NPS}, count() FROM documents GROUP BY cents "
        f"ORDER BY count() DESC, cents LIMIT {AMOUNTS}"
    ]


SQL: dict[str, Callable[[], list[str]]] = {
    "nps_by_month": lambda: [f"SELECT {MONTH}, {NPS}, count() FROM documents GROUP BY {BY_MONTH}"],
    "nps_by_store_month": _store_month,
    "terms_polarity": _terms_polarity,
    "csat_of_negative_term": lambda: [
        "SELECT avgIf(csat, csat >= 0), count() FROM documents "
        f"WHERE id IN (SELECT doc FROM mentions WHERE term = {TERM} AND opinion = 1)"
    ],
    "week_terms_polarity": _week_terms,
    "q_nps_by_terms": _q,
    "date_extremes": lambda: [
        "SELECT toUnixTimestamp64Milli(min(created)), count() FROM documents",
        "SELECT toUnixTimestamp64Milli(max(created)), count() FROM documents",
    ],
    "range_by_nps_group": _ranges,
    "terms_polarity_half": lambda: _terms_polarity(f"cents < {HALF_CENTS}"),
    "week_terms_polarity_half": lambda: _week_terms(f"cents < {HALF_CENTS}"),
    "three_dimensions": lambda: [
        f"SELECT {STORE_LABEL}, {MONTH}, toString(csat), sum(cents) / 100 / count(), count() FROM documents "
        f"WHERE csat >= 0 AND store IN ({_largest_stores(20)}) GROUP BY store, {BY_MONTH}, csat"
    ],
    "four_dimensions": lambda: [
        f"SELECT {STORE_LABEL}, toString(toYear(created)) AS year, {GROUP} AS kind, toString(csat), {NPS}, count() "
        f"FROM documents WHERE csat >= 0 AND nps >= 0 AND store IN ({_largest_stores(10)}) "
        "GROUP BY store, year, kind, csat"
    ],
    "cooccurrence": _pairs,
    "nps_by_amount": _amounts,
    "ten_leaves": _ten_leaves,
    "terms_polarity_replaced": _terms_polarity,
    "week_terms_polarity_replaced": _week_terms,
}
