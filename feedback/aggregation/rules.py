"""What may be asked: the one table that validation, the kernel's choices, the documentation and the tests all read."""

from collections.abc import Sequence
from enum import StrEnum

from feedback.domain.fields import ENRICHED, NUMERIC, SCORES, Field, Kind

MAX_DIMENSIONS = 4
MAX_PERIODS = 50
MAX_ITEMS = 100_000
DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MIN_Q = 2

PROMOTER = 9
DETRACTOR = 6


class Operation(StrEnum):
    """What is computed over the documents of a combination."""

    COUNT = "COUNT"
    SUM = "SUM"
    AVG = "AVG"
    MAX = "MAX"
    MIN = "MIN"
    NPS = "NPS"
    CSAT = "CSAT"
    CES = "CES"


class Grouping(StrEnum):
    """How a field splits documents into the values of a dimension."""

    DISTINCT = "DISTINCT"
    RANGE = "RANGE"
    NPS_GROUP = "NPS_GROUP"
    YEAR = "YEAR"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    POLARITY_ALL = "POLARITY_ALL"
    POLARITY_POSITIVE = "POLARITY_POSITIVE"
    POLARITY_NEGATIVE = "POLARITY_NEGATIVE"
    POLARITY_NEUTRAL = "POLARITY_NEUTRAL"
    POSITIVE = "POSITIVE"
    NEGATIVE = "NEGATIVE"
    NEUTRAL = "NEUTRAL"


_ORDERED = NUMERIC | {Kind.DATETIME}

OPERATIONS: dict[Operation, frozenset[Kind]] = {
    Operation.COUNT: frozenset(Kind) - {Kind.POLARITY},
    Operation.SUM: NUMERIC,
    Operation.AVG: NUMERIC,
    Operation.MAX: _ORDERED,
    Operation.MIN: _ORDERED,
    Operation.NPS: frozenset({Kind.NPS}),
    Operation.CSAT: frozenset({Kind.CSAT}),
    Operation.CES: frozenset({Kind.CES}),
}
"""Operation x kind of the aggregated field. COUNT of a String also needs declared allowed values."""

TIMES = frozenset({Grouping.YEAR, Grouping.MONTH, Grouping.WEEK, Grouping.DAY})
POLARITIES: dict[Grouping, tuple[int, ...]] = {
    Grouping.POLARITY_ALL: (0, 1, 2),
    Grouping.POLARITY_POSITIVE: (0,),
    Grouping.POLARITY_NEGATIVE: (1,),
    Grouping.POLARITY_NEUTRAL: (2,),
}
"""Groups of terms in a context, with the places of their opinions in a posting's key."""
OPINIONS: dict[Grouping, tuple[int, ...]] = {
    Grouping.DISTINCT: (0, 1, 2),
    Grouping.POSITIVE: (0,),
    Grouping.NEGATIVE: (1,),
    Grouping.NEUTRAL: (2,),
}
"""Groups of TERMS_POLARITY."""

_LISTED = frozenset({Kind.STRING, Kind.CATEGORY, Kind.IDENTIFIER, Kind.BOOLEAN, Kind.POLARITY})

GROUPS: dict[Grouping, frozenset[Kind]] = {
    Grouping.DISTINCT: NUMERIC | ENRICHED | _LISTED,
    Grouping.RANGE: (SCORES - {Kind.NPS}) | {Kind.NUMBER},
    Grouping.NPS_GROUP: frozenset({Kind.NPS}),
    **dict.fromkeys(TIMES, frozenset({Kind.DATETIME})),
    **dict.fromkeys(POLARITIES, ENRICHED),
    **dict.fromkeys((Grouping.POSITIVE, Grouping.NEGATIVE, Grouping.NEUTRAL), frozenset({Kind.POLARITY})),
}
"""Group x kind of the dimension's field."""

LABELS: dict[Grouping, str] = {
    Grouping.DISTINCT: "the value of the field, as a string",
    Grouping.RANGE: "the name of the range",
    Grouping.NPS_GROUP: "promoters, neutrals or detractors",
    Grouping.YEAR: "a four-digit year: 2026",
    Grouping.MONTH: "year and month: 2026-01",
    Grouping.WEEK: "ISO 8601 week with its week-year: 2020-W53",
    Grouping.DAY: "the two-digit day of the month: 07",
    **dict.fromkeys(POLARITIES, "the label of the term or topic, with its id and polarity"),
    **dict.fromkeys((Grouping.POSITIVE, Grouping.NEGATIVE, Grouping.NEUTRAL), "the polarity in upper case"),
}
"""What `value` of a dimension reads."""

RANKED = frozenset({Grouping.DISTINCT, *POLARITIES})
"""Groups that are cut to their N largest values and leave empty combinations out."""

NPS_GROUPS = ("promoters", "neutrals", "detractors")
POLARITY_WORDS = ("positive", "negative", "neutral")


_OPERATIONS_OF = {kind: [o for o, kinds in OPERATIONS.items() if kind in kinds] for kind in Kind}
_GROUPS_OF = {kind: [g for g in Grouping if kind in GROUPS[g]] for kind in Kind}


def operations_of(field: Field) -> Sequence[Operation]:
    """The operations a field allows, in the order of the interface."""
    legal = _OPERATIONS_OF[field.kind]
    listed = field.kind is not Kind.STRING or field.enumerated
    return legal if listed else [operation for operation in legal if operation is not Operation.COUNT]


def groups_of(field: Field) -> Sequence[Grouping]:
    """The groups a field allows as a dimension, in the order of the interface."""
    return _GROUPS_OF[field.kind]
