# ruff: noqa: ISC004 -- a statement is one string, however many lines it takes.
"""DuckDB's answers: SQL over a table of documents and one of mentions, codes as integers, as it likes them best."""

from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl

from aggregating.corpus import Corpus
from aggregating.questions import AMOUNTS, HALF_CENTS, HALVES, PAIR_TOP, RANGES, SOME_STORES, TERM, TOP, Q

Answer = dict[tuple[Any, ...], tuple[Any, int]]

NPS = (
    "100.0 * (count(*) FILTER (nps >= 9) - count(*) FILTER (nps BETWEEN 0 AND 6)) "
    "/ nullif(count(*) FILTER (nps >= 0), 0)"
)
MONTH = "strftime(created, '%Y-%m')"
WEEK = "strftime(created, '%G-W%V')"
GROUP = "CASE WHEN nps >= 9 THEN 'promoters' WHEN nps >= 7 THEN 'neutrals' ELSE 'detractors' END"
POLARITY = ("positive", "negative", "neutral")


class DuckDB:
    """An in-memory DuckDB with as many threads as the kernel has."""

    def __init__(self, corpus: Corpus, threads: int) -> None:
        """Load the corpus; not timed."""
        self.db = duckdb.connect(config={"threads": threads})
        documents = pl.DataFrame(  # noqa: F841 -- DuckDB finds it by its name
            {
                "id": pl.arange(0, corpus.documents, eager=True, dtype=pl.Int32),
                "created": pl.Series(corpus.created).cast(pl.Datetime("ms")),
                "store": corpus.store,
                "nps": corpus.nps,
                "csat": corpus.csat,
                "cents": corpus.cents,
            }
        )
        mentions = pl.DataFrame(  # noqa: F841 -- DuckDB finds it by its name
            {"doc": corpus.mention_doc, "term": corpus.mention_term, "opinion": corpus.mention_opinion}
        )
        self.db.execute("CREATE TABLE documents AS SELECT * FROM documents")
        self.db.execute("CREATE TABLE mentions AS SELECT * FROM mentions")
        self.db.execute("CREATE TABLE terms AS SELECT n AS term, format('w{:05d}', n) AS label FROM range(50000) t(n)")

    def ask(self, name: str) -> list[Answer]:
        """The answer to one question, period by period; rows are (key..., value, volume)."""
        return [_answer(self.db.execute(sql).fetchall()) for sql in SQL[name]()]


def _answer(rows: list[tuple[Any, ...]]) -> Answer:
    return {tuple(row[:-2]): (row[-2], row[-1]) for row in rows}


def _top(where: str = "") -> str:
    return f"SELECT term FROM mentions {where} GROUP BY term ORDER BY count(DISTINCT doc) DESC, term LIMIT {TOP}"


def _terms_polarity(filtered: str = "") -> list[str]:
    join = f"JOIN documents ON doc = id WHERE {filtered}" if filtered else ""
    return [
        f"WITH pairs AS (SELECT term, opinion, doc FROM mentions {join}), "
        "volume AS (SELECT term, count(DISTINCT doc) AS n FROM pairs GROUP BY term), "
        f"top AS (SELECT term FROM volume ORDER BY n DESC, term LIMIT {TOP}) "
        "SELECT format('w{:05d}', term), opinion, count(*), count(*) FROM pairs SEMI JOIN top USING (term) GROUP BY ALL"
    ]


def _week_terms(filtered: str = "") -> list[str]:
    where = f"WHERE {filtered}" if filtered else ""
    return [
        f"WITH pairs AS (SELECT term, opinion, doc, created FROM mentions JOIN documents ON doc = id {where}), "
        "volume AS (SELECT term, count(DISTINCT doc) AS n FROM pairs GROUP BY term), "
        f"top AS (SELECT term FROM volume ORDER BY n DESC, term LIMIT {TOP}), "
        "counted AS (SELECT date_trunc('week', created) AS week, term, opinion, count(*) AS n "
        "FROM pairs SEMI JOIN top USING (term) GROUP BY ALL) "
        "SELECT strftime(week, '%G-W%V'), format('w{:05d}', term), opinion, n, n FROM counted"
    ]


def _store_month() -> list[str]:
    stores = ",".join(map(str, SOME_STORES))
    found = []
    for low, high in HALVES:
        kept = f"store IN ({stores}) AND created BETWEEN '{low[:-1]}' AND '{high[:-1]}'"
        found.append(
            f"WITH kept AS (SELECT * FROM documents WHERE {kept}), "
            "top AS (SELECT store FROM kept GROUP BY store ORDER BY count(*) DESC, store LIMIT 100) "
            f"SELECT format('s{{:03d}}', store), {MONTH} AS month, {NPS}, count(*) "
            "FROM (SELECT store, date_trunc('month', created) AS created, nps FROM kept SEMI JOIN top USING (store)) "
            "GROUP BY store, created"
        )
    return found


def _ranges() -> list[str]:
    cases = " ".join(
        f"WHEN cents >= {a * 100} {'' if b is None else f'AND cents < {b * 100}'} THEN '{n}'" for n, a, b in RANGES
    )
    return [
        f"SELECT CASE {cases} END AS range, {GROUP} AS kind, count(*), count(*) FROM documents WHERE nps >= 0 "
        "GROUP BY range, kind"
    ]


def _ten_leaves() -> list[str]:
    stores = ",".join(map(str, SOME_STORES[:10]))
    kept = (
        f"nps >= 2 AND nps <> 5 AND cents > 1000 AND cents <= 18000 AND store NOT IN ({stores}) "
        "AND created >= '2024-02-01' AND (csat IN (4, 5) OR csat = 1 "
        "OR id IN (SELECT doc FROM mentions WHERE term IN (3, 4) AND opinion = 1) "
        "OR id IN (SELECT doc FROM mentions WHERE term = 11))"
    )
    return [f"SELECT {MONTH}, {NPS}, count(*) FROM documents WHERE {kept} GROUP BY ALL"]


def _pairs() -> list[str]:
    return [
        "WITH held AS (SELECT DISTINCT term, doc FROM mentions), "
        f"top AS (SELECT term FROM held GROUP BY term ORDER BY count(*) DESC, term LIMIT {PAIR_TOP}), "
        "kept AS (SELECT term, doc FROM held SEMI JOIN top USING (term)) "
        "SELECT format('w{:05d}', a.term), format('w{:05d}', b.term), count(*), count(*) "
        "FROM kept a JOIN kept b USING (doc) GROUP BY a.term, b.term"
    ]


def _triples() -> list[str]:
    labels = ", ".join(f"format('w{{:05d}}', {table}.term)" for table in "abc")
    return [
        "WITH held AS (SELECT DISTINCT term, doc FROM mentions), "
        f"top AS (SELECT term FROM held GROUP BY term ORDER BY count(*) DESC, term LIMIT {PAIR_TOP}), "
        "kept AS (SELECT term, doc FROM held SEMI JOIN top USING (term)) "
        f"SELECT {labels}, count(*), count(*) "
        "FROM kept a JOIN kept b USING (doc) JOIN kept c USING (doc) GROUP BY a.term, b.term, c.term"
    ]


def _amounts() -> list[str]:
    return [
        f"SELECT format('{{:g}}', cents / 100), {NPS}, count(*) FROM documents GROUP BY cents "
        f"ORDER BY count(*) DESC, cents LIMIT {AMOUNTS}"
    ]


SQL: dict[str, Callable[[], list[str]]] = {
    "nps_by_month": lambda: [
        f"SELECT {MONTH}, {NPS}, count(*) FROM (SELECT date_trunc('month', created) AS created, nps FROM documents) "
        "GROUP BY created"
    ],
    "nps_by_store_month": _store_month,
    "terms_polarity": _terms_polarity,
    "csat_of_negative_term": lambda: [
        "SELECT avg(csat) FILTER (csat >= 0), count(*) FROM documents "
        f"WHERE id IN (SELECT doc FROM mentions WHERE term = {TERM} AND opinion = 1)"
    ],
    "week_terms_polarity": _week_terms,
    "q_nps_by_terms": lambda: [
        "WITH held AS (SELECT DISTINCT term, doc FROM mentions "
        f"WHERE term IN (SELECT term FROM terms WHERE label LIKE '%{Q}%')), "
        "top AS (SELECT term FROM held GROUP BY term ORDER BY count(*) DESC, term LIMIT 20) "
        f"SELECT format('w{{:05d}}', term), {NPS}, count(*) "
        "FROM held SEMI JOIN top USING (term) JOIN documents ON doc = id GROUP BY term"
    ],
    "date_extremes": lambda: [
        "SELECT epoch_ms(min(created)), count(*) FROM documents",
        "SELECT epoch_ms(max(created)), count(*) FROM documents",
    ],
    "range_by_nps_group": _ranges,
    "terms_polarity_half": lambda: _terms_polarity(f"cents < {HALF_CENTS}"),
    "week_terms_polarity_half": lambda: _week_terms(f"cents < {HALF_CENTS}"),
    "three_dimensions": lambda: [
        "WITH top AS (SELECT store FROM documents GROUP BY store ORDER BY count(*) DESC, store LIMIT 20) "
        f"SELECT format('s{{:03d}}', store), {MONTH}, csat::VARCHAR, sum(cents) / 100 / count(*), count(*) "
        "FROM (SELECT store, date_trunc('month', created) AS created, csat, cents FROM documents "
        "SEMI JOIN top USING (store) "
        "WHERE csat >= 0) GROUP BY store, created, csat"
    ],
    "four_dimensions": lambda: [
        "WITH top AS (SELECT store FROM documents GROUP BY store ORDER BY count(*) DESC, store LIMIT 10) "
        f"SELECT format('s{{:03d}}', store), year(created)::VARCHAR, {GROUP}, csat::VARCHAR, {NPS}, count(*) "
        "FROM documents SEMI JOIN top USING (store) WHERE csat >= 0 AND nps >= 0 GROUP BY ALL"
    ],
    "cooccurrence": _pairs,
    "three_terms": _triples,
    "nps_by_amount": _amounts,
    "ten_leaves": _ten_leaves,
    "terms_polarity_replaced": _terms_polarity,
    "week_terms_polarity_replaced": _week_terms,
}
