"""What is spoken of together.

Method: of the documents that hold the given term, those that hold each other term too are counted. `lift` is how many
times
more often that is than if the two were independent; the order is by Dunning's log-likelihood ratio G2, which does not
mistake rare coincidences for strong ties, of pairs that occur more often than independent ones would (lift over 1). A
pair needs `minimumVolume` documents (default 10).
"""

from collections.abc import Mapping
from typing import Any

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from feedback.insights.counts import Count, counts_of
from feedback.insights.request import Asked, Json, about, every, read_asked, rounded
from feedback.insights.statistics import log_likelihood

METHOD = "co-occurrence in the same document, ordered by log-likelihood ratio (G2)"
MINIMUM_VOLUME = 10


def associations(aggregator: Aggregator, dataset: Dataset, body: Mapping[str, Any] | None) -> Json:
    """The terms or topics that go with a given one.

    Body: `id` (a term id or topic code), optionally `by` (TERMS or TOPICS, of both sides), `opinion` (of the given
    one),
    `query`, `limit` (20), `minimumVolume` (10). Raises Invalid where a member is wrong.
    """
    sent = {"minimumVolume": MINIMUM_VOLUME, **(body or {})}
    asked = read_asked(sent, ("id",))
    identifier = sent.get("id")
    if not isinstance(identifier, str):
        raise Invalid("is a term id or a topic code", code=Code.REQUIRED, field="id")
    given = every(asked.query, about(asked.by, identifier, asked.opinion))
    volume, total = (_volume(aggregator, dataset, query) for query in (given, asked.query))
    anywhere = Asked(asked.by, None, asked.query, asked.limit, asked.minimum)
    everyone = counts_of(aggregator, dataset, anywhere, asked.query)
    together = counts_of(aggregator, dataset, anywhere, given)
    items = [
        _item(asked, given, other, count=count, anywhere=everyone[other].volume, volume=volume, total=total)
        for other, count in together.items()
        if other != identifier and count.volume >= asked.minimum
    ]
    found = sorted((i for i in items if i["lift"] > 1), key=lambda i: (-i["strength"], i["label"], i["id"]))
    return {
        "id": identifier,
        "by": asked.by,
        "method": METHOD,
        "minimumVolume": asked.minimum,
        "volume": volume,
        "total": total,
        "items": found[: asked.limit],
    }


def _volume(aggregator: Aggregator, dataset: Dataset, query: Json | None) -> int:
    reply = aggregator.aggregate(dataset, {"field": "externalId", "query": query})
    return int(reply["periods"][0]["total"]["volume"])


def _item(
    asked: Asked, given: Json | None, other: str, *, count: Count, anywhere: int, volume: int, total: int
) -> Json:
    return {
        "id": other,
        "label": count.label,
        "volume": count.volume,
        "share": rounded(count.volume / volume),
        "shareOfAll": rounded(anywhere / total),
        "lift": rounded(count.volume * total / (volume * anywhere)),
        "strength": rounded(log_likelihood(count.volume, volume, anywhere, total)),
        "query": every(given, about(asked.by, other, None)),
    }
