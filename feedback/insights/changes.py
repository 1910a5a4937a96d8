"""What customers speak of more, or less, than before.

Method: for each term or topic the share of the documents of two periods that hold it is compared by the pooled
two-proportion z-test; which changes are `significant` is decided over all of them together, at a false discovery rate
of 5 % (Benjamini and Hochberg). The interval is Newcombe's 95 % one of the difference of shares. A term needs
`minimumVolume` documents in the two periods together, and each period as many in all. Items are ordered by the size of
the change.
"""

from collections.abc import Mapping
from typing import Any

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from feedback.insights.counts import counts_of
from feedback.insights.request import Asked, Json, about, every, probability, read_asked, rounded, within
from feedback.insights.statistics import discoveries, two_proportions

METHOD = "difference of shares between two periods, pooled z-test; significance at 5 % false discoveries"


def changes(aggregator: Aggregator, dataset: Dataset, body: Mapping[str, Any] | None) -> Json:
    """The terms or topics whose share of documents changed most.

    Body: `periods` (two, the earlier first, with both bounds), optionally `by` (TERMS or TOPICS), `opinion`, `query`,
    `limit` (20), `minimumVolume` (30). Raises Invalid where a member is wrong.
    """
    asked = read_asked(body, ("periods",))
    periods = _periods((body or {}).get("periods"))
    request = {"field": "externalId", "query": asked.query, "periods": periods}
    before, after = (p["total"]["volume"] for p in aggregator.aggregate(dataset, request)["periods"])
    populations = [every(asked.query, within(period)) for period in periods]
    enough = min(before, after) >= asked.minimum
    items = _compared(aggregator, dataset, asked, populations, (before, after)) if enough else []
    items.sort(key=lambda item: (-abs(item["change"]), item["label"], item["id"]))
    return {
        "by": asked.by,
        "method": METHOD,
        "minimumVolume": asked.minimum,
        "periods": [{"period": p, "volume": n} for p, n in zip(periods, (before, after), strict=True)],
        "items": items[: asked.limit],
    }


def _compared(
    aggregator: Aggregator, dataset: Dataset, asked: Asked, populations: list[Json | None], volumes: tuple[int, int]
) -> list[Json]:
    old, new = (counts_of(aggregator, dataset, asked, population) for population in populations)
    labels = {i: c.label for i, c in (old | new).items()}
    pairs = [(i, old[i].volume if i in old else 0, new[i].volume if i in new else 0) for i in labels]
    judged = [(i, a, b) for i, a, b in pairs if a + b >= asked.minimum]
    tests = [two_proportions(b, volumes[1], a, volumes[0]) for _, a, b in judged]
    significant = discoveries([p for _, _, p in tests])
    return [
        {
            "id": term,
            "label": labels[term],
            "before": {"share": rounded(a / volumes[0]), "volume": a},
            "after": {"share": rounded(b / volumes[1]), "volume": b},
            "change": rounded(change),
            "interval": [rounded(bound) for bound in interval],
            "pValue": probability(p),
            "significant": held,
            "queries": [every(population, about(asked.by, term, asked.opinion)) for population in populations],
        }
        for (term, a, b), (change, interval, p), held in zip(judged, tests, significant, strict=True)
    ]


def _periods(sent: object) -> list[Json]:
    if not isinstance(sent, list) or len(sent) != 2:
        raise Invalid("must be two periods, the earlier first", code=Code.REQUIRED, field="periods")
    for place, period in enumerate(sent):
        if not isinstance(period, Mapping) or not all(isinstance(period.get(n), str) for n in ("field", "from", "to")):
            raise Invalid("needs field, from and to", code=Code.REQUIRED, field=f"periods[{place}]")
    return [dict(period) for period in sent]
