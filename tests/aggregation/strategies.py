"""Hypothesis strategies: small datasets full of edges, and every legal request on them."""

from typing import Any

from hypothesis import strategies as st

from feedback.aggregation.rules import Grouping, groups_of, operations_of
from feedback.domain.dataset import Dataset
from feedback.domain.fields import Field, Kind, find_field
from feedback.domain.query import OPERATORS, Operator
from tests.aggregation.reference import DAY, OPINIONS, Doc, iso
from tests.aggregation.shelf import DEFINITIONS

TERMS = (
    "staff__NOUN__1",
    "customer_service__NOUN__1",
    "service__NOUN__1",
    "café__NOUN__1",
    "cafe__NOUN__1",
    "配送__NOUN__1",
    "straße__NOUN__1",
    "long_queue__NOUN__1",
    "long_queue__NOUN__2",
)
TOPICS = (("STAFF", "Staff"), ("PRICE", "Price"), ("SHOP", "Shop"), ("SHOPS", "Shop"))
QS = ("service", "CAFÉ", "cafe", "strasse", "se", "配", "queue", "zz")

# Around the epoch, before it, at the edges of ISO years, at midnight and one millisecond to it.
DAYS = (-25_568, -366, -1, 0, 1, 364, 365, 18_261, 18_262, 18_263, 18_626, 18_627, 18_628, 18_630, 19_000)
WITHIN = (0, 0, 1, 43_200_000, DAY - 1)
instants = st.builds(lambda day, ms: day * DAY + ms, st.sampled_from(DAYS), st.sampled_from(WITHIN))
recent = st.builds(lambda day, ms: day * DAY + ms, st.sampled_from(DAYS[3:]), st.sampled_from(WITHIN))

AMOUNTS = (0, 1, -1, 2.5, 0.1, 0.2, 0.3, 100, 99.99, -0.25, 12345, 1e6, 0.1 + 0.2, 1 / 3, 2**53, 1e300, -7.125, 1e-12)
TAME = (0, 1, 2.5, 0.1, 0.2, 100, 99.99, 40)
amounts = st.sampled_from(TAME) | st.sampled_from(AMOUNTS)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "nps": st.integers(0, 10),
    "csat": st.sampled_from((1, 2, 3, 4, 5, 4.5)),
    "ces": st.integers(1, 7),
    "amount": amounts,
    "when": instants,
    "store": st.sampled_from(DEFINITIONS[5].allowed_values),
    "note": st.sampled_from(("", "a", "b", "Ä", "ab")),
    "place": st.sampled_from(("48.85,2.35", "0,0")),
    "vip": st.booleans(),
    "phone": st.just("0123"),
}
CLASSIFIERS = {"mood": ("calm", "cross")}

opinions = st.sampled_from(OPINIONS)
metadata = st.fixed_dictionaries({}, optional=VALUES)


@st.composite
def docs(draw: st.DrawFn) -> Doc:
    """One document; its external id is from a small pool, so that some replace others."""
    created = draw(recent | instants)
    return Doc(
        external_id=draw(st.sampled_from([f"id{n}" for n in range(40)] + ["Ünï", "x/y"])),
        created_at=created,
        updated_at=draw(st.just(created) | recent),
        type=draw(st.sampled_from(("SURVEY", "TICKET"))),
        lang=draw(st.sampled_from(("en", "fr", "zh"))),
        metadata=draw(metadata),
        terms=draw(st.lists(st.tuples(st.sampled_from(TERMS), opinions), max_size=6)),
        topics=[(*t, o) for t, o in draw(st.lists(st.tuples(st.sampled_from(TOPICS), opinions), max_size=3))],
        classifiers=draw(st.fixed_dictionaries({}, optional={c: st.sampled_from(v) for c, v in CLASSIFIERS.items()})),
    )


NAMES = (
    "createdAt",
    "updatedAt",
    "externalId",
    "type",
    "lang",
    "TERMS",
    "TOPICS",
    "TERMS_POLARITY",
    "classifier.mood",
    *(f"metadata.{d.code}" for d in DEFINITIONS if not d.personal_data),
)


def fields_of(dataset: Dataset) -> list[Field]:
    found = [find_field(dataset, name, "", CLASSIFIERS) for name in NAMES]
    return [field for field in found if isinstance(field, Field)]


def values_for(field: Field) -> st.SearchStrategy[Any]:
    """A value that a query may compare the field with."""
    if field.name.startswith("metadata."):
        values = VALUES[field.name.removeprefix("metadata.")]
        if field.kind is Kind.DATETIME:
            return values.map(iso)
        if field.kind is Kind.BOOLEAN:
            return values | values.map(lambda v: str(v).lower())
        return values if field.kind in {Kind.STRING, Kind.LATLNG} else values | values.map(str)
    fixed: dict[str, st.SearchStrategy[Any]] = {
        "createdAt": recent.map(iso),
        "updatedAt": recent.map(iso),
        "externalId": st.sampled_from(("id0", "id1", "id2", "Ünï", "x/y", "none")),
        "type": st.sampled_from(("SURVEY", "TICKET", "NONE")),
        "lang": st.sampled_from(("en", "fr", "xx")),
        "TERMS": st.sampled_from((*TERMS, "none__NOUN__1")),
        "TOPICS": st.sampled_from([code for code, _ in TOPICS]),
        "TERMS_POLARITY": opinions,
        "classifier.mood": st.sampled_from(("calm", "cross")),
    }
    return fixed[field.name]


@st.composite
def leaves(draw: st.DrawFn, fields: list[Field]) -> dict[str, Any]:
    field = draw(st.sampled_from(fields))
    operator = draw(st.sampled_from(OPERATORS[field.kind]))
    many = operator in {Operator.IN, Operator.NIN}
    value = draw(st.lists(values_for(field), max_size=3) if many else values_for(field))
    leaf = {"field": field.name, "operator": operator.value, "value": value}
    if field.name in {"TERMS", "TOPICS"} and draw(st.booleans()):
        leaf["opinion"] = draw(opinions)
    return leaf


def queries(fields: list[Field]) -> st.SearchStrategy[dict[str, Any]]:
    return st.recursive(
        leaves(fields),
        lambda inner: st.fixed_dictionaries(
            {"operator": st.sampled_from(("AND", "OR")), "criteria": st.lists(inner, max_size=3)}
        ),
        max_leaves=5,
    )


@st.composite
def periods(draw: st.DrawFn, times: list[Field]) -> dict[str, Any]:
    low, high = sorted((draw(recent | instants), draw(recent | instants)))
    period = {"field": draw(st.sampled_from(times)).name, "from": iso(low), "to": iso(high)}
    for bound in draw(st.sets(st.sampled_from(("from", "to")), max_size=1)):
        del period[bound]
    return period


@st.composite
def dimensions(draw: st.DrawFn, fields: list[Field]) -> dict[str, Any]:
    field = draw(st.sampled_from([f for f in fields if groups_of(f)]))
    group = draw(st.sampled_from(groups_of(field)))
    dimension: dict[str, Any] = {"field": field.name, "group": group.value}
    if draw(st.booleans()):
        dimension["limit"] = draw(st.integers(1, 4) | st.just(100))
    if group is Grouping.RANGE:
        dimension["ranges"] = draw(ranges())
    return dimension


@st.composite
def ranges(draw: st.DrawFn) -> list[dict[str, Any]]:
    found = []
    for n in range(draw(st.integers(1, 4))):
        low, high = sorted((draw(st.sampled_from((0, 1, 2.5, 3, 5))), draw(st.sampled_from((0.3, 4, 5, 100)))))
        span = {"name": f"range {n}", "min": low, "max": high}
        for bound in draw(st.sets(st.sampled_from(("min", "max")), max_size=2)):
            del span[bound]
        found.append(span)
    return found


@st.composite
def requests(draw: st.DrawFn, dataset: Dataset) -> tuple[dict[str, Any], str | None]:
    """A legal request and q."""
    fields = fields_of(dataset)
    field = draw(st.sampled_from([f for f in fields if operations_of(f)]))
    operation = draw(st.sampled_from(operations_of(field)))
    request: dict[str, Any] = {"field": field.name, "type": operation.value}
    if operation == "COUNT" and draw(st.booleans()):
        del request["type"]
    if draw(st.booleans()):
        request["query"] = draw(queries(fields))
    if draw(st.booleans()):
        times = [f for f in fields if f.kind is Kind.DATETIME]
        request["periods"] = draw(st.lists(periods(times), max_size=3))
    request["dimensions"] = draw(st.lists(dimensions(fields), max_size=draw(st.sampled_from((1, 2, 2, 3, 4)))))
    return request, draw(st.none() | st.none() | st.sampled_from(QS))
