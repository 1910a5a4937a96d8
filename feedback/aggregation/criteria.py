"""A query's names and values become the codes that columns hold."""

from sqlalchemy import Connection

from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.plan import (
    CodeIn,
    Condition,
    Every,
    Holds,
    HoldsOpinion,
    Not,
    NumberIs,
    Some,
    TextIn,
    TimeIs,
)
from feedback.domain.document import Opinion
from feedback.domain.fields import ENRICHED, NUMERIC, Kind
from feedback.domain.query import NEGATIONS, Group, Leaf, Operator, Query
from feedback.store.segments.write import OPINIONS

_POSITIVE = {Operator.NEQ: Operator.EQ, Operator.NIN: Operator.IN}


def without_terms(query: Query | None) -> Query | None:
    """The query without its TERMS criteria, which q makes void; a group emptied so is no constraint."""
    if query is None or isinstance(query, Leaf):
        return None if query is not None and query.field.kind is Kind.TERMS else query
    kept = tuple(c for c in map(without_terms, query.criteria) if c is not None)
    return Group(query.operator, kept) if kept else None


def condition_of(query: Query | None, connection: Connection, dictionary: Dictionary) -> Condition | None:
    """The query in codes, None where it constrains nothing."""
    if query is None:
        return None
    if isinstance(query, Leaf):
        found = _leaf(query, connection, dictionary)
        return Not(found) if query.operator in NEGATIONS else found
    read = (condition_of(criterion, connection, dictionary) for criterion in query.criteria)
    conditions = tuple(condition for condition in read if condition is not None)
    if not conditions:
        return None
    return Every(conditions) if query.operator == "AND" else Some(conditions)


def _leaf(leaf: Leaf, connection: Connection, dictionary: Dictionary) -> Condition:
    field, values = leaf.field, leaf.values
    operator = _POSITIVE.get(leaf.operator, leaf.operator)
    if field.kind in NUMERIC:
        return NumberIs(field.name, operator, tuple(float(v) for v in values))
    if field.kind is Kind.DATETIME:
        return TimeIs(field.name, operator, tuple(int(v) for v in values))
    if field.kind is Kind.BOOLEAN:
        return CodeIn(field.name, tuple(2 if v else 1 for v in values))
    names = [str(v) for v in values]
    if field.kind is Kind.POLARITY:
        return HoldsOpinion("TERMS", tuple(OPINIONS.index(name) for name in names))
    if field.kind in {Kind.IDENTIFIER, Kind.LATLNG}:
        return TextIn(field.name, tuple(name.encode("utf-8", "surrogatepass") for name in names if name))
    if field.kind in ENRICHED:
        return Holds(field.name, _keys(leaf, names, connection, dictionary))
    return CodeIn(field.name, tuple(dictionary.category_codes(connection, field.name, names)))


def _keys(leaf: Leaf, names: list[str], connection: Connection, dictionary: Dictionary) -> tuple[int, ...]:
    if leaf.field.kind is Kind.TERMS:
        codes = dictionary.term_codes(connection, names)
    else:
        codes = dictionary.category_codes(connection, leaf.field.name, names)
    opinions = tuple(Opinion) if leaf.opinion is None else (leaf.opinion,)
    return tuple(code * 3 + OPINIONS.index(opinion) for code in codes for opinion in opinions)
