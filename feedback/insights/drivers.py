"""What moves a score: each term's or topic's documents against all others.

Method: among the 100 terms of largest volume, the mean score of the documents that hold the term is compared with that
of those that do not (Welch's t-test and 95 % interval; an NPS is the mean of 100, 0 and -100). Which differences are
`significant` is decided over all terms together, at a false discovery rate of 5 % (Benjamini and Hochberg). `impact`
is what the whole score would lose if the term's documents were left out. Terms with fewer than `minimumVolume` scored
documents, or with fewer outside, are not judged. A difference says what goes together, not what causes what. Documents
without a score count nowhere, and no query lists them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from feedback.aggregation import Aggregator
from feedback.aggregation.figures import tidy
from feedback.aggregation.rules import DETRACTOR, PROMOTER
from feedback.domain.dataset import SCORES, Dataset, MetadataType
from feedback.errors import Code, Invalid, Problem
from feedback.insights.request import Asked, Json, about, every, probability, read_asked, rounded, within
from feedback.insights.statistics import Sample, discoveries, welch

MOST = 100
METHOD = "difference of mean scores with and without, Welch's t-test; significance at 5 % false discoveries"


def drivers(aggregator: Aggregator, dataset: Dataset, body: Mapping[str, Any] | None) -> Json:
    """The terms or topics whose documents score most differently.

    Body: `field` (an NPS, CSAT or CES metadata field), optionally `period`, `by` (TERMS or TOPICS), `opinion`, `query`,
    `limit` (20), `minimumVolume` (30). Raises Invalid where a member is wrong.
    """
    asked = read_asked(body, ("field", "period"))
    sent = body or {}
    name = _score_field(dataset, sent.get("field"))
    whole = _ask(aggregator, dataset, sent, asked, [])
    split = _ask(aggregator, dataset, sent, asked, [_dimension(asked)])
    total = _samples(name, whole).get((), Sample())
    labels = {d["id"]: d["value"] for item in split["values"] for d in item["dimensions"] if "id" in d}
    judged = [
        (term, sample, total.without(sample))
        for (term,), sample in _samples(name, split).items()
        if min(sample.count, total.count - sample.count) >= asked.minimum
    ]
    tests = [welch(sample, rest) for _, sample, rest in judged]
    significant = discoveries([p for _, _, p in tests])
    population = every(asked.query, within(whole["period"]), _scored(sent["field"], whole))
    items = [
        {
            "id": term,
            "label": labels[term],
            "with": {"value": rounded(sample.mean), "volume": sample.count},
            "without": {"value": rounded(rest.mean), "volume": rest.count},
            "difference": rounded(difference),
            "interval": [rounded(bound) for bound in interval],
            "pValue": probability(p),
            "significant": held,
            "impact": rounded(total.mean - rest.mean),
            "query": every(population, about(asked.by, term, asked.opinion)),
            "queryWithout": every(population, about(asked.by, term, asked.opinion, held=False)),
        }
        for (term, sample, rest), (difference, interval, p), held in zip(judged, tests, significant, strict=True)
    ]
    items.sort(key=lambda item: (-abs(item["impact"]), item["label"], item["id"]))
    scored = {"value": rounded(total.mean) if total.count else None, "volume": total.count, "query": population}
    return {
        "field": sent["field"],
        "by": asked.by,
        "method": METHOD,
        "minimumVolume": asked.minimum,
        "period": whole["period"],
        "total": scored,
        "items": items[: asked.limit],
    }


def _score_field(dataset: Dataset, field: object) -> MetadataType:
    code = field.removeprefix("metadata.") if isinstance(field, str) and field.startswith("metadata.") else ""
    definition = dataset.definition(code)
    if definition is None or definition.type not in SCORES or definition.personal_data:
        scores = [f"metadata.{d.code}" for d in dataset.metadata_definitions if d.type in SCORES]
        known = ", ".join(scores) or "none in this dataset"
        raise Invalid(f"must be an NPS, CSAT or CES field ({known}), not {field!r}", field="field")
    return definition.type


def _dimension(asked: Asked) -> Json:
    group = "DISTINCT" if asked.opinion is None else f"POLARITY_{asked.opinion}"
    return {"field": asked.by, "group": group, "limit": MOST}


def _ask(
    aggregator: Aggregator, dataset: Dataset, sent: Mapping[str, Any], asked: Asked, dimensions: list[Json]
) -> Json:
    """Documents by term and score."""
    request: Json = {
        "field": sent["field"],
        "dimensions": [*dimensions, {"field": sent["field"], "group": "DISTINCT", "limit": MOST}],
        "query": asked.query,
        "periods": [sent["period"]] if sent.get("period") else [],
    }
    try:
        found: Json = aggregator.aggregate(dataset, request)["periods"][0]
    except Invalid as error:
        raise Invalid(problems=map(_as_sent, error.problems)) from None
    values = {item["dimensions"][-1]["value"] for item in found["values"]}
    if len(values) == MOST:
        message = f"{sent['field']} takes {MOST} values or more, and drivers are computed of scores with fewer"
        raise Invalid(message, code=Code.TOO_MANY, field="field")
    return found


def _as_sent(problem: Problem) -> Problem:
    """A problem of the aggregation under the name that its member has in a request for drivers."""
    asked = "periods[0]"
    if problem.field is None or not problem.field.startswith(asked):
        return problem
    return replace(problem, field="period" + problem.field.removeprefix(asked))


def _scored(field: str, found: Json) -> Json | None:
    """The query that selects the documents with a score: of the least that any has, or more."""
    scores = [float(item["dimensions"][-1]["value"]) for item in found["values"]]
    return {"field": field, "operator": "GTE", "value": tidy(min(scores))} if scores else None


def _samples(kind: MetadataType, found: Json) -> dict[tuple[str, ...], Sample]:
    """The sample of scores of each combination of the dimensions before the score itself."""
    counts: dict[tuple[str, ...], dict[float, int]] = {}
    for item in found["values"]:
        *before, score = item["dimensions"]
        held = counts.setdefault(tuple(d["id"] for d in before), {})
        value = _points(kind, float(score["value"]))
        held[value] = held.get(value, 0) + item["volume"]
    return {key: Sample.of(held) for key, held in counts.items()}


def _points(kind: MetadataType, score: float) -> float:
    if kind is not MetadataType.NPS:
        return score
    return 100.0 if score >= PROMOTER else -100.0 if score <= DETRACTOR else 0.0
