"""A request becomes typed dimensions, windows and a query, or every problem with it at once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from feedback.aggregation.dimensions import make_dimension, qualified
from feedback.aggregation.full_text import q_problems
from feedback.aggregation.plan import Dimension, Span, Window
from feedback.aggregation.rules import (
    MAX_DIMENSIONS,
    MAX_LIMIT,
    MAX_PERIODS,
    Grouping,
    Operation,
    groups_of,
    operations_of,
)
from feedback.domain.dataset import Dataset
from feedback.domain.document import Opinion
from feedback.domain.fields import Field, Kind, find_field
from feedback.domain.query import Query, QueryReader, read_instant, unknown_members
from feedback.domain.timestamps import MILLISECOND
from feedback.errors import Code, Invalid, Problem

MOST_EDGE = 1e300


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is legal, its strings not yet looked up. `period` pairs are (as sent, window)."""

    field: Field
    operation: Operation
    echo: Mapping[str, Any]
    query: Query | None
    periods: tuple[tuple[Mapping[str, Any], Window], ...]
    dimensions: tuple[Dimension, ...]
    names: tuple[str, ...]


class RequestReader:
    """Reads one aggregation request against one dataset."""

    def __init__(self, dataset: Dataset, classifiers: Collection[str]) -> None:
        """`classifiers` are the codes that `classifier.<code>` may name."""
        self.dataset = dataset
        self.classifiers = classifiers
        self.problems: list[Problem] = []

    def read(self, request: Mapping[str, Any], q: str | None) -> Asked:
        """The request in typed form. Raises Invalid with every problem found."""
        if not isinstance(request, Mapping):
            raise Invalid("must be a JSON object", code=Code.WRONG_TYPE)
        unknown_members(request, ("field", "type", "query", "periods", "dimensions"), "", self.problems)
        field = self._field(request.get("field"), "field")
        operation = self._operation(request, field)
        query = QueryReader(self.dataset, self.problems, self.classifiers).read(request.get("query"))
        periods = self._periods(request.get("periods"))
        fields, dimensions = self._dimensions(request.get("dimensions"))
        if q is not None:
            self.problems += q_problems(q)
        if self.problems or field is None or operation is None:
            raise Invalid(problems=self.problems)
        echo = {"field": field.name, "type": request.get("type") or Operation.COUNT.value}
        return Asked(field, operation, echo, query, periods, dimensions, tuple(f.name for f in fields))

    def _field(self, name: object, path: str) -> Field | None:
        found = find_field(self.dataset, name, path, self.classifiers)
        if isinstance(found, Problem):
            self.problems.append(found)
            return None
        return found

    def _operation(self, request: Mapping[str, Any], field: Field | None) -> Operation | None:
        sent = request.get("type")
        name = Operation.COUNT.value if sent is None else sent
        if not isinstance(name, str) or name not in set(Operation):
            self._refuse(Code.INVALID_VALUE, f"must be one of {', '.join(Operation)}, not {str(name)[:50]!r}", "type")
            return None
        operation = Operation(name)
        if field is None:
            return None
        legal = operations_of(field)
        if operation in legal:
            return operation
        if operation is Operation.COUNT and field.kind is Kind.STRING:
            message = f"COUNT of {field.name} (String) needs a list of allowedValues in its definition"
        else:
            allowed = f"allowed are {', '.join(legal)}" if legal else "no operation is; use it in dimensions"
            message = f"{operation} is not available for {field.name} ({field.kind}); {allowed}"
        self._refuse(Code.ILLEGAL_COMBINATION, message, "type")
        return None

    def _periods(self, raw: object) -> tuple[tuple[Mapping[str, Any], Window], ...]:
        listed = self._list(raw, "periods", MAX_PERIODS)
        read = [(sent, self._period(sent, f"periods[{i}]")) for i, sent in enumerate(listed)]
        return tuple((sent, window) for sent, window in read if window is not None)

    def _period(self, raw: object, path: str) -> Window | None:
        if not isinstance(raw, Mapping):
            self._refuse(Code.WRONG_TYPE, "must be an object with field, from and to", path)
            return None
        unknown_members(raw, ("field", "from", "to"), path, self.problems)
        before = len(self.problems)
        field = self._field(raw.get("field"), f"{path}.field")
        if field is not None and field.kind is not Kind.DATETIME:
            message = f"must be a Datetime field ({', '.join(self._datetimes())}), not {field.name} ({field.kind})"
            self._refuse(Code.ILLEGAL_COMBINATION, message, f"{path}.field")
        low, high = self._bound(raw, "from", path), self._bound(raw, "to", path)
        if low is not None and high is not None and low > high:
            self._refuse(Code.INVALID_VALUE, f"from {raw['from']} is later than to {raw['to']}", path)
        if field is None or len(self.problems) > before:
            return None
        return Window(field.name, low, high)

    def _datetimes(self) -> list[str]:
        declared = (
            d for d in self.dataset.metadata_definitions if d.type.value == Kind.DATETIME.value and not d.personal_data
        )
        return ["createdAt", "updatedAt", *(f"metadata.{d.code}" for d in declared)]

    def _bound(self, raw: Mapping[str, Any], name: str, path: str) -> int | None:
        sent = raw.get(name)
        if sent is None:
            return None
        found = read_instant(sent)
        if found is None:
            message = f"must be an ISO 8601 timestamp with a zone, such as 2026-01-31T00:00:00.000Z, not {sent!r}"
            self._refuse(Code.INVALID_VALUE, message[:300], f"{path}.{name}")
            return None
        # A bound between two milliseconds includes those inside it.
        return -(-found // MILLISECOND) if name == "from" else found // MILLISECOND

    def _dimensions(self, raw: object) -> tuple[list[Field], tuple[Dimension, ...]]:
        listed = self._list(raw, "dimensions", MAX_DIMENSIONS)
        read = [self._dimension(sent, f"dimensions[{i}]") for i, sent in enumerate(listed)]
        found = [pair for pair in read if pair is not None]
        return [field for field, _ in found], qualified([dimension for _, dimension in found])

    def _dimension(self, raw: object, path: str) -> tuple[Field, Dimension] | None:
        if not isinstance(raw, Mapping):
            self._refuse(Code.WRONG_TYPE, "must be an object with field and group", path)
            return None
        unknown_members(raw, ("field", "group", "limit", "ranges"), path, self.problems)
        before = len(self.problems)
        field = self._field(raw.get("field"), f"{path}.field")
        group = self._group(raw.get("group"), field, f"{path}.group")
        limit = self._limit(raw.get("limit"), f"{path}.limit")
        spans = self._ranges(raw, field, group, f"{path}.ranges")
        if field is None or group is None or len(self.problems) > before:
            return None
        return field, make_dimension(field, group, limit, spans)

    def _group(self, name: object, field: Field | None, path: str) -> Grouping | None:
        legal = tuple(Grouping) if field is None else groups_of(field)
        if isinstance(name, str) and name in legal:
            return Grouping(name)
        of = "" if field is None else f" of {field.name} ({field.kind})"
        allowed = f"allowed are {', '.join(legal)}" if legal else "it cannot be a dimension"
        if name is None:
            self._refuse(Code.REQUIRED, f"is the group{of}; {allowed}", path)
        elif not isinstance(name, str) or name not in tuple(Grouping):
            self._refuse(Code.INVALID_VALUE, f"{str(name)[:50]!r} is no group{of}; {allowed}", path)
        else:
            self._refuse(Code.ILLEGAL_COMBINATION, f"{name} is not available{of}; {allowed}", path)
        return None

    def _limit(self, limit: object, path: str) -> int | None:
        if limit is None:
            return None
        if isinstance(limit, bool) or not isinstance(limit, int):
            self._refuse(Code.WRONG_TYPE, f"must be a whole number, not {str(limit)[:50]!r}", path)
            return None
        if not 1 <= limit <= MAX_LIMIT:
            self._refuse(Code.OUT_OF_BOUNDS, f"must be from 1 to {MAX_LIMIT}, not {limit}", path)
            return None
        return limit

    def _ranges(self, raw: Mapping[str, Any], field: Field | None, group: Grouping | None, path: str) -> list[Span]:
        sent = raw.get("ranges")
        if group is not Grouping.RANGE:
            if sent and group is not None:
                self._refuse(Code.ILLEGAL_COMBINATION, f"go with group RANGE, not {group}", path)
            return []
        if not sent:
            self._refuse(Code.REQUIRED, "lists at least one {name, min, max} for group RANGE", path)
            return []
        upper = None
        if field is not None and field.definition is not None and field.definition.bounds is not None:
            upper = field.definition.bounds.upper
        listed = self._list(sent, path, MAX_LIMIT)
        spans = [self._span(one, upper, f"{path}[{i}]") for i, one in enumerate(listed)]
        names = [span.name for span in spans if span is not None]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self._refuse(Code.DUPLICATE, f"name {name!r} twice; the reply tells ranges apart by name", path)
        return [span for span in spans if span is not None]

    def _span(self, raw: object, upper: float | None, path: str) -> Span | None:
        if not isinstance(raw, Mapping):
            self._refuse(Code.WRONG_TYPE, "must be an object with name, min and max", path)
            return None
        unknown_members(raw, ("name", "min", "max"), path, self.problems)
        before = len(self.problems)
        name = raw.get("name")
        if not isinstance(name, str) or not name:
            self._refuse(Code.REQUIRED if name is None else Code.WRONG_TYPE, "is a text, not empty", f"{path}.name")
        low, high = self._edge(raw, "min", path), self._edge(raw, "max", path)
        if low is not None and high is not None and low > high:
            self._refuse(Code.INVALID_VALUE, f"min {low:g} is greater than max {high:g}", path)
        if len(self.problems) > before:
            return None
        return Span(str(name), low, high, closed=high is not None and upper is not None and high == upper)

    def _edge(self, raw: Mapping[str, Any], name: str, path: str) -> float | None:
        value = raw.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(Code.WRONG_TYPE, f"must be a number, not {str(value)[:50]!r}", f"{path}.{name}")
            return None
        if abs(value) > MOST_EDGE:
            message = f"must be from {-MOST_EDGE:g} to {MOST_EDGE:g}; leave it out where the range is open"
            self._refuse(Code.OUT_OF_BOUNDS, message, f"{path}.{name}")
            return None
        return float(value)

    def _list(self, raw: object, path: str, most: int) -> list[Any]:
        if raw is None:
            return []
        if not isinstance(raw, list | tuple):
            self._refuse(Code.WRONG_TYPE, f"must be an array, not {str(raw)[:50]!r}", path)
            return []
        if len(raw) > most:
            self._refuse(Code.TOO_MANY, f"holds {len(raw)}; at most {most} are allowed", path)
            return []
        return list(raw)

    def _refuse(self, code: Code, description: str, path: str) -> None:
        self.problems.append(Problem(code, description, path))


def read_search(
    dataset: Dataset,
    classifiers: Collection[str],
    query: Mapping[str, Any] | None,
    q: str | None,
    *,
    opinions: frozenset[str] | None,
    sort_by: str,
) -> Query | None:
    """The query of a search. Raises Invalid with every problem of it, of q, of the opinions and of the sort field."""
    problems: list[Problem] = []
    found = QueryReader(dataset, problems, classifiers).read(query, "")
    problems += [] if q is None else q_problems(q)
    for opinion in sorted((opinions or frozenset()) - set(Opinion)):
        problems.append(Problem(Code.INVALID_VALUE, f"must be of {', '.join(Opinion)}, not {opinion!r}", "opinions"))
    field = find_field(dataset, sort_by, "sortBy", classifiers)
    if isinstance(field, Problem):
        problems.append(field)
    elif field.kind is not Kind.DATETIME:
        message = f"must be a Datetime field, not {field.name} ({field.kind})"
        problems.append(Problem(Code.ILLEGAL_COMBINATION, message, "sortBy"))
    if problems:
        raise Invalid(problems=problems)
    return found
