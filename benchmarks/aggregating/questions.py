"""The questions, each asked as the interface's requests; the rivals answer the same in their own words."""

from dataclasses import dataclass
from typing import Any

HALVES = (
    ("2024-01-01T00:00:00.000Z", "2024-12-31T23:59:59.999Z"),
    ("2025-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z"),
)
SOME_STORES = tuple(range(1, 300, 6))
HALF_CENTS = 10_000
Q = "123"
TERM = 7
RANGES = (("a", 0, 10), ("b", 10, 50), ("c", 50, 100), ("d", 100, 150), ("e", 150, None))
TOP = 100
PAIR_TOP = 20
AMOUNTS = 20

MONTH = {"field": "createdAt", "group": "MONTH"}
WEEK = {"field": "createdAt", "group": "WEEK"}
TERMS = {"field": "TERMS", "group": "POLARITY_ALL", "limit": TOP}
NPS_GROUP = {"field": "metadata.nps", "group": "NPS_GROUP"}
CHEAP = {"field": "metadata.amount", "operator": "LT", "value": HALF_CENTS / 100}


def leaf(field: str, operator: str, value: Any, **more: Any) -> dict[str, Any]:
    """One condition."""
    return {"field": field, "operator": operator, "value": value} | more


def term(code: int) -> str:
    """The id of a term."""
    return f"w{code:05d}__NOUN__1"


TEN_LEAVES = {
    "operator": "AND",
    "criteria": [
        leaf("metadata.nps", "GTE", 2),
        leaf("metadata.nps", "NEQ", 5),
        leaf("metadata.amount", "GT", 10),
        leaf("metadata.amount", "LTE", 180),
        leaf("metadata.store", "NIN", [f"s{n:03d}" for n in SOME_STORES[:10]]),
        leaf("createdAt", "GTE", "2024-02-01T00:00:00.000Z"),
        {
            "operator": "OR",
            "criteria": [
                leaf("metadata.csat", "IN", [4, 5]),
                leaf("metadata.csat", "EQ", 1),
                leaf("TERMS", "IN", [term(3), term(4)], opinion="NEGATIVE"),
                leaf("TERMS", "EQ", term(11)),
            ],
        },
    ],
}


@dataclass(frozen=True)
class Question:
    """A name, the requests that ask it, q, and whether it is one of the hard ones, or asked after replacements.

    `without`: the rivals that are not asked, since their joins would hold every combination in memory.
    """

    name: str
    requests: tuple[dict[str, Any], ...]
    q: str | None = None
    hard: bool = False
    replaced: bool = False
    without: frozenset[str] = frozenset()


def ask(field: str, operation: str, *dimensions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One request."""
    return {"field": field, "type": operation, "dimensions": list(dimensions)} | more


STORE = {"field": "metadata.store", "group": "DISTINCT"}
TWO_PERIODS = [{"field": "createdAt", "from": low, "to": high} for low, high in HALVES]
COUNT_TERMS = ask("TERMS", "COUNT", TERMS)
WEEK_TERMS = ask("TERMS", "COUNT", WEEK, TERMS)
PAIRS = {"field": "TERMS", "group": "DISTINCT", "limit": PAIR_TOP}
STORES_IN = leaf("metadata.store", "IN", [f"s{n:03d}" for n in SOME_STORES])

QUESTIONS = (
    Question("nps_by_month", (ask("metadata.nps", "NPS", MONTH),)),
    Question(
        "nps_by_store_month",
        (ask("metadata.nps", "NPS", STORE | {"limit": 100}, MONTH, periods=TWO_PERIODS, query=STORES_IN),),
    ),
    Question("terms_polarity", (COUNT_TERMS,)),
    Question(
        "csat_of_negative_term",
        (ask("metadata.csat", "CSAT", query=leaf("TERMS", "IN", [term(TERM)], opinion="NEGATIVE")),),
    ),
    Question("week_terms_polarity", (WEEK_TERMS,)),
    Question("q_nps_by_terms", (ask("metadata.nps", "NPS", {"field": "TERMS", "group": "DISTINCT"}),), q=Q),
    Question("date_extremes", (ask("createdAt", "MIN"), ask("createdAt", "MAX"))),
    Question(
        "range_by_nps_group",
        (
            ask(
                "metadata.amount",
                "COUNT",
                {
                    "field": "metadata.amount",
                    "group": "RANGE",
                    "ranges": [{"name": n, "min": a, "max": b} for n, a, b in RANGES],
                },
                NPS_GROUP,
            ),
        ),
    ),
    Question("terms_polarity_half", (COUNT_TERMS | {"query": CHEAP},), hard=True),
    Question("week_terms_polarity_half", (WEEK_TERMS | {"query": CHEAP},), hard=True),
    Question(
        "three_dimensions",
        (ask("metadata.amount", "AVG", STORE, MONTH, {"field": "metadata.csat", "group": "DISTINCT"}),),
        hard=True,
    ),
    Question(
        "four_dimensions",
        (
            ask(
                "metadata.nps",
                "NPS",
                STORE | {"limit": 10},
                {"field": "createdAt", "group": "YEAR"},
                NPS_GROUP,
                {"field": "metadata.csat", "group": "DISTINCT"},
            ),
        ),
        hard=True,
    ),
    Question("cooccurrence", (ask("TERMS", "COUNT", PAIRS, PAIRS),), hard=True),
    Question("ten_leaves", (ask("metadata.nps", "NPS", MONTH, query=TEN_LEAVES),), hard=True),
    Question("terms_polarity_replaced", (COUNT_TERMS,), hard=True, replaced=True),
    Question("week_terms_polarity_replaced", (WEEK_TERMS,), hard=True, replaced=True),
)

FURTHER: tuple[Question, ...] = (
    Question(
        "three_terms",
        (ask("TERMS", "COUNT", PAIRS, PAIRS, PAIRS),),
        hard=True,
        without=frozenset({"clickhouse", "polars", "pandas"}),
    ),
    Question(
        "nps_by_amount",
        (ask("metadata.nps", "NPS", {"field": "metadata.amount", "group": "DISTINCT", "limit": AMOUNTS}),),
        hard=True,
    ),
)
"""Hard ones that are asked only when asked for, so that figures stay comparable with those of earlier versions."""
