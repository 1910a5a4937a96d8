"""From the field, group and limit of a legal dimension to what the kernel is to do with it."""

from feedback.aggregation.plan import (
    Buckets,
    Categories,
    Dimension,
    Identifiers,
    NpsGroups,
    Numbers,
    Polarities,
    Ranges,
    Span,
    Terms,
)
from feedback.aggregation.rules import DEFAULT_LIMIT, OPINIONS, POLARITIES, TIMES, Grouping
from feedback.domain.fields import ENRICHED, NUMERIC, Field, Kind


def make_dimension(field: Field, group: Grouping, limit: int | None, spans: list[Span]) -> Dimension:
    """The dimension of a legal (field, group) pair."""
    if field.kind is Kind.POLARITY:
        return Polarities("TERMS", limit, OPINIONS[group])
    cut = limit or DEFAULT_LIMIT
    if field.kind in ENRICHED:
        return Terms(field.name, cut, POLARITIES.get(group, (0, 1, 2)), apart=group in POLARITIES)
    if group in TIMES:
        return Buckets(field.name, group, limit)
    if group is Grouping.RANGE:
        return Ranges(field.name, tuple(spans), limit)
    if group is Grouping.NPS_GROUP:
        return NpsGroups(field.name, limit)
    if field.kind in NUMERIC:
        return Numbers(field.name, cut)
    if field.kind is Kind.IDENTIFIER:
        return Identifiers(field.name, cut)
    return Categories(field.name, cut, boolean=field.kind is Kind.BOOLEAN)


def qualified(dimensions: list[Dimension]) -> tuple[Dimension, ...]:
    """The dimensions, each TERMS_POLARITY tied to the TERMS or TOPICS dimension before it, else the first after."""
    found = list(dimensions)
    taken: set[int] = set()
    for place, dimension in enumerate(dimensions):
        if not isinstance(dimension, Polarities):
            continue
        terms = [i for i, d in enumerate(dimensions) if isinstance(d, Terms) and i not in taken]
        target = max((i for i in terms if i < place), default=min(terms, default=None))
        if target is None:
            continue
        taken.add(target)
        term = found[target]
        assert isinstance(term, Terms)  # noqa: S101 -- chosen so above
        opinions = tuple(o for o in term.opinions if o in dimension.opinions)
        if opinions:
            found[target] = Terms(term.column, term.limit, opinions, term.apart)
        found[place] = Polarities(term.column, dimension.limit, dimension.opinions, target)
    return tuple(found)
