"""What all insights ask for in one form: a population, terms or topics, and how small a group may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from feedback.domain.query import unknown_members
from feedback.errors import Code, Invalid, Problem

MINIMUM_VOLUME = 30
DEFAULT_LIMIT = 20
MAX_LIMIT = 100
OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """The members that every insight shares. `by` is TERMS or TOPICS, `opinion` one polarity of them or None."""

    by: str
    opinion: str | None
    query: Json | None
    limit: int
    minimum: int


def read_asked(body: Mapping[str, Any] | None, own: tuple[str, ...]) -> Asked:
    """The shared members of a body. Raises Invalid with every problem; the query is checked where it is asked."""
    sent = body or {}
    if not isinstance(sent, Mapping):
        raise Invalid("must be a JSON object", code=Code.WRONG_TYPE)
    problems: list[Problem] = []
    unknown_members(sent, ("by", "opinion", "query", "limit", "minimumVolume", *own), "", problems)
    by = _one_of(sent, "by", ("TERMS", "TOPICS"), "TERMS", problems)
    opinion = _one_of(sent, "opinion", OPINIONS, None, problems)
    limit = _whole(sent, "limit", DEFAULT_LIMIT, (1, MAX_LIMIT), problems)
    minimum = _whole(sent, "minimumVolume", MINIMUM_VOLUME, (2, 10**9), problems)
    query = sent.get("query")
    if query is not None and not isinstance(query, Mapping):
        problems.append(Problem(Code.WRONG_TYPE, "must be an object: a condition or a group of them", "query"))
    if problems:
        raise Invalid(problems=problems)
    return Asked(by or "TERMS", opinion, query, limit, minimum)


def _one_of(
    sent: Mapping[str, Any], name: str, legal: tuple[str, ...], default: str | None, problems: list[Problem]
) -> str | None:
    value = sent.get(name)
    if value is None:
        return default
    if value not in legal:
        problems.append(Problem(Code.INVALID_VALUE, f"must be one of {', '.join(legal)}, not {value!r}", name))
    return str(value)


def _whole(sent: Mapping[str, Any], name: str, default: int, bounds: tuple[int, int], problems: list[Problem]) -> int:
    value = sent.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not bounds[0] <= value <= bounds[1]:
        message = f"must be a whole number from {bounds[0]} to {bounds[1]}, not {value!r}"
        problems.append(Problem(Code.OUT_OF_BOUNDS, message, name))
        return default
    return value


def every(*conditions: Mapping[str, Any] | None) -> Json | None:
    """The query that all conditions hold, of as few groups as can be; conditions that are None or empty hold always."""
    kept: list[Json] = []
    for condition in conditions:
        if (
            condition
            and isinstance(condition.get("criteria"), list)
            and str(condition.get("operator")).upper() == "AND"
        ):
            kept += condition["criteria"]
        elif condition:
            kept.append(dict(condition))
    if len(kept) < 2:
        return kept[0] if kept else None
    return {"operator": "AND", "criteria": kept}


def within(period: Mapping[str, Any] | None) -> Json | None:
    """The query that selects a period's documents."""
    if not period:
        return None
    bounds = (("GTE", period.get("from")), ("LTE", period.get("to")))
    return every(
        *({"field": period["field"], "operator": operator, "value": bound} for operator, bound in bounds if bound)
    )


def about(by: str, identifier: str, opinion: str | None, *, held: bool = True) -> Json:
    """The query that selects the documents of a term or topic, or all others."""
    leaf = {"field": by, "operator": "IN" if held else "NIN", "value": [identifier]}
    return leaf if opinion is None else {**leaf, "opinion": opinion}


def rounded(value: float) -> float:
    """Six decimals: more than any sample of comments can tell."""
    return round(value, 6) + 0.0


def probability(value: float) -> float:
    """Six digits, wherever they begin: how small a p-value is matters."""
    return float(f"{value:.6g}")
