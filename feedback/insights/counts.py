"""How many documents of a population hold each term or topic."""

from dataclasses import dataclass

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.insights.request import Asked, Json

EVERY_TERM = 2**31
MOST_TOPICS = 100


@dataclass(frozen=True, slots=True)
class Count:
    """A label and the documents that hold what it labels."""

    label: str
    volume: int


def counts_of(aggregator: Aggregator, dataset: Dataset, asked: Asked, population: Json | None) -> dict[str, Count]:
    """All terms of a population by id; of topics the 100 largest, which no taxonomy outgrows."""
    if asked.by == "TERMS":
        opinions = None if asked.opinion is None else frozenset({asked.opinion})
        _, found = aggregator.search_terms(dataset, population, opinions=opinions, limit=EVERY_TERM)
        return {item["id"]: Count(item["label"], item["occurrences"]) for item in found}
    group = "DISTINCT" if asked.opinion is None else f"POLARITY_{asked.opinion}"
    dimension = {"field": asked.by, "group": group, "limit": MOST_TOPICS}
    request = {"field": asked.by, "query": population, "dimensions": [dimension]}
    values = aggregator.aggregate(dataset, request)["periods"][0]["values"]
    return {d["id"]: Count(d["value"], item["volume"]) for item in values for d in item["dimensions"]}
