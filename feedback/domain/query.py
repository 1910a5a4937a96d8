"""The query language of search and aggregation: leaves and groups, read from JSON with every problem at once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from feedback.domain.dataset import Dataset
from feedback.domain.document import Opinion
from feedback.domain.fields import ENRICHED, NUMERIC, Field, Kind, find_field
from feedback.domain.reader import member_path
from feedback.domain.timestamps import EPOCH, MILLISECOND
from feedback.errors import Code, Problem

MAX_DEPTH = 10
MAX_LEAVES = 1_000


class Operator(StrEnum):
    """How a leaf compares."""

    EQ = "EQ"
    NEQ = "NEQ"
    IN = "IN"
    NIN = "NIN"
    GT = "GT"
    GTE = "GTE"
    LT = "LT"
    LTE = "LTE"


MEMBERSHIP = frozenset({Operator.IN, Operator.NIN})
NEGATIONS = frozenset({Operator.NEQ, Operator.NIN})
ORDERINGS = frozenset({Operator.GT, Operator.GTE, Operator.LT, Operator.LTE})

OPERATORS: dict[Kind, tuple[Operator, ...]] = {
    kind: tuple(o for o in Operator if o not in ORDERINGS or kind in NUMERIC | {Kind.DATETIME}) for kind in Kind
}
"""What may be asked of a field: membership of every kind, order only of what has a natural one."""

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Leaf:
    """One condition. Values are typed by the field's kind; Datetime as epoch milliseconds."""

    field: Field
    operator: Operator
    values: tuple[Scalar, ...]
    opinion: Opinion | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions that must all hold (AND), or of which one must (OR)."""

    operator: Literal["AND", "OR"]
    criteria: tuple["Leaf | Group", ...]


Query = Leaf | Group


class QueryReader:
    """Reads one query; what is wrong with it is appended to `problems`."""

    def __init__(self, dataset: Dataset, problems: list[Problem], classifiers: Collection[str] = ()) -> None:
        """`classifiers` are the codes that `classifier.<code>` may name."""
        self.dataset = dataset
        self.problems = problems
        self.classifiers = classifiers
        self.leaves = 0

    def read(self, raw: object, path: str = "query", depth: int = 1) -> Query | None:
        """The query, or None where it constrains nothing or is wrong; `path` is its own, empty where it is the body."""
        if raw is None or raw == {}:
            return None
        if not isinstance(raw, Mapping):
            self._refuse(Code.WRONG_TYPE, "must be an object: a condition or a group of them", path)
            return None
        return self._group(raw, path, depth) if _is_group(raw) else self._leaf(raw, path)

    def _group(self, raw: Mapping[str, Any], path: str, depth: int) -> Group | None:
        self._unknown(raw, ("operator", "criteria"), path)
        if depth > MAX_DEPTH:
            self._refuse(Code.TOO_MANY, f"groups may be nested at most {MAX_DEPTH} deep", path)
            return None
        operator = _upper(raw.get("operator"))
        if operator not in {"AND", "OR"}:
            message = f"must be AND or OR for a group of criteria, not {raw.get('operator')!r}"
            self._refuse(Code.INVALID_VALUE, message, member_path(path, "operator"))
            return None
        criteria = raw.get("criteria")
        if not isinstance(criteria, list | tuple):
            self._refuse(Code.WRONG_TYPE, "must be an array of conditions and groups", member_path(path, "criteria"))
            return None
        if self.leaves + len(criteria) > MAX_LEAVES + MAX_DEPTH:
            self._refuse(Code.TOO_MANY, f"a query holds at most {MAX_LEAVES} conditions", member_path(path, "criteria"))
            return None
        read = [self.read(c, f"{member_path(path, 'criteria')}[{i}]", depth + 1) for i, c in enumerate(criteria)]
        return Group("AND" if operator == "AND" else "OR", tuple(c for c in read if c is not None))

    def _leaf(self, raw: Mapping[str, Any], path: str) -> Leaf | None:
        self._unknown(raw, ("field", "operator", "value", "opinion"), path)
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            message = f"a query holds at most {MAX_LEAVES} conditions"
            if self.leaves == MAX_LEAVES + 1:
                self._refuse(Code.TOO_MANY, message, path)
            return None
        field = find_field(self.dataset, raw.get("field"), member_path(path, "field"), self.classifiers)
        if isinstance(field, Problem):
            self.problems.append(field)
            return None
        operator = self._operator(raw, field, path)
        opinion = self._opinion(raw, field, path)
        if operator is None:
            return None
        values = self._values(raw, field, operator, member_path(path, "value"))
        return None if values is None else Leaf(field, operator, values, opinion)

    def _operator(self, raw: Mapping[str, Any], field: Field, path: str) -> Operator | None:
        legal = OPERATORS[field.kind]
        name = _upper(raw.get("operator"))
        if name in legal:
            return Operator(name)
        message = f"must be one of {', '.join(legal)} for {field.name} ({field.kind}), not {raw.get('operator')!r}"
        self._refuse(Code.INVALID_VALUE, message, member_path(path, "operator"))
        return None

    def _opinion(self, raw: Mapping[str, Any], field: Field, path: str) -> Opinion | None:
        opinion = raw.get("opinion")
        if opinion is None:
            return None
        if field.kind not in ENRICHED:
            message = f"may qualify TERMS and TOPICS, not {field.name}"
            self._refuse(Code.ILLEGAL_COMBINATION, message, member_path(path, "opinion"))
            return None
        name = _upper(opinion)
        if name not in set(Opinion):
            message = f"must be one of {', '.join(Opinion)}, not {opinion!r}"
            self._refuse(Code.INVALID_VALUE, message, member_path(path, "opinion"))
            return None
        return Opinion(str(name))

    def _values(self, raw: Mapping[str, Any], field: Field, operator: Operator, path: str) -> tuple[Scalar, ...] | None:
        value = raw.get("value")
        if value is None:
            self._refuse(Code.REQUIRED, "is what the field is compared with", path)
            return None
        many = operator in MEMBERSHIP
        if many and not isinstance(value, list | tuple):
            self._refuse(Code.WRONG_TYPE, f"must be an array for {operator}, not {_shown(value)}", path)
            return None
        if not many and isinstance(value, list | tuple) and len(value) != 1:
            message = f"must be one value for {operator}; for several use IN or NIN"
            self._refuse(Code.WRONG_TYPE, message, path)
            return None
        items = value if isinstance(value, list | tuple) else [value]
        typed = [read_value(field, item) for item in items]
        wrong = [i for i, item in enumerate(typed) if item is None]
        for index in wrong:
            message = f"must be {EXPECTED[field.kind]} for {field.name}, not {_shown(items[index])}"
            where = f"{path}[{index}]" if isinstance(value, list | tuple) else path
            self.problems.append(Problem(Code.WRONG_TYPE, message, where))
        return None if wrong else tuple(item for item in typed if item is not None)

    def _unknown(self, raw: Mapping[str, Any], known: tuple[str, ...], path: str) -> None:
        unknown_members(raw, known, path, self.problems)

    def _refuse(self, code: Code, description: str, path: str) -> None:
        self.problems.append(Problem(code, description, path or None))


EXPECTED: dict[Kind, str] = {
    Kind.NPS: "a number",
    Kind.CSAT: "a number",
    Kind.CES: "a number",
    Kind.NUMBER: "a number",
    Kind.DATETIME: "an ISO 8601 timestamp with a zone, such as 2026-01-31T00:00:00.000Z",
    Kind.STRING: "a string",
    Kind.LATLNG: 'a string such as "48.85,2.35"',
    Kind.BOOLEAN: "true or false",
    Kind.CATEGORY: "a string",
    Kind.IDENTIFIER: "a string",
    Kind.TERMS: "a term id",
    Kind.TOPICS: "a topic code",
    Kind.POLARITY: "POSITIVE, NEGATIVE or NEUTRAL",
}


def read_value(field: Field, value: object) -> Scalar | None:
    """The value as the field's kind reads it, None where it cannot be one."""
    if field.kind in NUMERIC:
        return _number(value)
    if field.kind is Kind.DATETIME:
        found = read_instant(value)
        return None if found is None else found // MILLISECOND
    if field.kind is Kind.BOOLEAN:
        text = str(value).lower()
        return {"true": True, "false": False}.get(text) if isinstance(value, bool | str) else None
    if field.kind is Kind.POLARITY:
        return _upper(value) if _upper(value) in set(Opinion) else None
    return value if isinstance(value, str) else None


def read_instant(value: object) -> timedelta | None:
    """The time since the epoch that an ISO 8601 timestamp with a zone names, None where it is none."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        found = datetime.fromisoformat(value)
        return None if found.tzinfo is None else found - EPOCH
    except (ValueError, OverflowError):
        return None


def unknown_members(raw: Mapping[str, Any], known: tuple[str, ...], path: str, problems: list[Problem]) -> None:
    """A problem for each member of an object that the interface does not have."""
    for name in raw:
        if name not in known:
            message = f"is unknown here; known are {', '.join(known)}"
            problems.append(Problem(Code.UNKNOWN_FIELD, message, member_path(path, str(name))))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < float("inf") else None


def _is_group(raw: Mapping[str, Any]) -> bool:
    return "criteria" in raw or _upper(raw.get("operator")) in {"AND", "OR"}


def _upper(value: object) -> str | None:
    return value.upper() if isinstance(value, str) else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."
