"""Writes docs/aggregations.md: every operation and group with a request and its reply, asked of a small dataset.

`python -m tests.aggregation.page` rewrites the page; a test holds it to what the service answers.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from feedback.aggregation import Aggregator
from feedback.aggregation.rules import GROUPS, LABELS, OPERATIONS, Grouping
from feedback.domain.fields import Kind
from feedback.insights import associations, changes, drivers
from feedback.store.engine import open_engine
from tests.aggregation.reference import Doc
from tests.aggregation.shelf import Shelf

PAGE = Path(__file__).parents[2] / "docs" / "aggregations.md"
DAY = 86_400_000
FIRST = 18_624  # 2020-12-28, a Monday.

STAFF, QUEUE, PRICE = "staff__NOUN__1", "queue__NOUN__1", "price__NOUN__1"
GOOD, BAD, PLAIN = "POSITIVE", "NEGATIVE", "NEUTRAL"


def doc(n: int, days: int, metadata: dict[str, Any], *terms: tuple[str, str]) -> Doc:
    created = (FIRST + days) * DAY + n * 3_600_000
    topics = [("STAFF", "Staff", opinion) for term, opinion in terms if term == STAFF]
    mood = {"mood": "cross" if any(o == BAD for _, o in terms) else "calm"}
    return Doc(f"r{n}", created, created, "SATISFACTION_SURVEY_RESPONSE", "en", metadata, list(terms), topics, mood)


DOCS = [
    doc(1, 0, {"nps": 10, "csat": 5, "ces": 2, "amount": 12.5, "store": "Paris", "vip": True}, (STAFF, GOOD)),
    doc(
        2, 1, {"nps": 9, "csat": 4, "amount": 40, "store": "Paris", "place": "48.85,2.35"}, (STAFF, GOOD), (QUEUE, BAD)
    ),
    doc(
        3, 4, {"nps": 3, "csat": 1, "ces": 6, "amount": 7.1, "store": "Łódź", "vip": False}, (STAFF, BAD), (QUEUE, BAD)
    ),
    doc(4, 6, {"nps": 7, "csat": 5, "amount": 99.9, "store": "Paris", "when": (FIRST - 40) * DAY}, (PRICE, PLAIN)),
    doc(5, 35, {"csat": 3, "ces": 4, "store": "Łódź"}, (PRICE, GOOD), (STAFF, GOOD)),
    doc(6, 36, {"nps": 0, "amount": 60, "store": "東京", "when": (FIRST + 20) * DAY}, (QUEUE, BAD), (QUEUE, PLAIN)),
]

Example = tuple[str, dict[str, Any], str | None]


def ask(
    title: str, field: str, operation: str, *dimensions: dict[str, Any], q: str | None = None, **more: Any
) -> Example:
    body: dict[str, Any] = {"field": field, "type": operation, **more}
    return title, body | ({"dimensions": list(dimensions)} if dimensions else {}), q


def by(field: str, group: str, **more: Any) -> dict[str, Any]:
    return {"field": field, "group": group, **more}


JANUARY = {"field": "createdAt", "from": "2021-01-01T00:00:00.000Z", "to": "2021-01-31T23:59:59.999Z"}
DECEMBER = {"field": "createdAt", "from": "2020-12-01T00:00:00.000Z", "to": "2020-12-31T23:59:59.999Z"}
RANGES = [{"name": "small", "max": 20}, {"name": "medium", "min": 20, "max": 50}, {"name": "large", "min": 50}]

OPERATION_EXAMPLES = [
    ask("COUNT: documents that have the field", "metadata.ces", "COUNT"),
    ask("SUM", "metadata.amount", "SUM"),
    ask("AVG", "metadata.amount", "AVG"),
    ask("MAX of a number", "metadata.amount", "MAX"),
    ask("MIN of a date: epoch milliseconds", "metadata.when", "MIN"),
    ask("NPS", "metadata.nps", "NPS"),
    ask("CSAT", "metadata.csat", "CSAT"),
    ask("CES", "metadata.ces", "CES"),
]
GROUP_EXAMPLES = [
    ask("DISTINCT of a String", "metadata.nps", "NPS", by("metadata.store", "DISTINCT")),
    ask("DISTINCT of TERMS", "metadata.nps", "AVG", by("TERMS", "DISTINCT", limit=2)),
    ask("RANGE", "metadata.nps", "NPS", by("metadata.amount", "RANGE", ranges=RANGES)),
    ask("NPS_GROUP", "metadata.amount", "SUM", by("metadata.nps", "NPS_GROUP")),
    ask("YEAR", "metadata.nps", "COUNT", by("createdAt", "YEAR")),
    ask("MONTH", "metadata.nps", "NPS", by("createdAt", "MONTH")),
    ask("WEEK", "metadata.csat", "CSAT", by("createdAt", "WEEK"), periods=[JANUARY]),
    ask("DAY", "externalId", "COUNT", by("createdAt", "DAY", limit=7)),
    ask("POLARITY_ALL", "TERMS", "COUNT", by("TERMS", "POLARITY_ALL")),
    ask("POLARITY_POSITIVE", "metadata.nps", "NPS", by("TERMS", "POLARITY_POSITIVE")),
    ask("POLARITY_NEGATIVE", "metadata.nps", "NPS", by("TERMS", "POLARITY_NEGATIVE")),
    ask("POLARITY_NEUTRAL of TOPICS and of TERMS", "TERMS", "COUNT", by("TERMS", "POLARITY_NEUTRAL")),
    ask("TERMS_POLARITY alone: polarities in the document", "TERMS", "COUNT", by("TERMS_POLARITY", "DISTINCT")),
    ask("TERMS_POLARITY, POSITIVE only", "TOPICS", "COUNT", by("TERMS_POLARITY", "POSITIVE")),
    ask("TERMS_POLARITY, NEUTRAL only", "TOPICS", "COUNT", by("TERMS_POLARITY", "NEUTRAL")),
    ask(
        "TERMS_POLARITY qualifying TERMS",
        "TERMS",
        "COUNT",
        by("TERMS", "DISTINCT"),
        by("TERMS_POLARITY", "NEGATIVE"),
    ),
]
MORE_EXAMPLES = [
    ask("Two periods and a filter", "metadata.nps", "NPS", periods=[DECEMBER, JANUARY],
        query={"field": "metadata.store", "operator": "IN", "value": ["Paris", "Łódź"]}),
    ask("Two dimensions", "metadata.nps", "COUNT", by("metadata.store", "DISTINCT"), by("metadata.nps", "NPS_GROUP")),
    ask("Two TERMS dimensions: co-occurrence", "TERMS", "COUNT", by("TERMS", "DISTINCT"), by("TERMS", "DISTINCT")),
    ask("Groups of criteria", "externalId", "COUNT", query={"operator": "OR", "criteria": [
        {"field": "TERMS", "operator": "EQ", "value": STAFF, "opinion": "NEGATIVE"},
        {"operator": "AND", "criteria": [
            {"field": "metadata.nps", "operator": "GTE", "value": 9},
            {"field": "metadata.vip", "operator": "NEQ", "value": True}]}]}),
    ask("With `q=STÁFF`", "TERMS", "COUNT", by("TERMS", "POLARITY_ALL"), q="STÁFF"),
    ask("Classifiers", "classifier.mood", "COUNT", by("classifier.mood", "DISTINCT")),
]  # fmt: skip


def tables() -> list[str]:
    kinds = [kind for kind in Kind if kind is not Kind.POLARITY]
    lines = ["## What is legal", "", "| operation | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for operation, legal in OPERATIONS.items():
        lines.append(f"| {operation} | " + " | ".join("yes" if kind in legal else "" for kind in kinds) + " |")
    lines += [
        "",
        "COUNT of a String needs declared `allowedValues`. Category is `type`, `lang` and `classifier.<code>`.",
        "",
    ]
    lines += ["| group | " + " | ".join(Kind) + " | value |", "|---" * (len(Kind) + 2) + "|"]
    for group in Grouping:
        row = " | ".join("yes" if kind in GROUPS[group] else "" for kind in Kind)
        lines.append(f"| {group} | {row} | {LABELS[group]} |")
    return [*lines, "", "Anything else is answered 422, with what is allowed in its place.", ""]


HEAD = """# Aggregations by example

This page is written by `python -m tests.aggregation.page`, and a test holds it to what the service answers. The
replies are those of `POST /v1/aggregation/datasets/{dataset_id}/documents` on a dataset of six documents:

"""
CONVENTIONS = """
`volume` counts the documents of a combination, `value` is computed of those that have the field. Sums and averages are
exact in decimal and rounded once, so that no order of documents, number of threads or cut into segments changes a
digit. Without `periods` the period is from the dataset's first `createdAt` to its last.

Every test run asks a thousand random questions of random datasets and holds the answers to a naive evaluator. Before a
change of how documents are counted, or every night, `AGGREGATION_EXAMPLES=5000 python -m pytest
tests/aggregation/test_kernel_against_reference.py` asks some 60,000, never the same ones.

"""
INSIGHTS = """## Insights

`POST /v1/insights/datasets/{dataset_id}/drivers`, `/changes` and `/associations` ask aggregations twice and compare.
Each figure comes with the query that lists exactly the documents counted. Groups smaller than `minimumVolume` (30;
associations 10) are not judged; the examples lower it, as six documents prove nothing.

| insight | compares | test | 95 % interval |
|---|---|---|---|
| drivers | mean score of documents with the term and without it (NPS as 100, 0, -100) | Welch's t | Welch |
| changes | shares of the documents of two periods | pooled two-proportion z | Newcombe |
| associations | documents with both terms and those expected of independent ones | log-likelihood ratio G2 | |

`significant` is decided over all items of a reply together, at a false discovery rate of 5 % (Benjamini and Hochberg),
before `limit` cuts them. A driver's `impact` is what the whole score would lose without the term's documents. Terms of
which one is a part of the other, such as "staff" and "reception staff", are not said to go together.

"""


def told_documents() -> list[str]:
    lines = ["| externalId | createdAt | metadata | terms |", "|---|---|---|---|"]
    for one in DOCS:
        metadata = ", ".join(f"{k} {v}" for k, v in one.metadata.items())
        terms = ", ".join(f"{term} {opinion}" for term, opinion in one.terms)
        lines.append(f"| {one.external_id} | {one.created_at} | {metadata} | {terms} |")
    return lines


def block(value: Any) -> list[str]:
    """JSON in a form that is short to read: one line for each member of a reply, and each of its values."""
    return ["```json", pretty(value), "```", ""]


def pretty(value: Any, depth: int = 0) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + depth * 2 <= 110 or not isinstance(value, dict | list):
        return flat
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(k)}: {pretty(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + "  " * depth + "}"
    return "[\n" + ",\n".join(inner + pretty(v, depth + 1) for v in value) + "\n" + "  " * depth + "]"


def render(shelf: Shelf) -> str:
    """The whole page."""
    dataset = shelf.dataset()
    shelf.put(dataset, DOCS)
    aggregator = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    lines = [HEAD.rstrip("\n"), "", *told_documents(), CONVENTIONS.rstrip("\n"), "", *tables()]
    for heading, examples in (
        ("Operations", OPERATION_EXAMPLES),
        ("Groups", GROUP_EXAMPLES),
        ("Together", MORE_EXAMPLES),
    ):
        lines += [f"## {heading}", ""]
        for title, request, q in examples:
            lines += [f"### {title}", "", *block(request), *block(aggregator.aggregate(dataset, request, q))]
    lines += [INSIGHTS.rstrip("\n"), ""]
    small = {"minimumVolume": 2, "limit": 2}
    for name, function, body in (
        ("drivers", drivers, {"field": "metadata.nps", **small}),
        ("changes", changes, {"periods": [DECEMBER, JANUARY], **small}),
        ("associations", associations, {"id": QUEUE, **small}),
    ):
        lines += [f"### {name}", "", *block(body), *block(function(aggregator, dataset, body))]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        engine = open_engine(f"sqlite:///{directory}/page.db")
        PAGE.write_text(render(Shelf(engine)), encoding="utf-8")
        engine.dispose()


if __name__ == "__main__":
    main()
