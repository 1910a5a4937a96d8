"""What is spoken of together.

Method: of the documents that hold the given term, those that hold each other term too are counted. `lift` is how many
times more often that is than if the two were independent; the order is by Dunning's log-likelihood ratio G2, which does
not mistake rare coincidences for strong ties, of pairs that occur more often than independent ones would (lift over 1).
Which ties are `significant` is decided over all pairs together, at a false discovery rate of 5 % (Benjamini and
Hochberg). A pair needs `minimumVolume` documents (default 10). Terms of which one is a part of the other ("staff",
"reception staff") occur together whatever customers think, and are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from feedback.insights.counts import Count, counts_of
from feedback.insights.request import Asked, Json, about, every, probability, read_asked, rounded
from feedback.insights.statistics import discoveries, independence

METHOD = "co-occurrence in the same document, by log-likelihood ratio (G2); significance at 5 % false discoveries"
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
    label = everyone[identifier].label if asked.by == "TERMS" and identifier in everyone else None
    pairs = [
        (other, count, everyone[other].volume)
        for other, count in together.items()
        if count.volume >= asked.minimum and other != identifier and not _within_one_another(label, count.label)
    ]
    items = _items(asked, given, pairs, volume, total)
    found = sorted((i for i in items if i["lift"] > 1), key=lambda i: (-i["strength"], i["label"], i["id"]))
    return {
        "id": identifier,
        "by": asked.by,
        "method": METHOD,
        "minimumVolume": asked.minimum,
        "volume": volume,
        "total": total,
        "query": given,
        "items": found[: asked.limit],
    }


def _volume(aggregator: Aggregator, dataset: Dataset, query: Json | None) -> int:
    reply = aggregator.aggregate(dataset, {"field": "externalId", "query": query})
    return int(reply["periods"][0]["total"]["volume"])


def _items(
    asked: Asked, given: Json | None, pairs: Sequence[tuple[str, Count, int]], volume: int, total: int
) -> list[Json]:
    """What is told of each pair: (id, documents that hold both, documents that hold the other)."""
    ties = [independence(count.volume, volume, anywhere, total) for _, count, anywhere in pairs]
    significant = discoveries([p for _, p in ties])
    return [
        {
            "id": other,
            "label": count.label,
            "volume": count.volume,
            "share": rounded(count.volume / volume),
            "shareOfAll": rounded(anywhere / total),
            "lift": rounded(count.volume * total / (volume * anywhere)),
            "strength": rounded(strength),
            "pValue": probability(p),
            "significant": held,
            "query": every(given, about(asked.by, other, None)),
        }
        for (other, count, anywhere), (strength, p), held in zip(pairs, ties, significant, strict=True)
    ]


def _within_one_another(one: str | None, other: str) -> bool:
    """Whether all words of one term's label stand in the other's."""
    if one is None:
        return False
    mine, theirs = set(one.split()), set(other.split())
    return mine <= theirs or theirs <= mine
