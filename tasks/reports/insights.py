"""What moves the score and what changed, as the service works it out: praise and blame, each with its certainty."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from feedback.client import FeedbackClient

OPINIONS = ("positive", "negative")
MOST = 100
LOWEST = 2


@dataclass(frozen=True, slots=True)
class Driver:
    """Praise or blame of a term or topic: the score of comments that hold it against the others, and its pull."""

    id: str
    label: str
    opinion: str
    volume: int
    score: float
    difference: float
    low: float
    high: float
    impact: float
    clear: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A term or topic whose praise or blame became more or less common; shares are of all comments."""

    id: str
    label: str
    opinion: str
    share: float
    share_before: float
    count: int
    count_before: int
    p_value: float
    clear: bool

    @property
    def good(self) -> bool:
        """Whether it is a change for the better."""
        return self.rose == (self.opinion == "positive")

    @property
    def rose(self) -> bool:
        """Whether it became more common."""
        return self.share > self.share_before


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks one dataset; `about` is TERMS or TOPICS, and below `minimum` comments a period nothing is judged."""

    client: FeedbackClient
    dataset_id: str
    about: str
    minimum: int
    query: dict[str, Any] | None

    def drivers(self, field: str, period: Mapping[str, Any]) -> list[Driver]:
        """What goes with a higher or lower score, the strongest first."""
        asked = {"field": field, "period": period, "minimumVolume": max(LOWEST, self.minimum)}
        found = [_driver(opinion, item) for opinion, item in self._items("drivers", asked)]
        return sorted(found, key=lambda driver: (-abs(driver.impact), driver.label, driver.opinion))

    def changes(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
        """What is praised or blamed more or less often, the surest first."""
        # The service counts both periods together.
        asked = {"periods": [before, now], "minimumVolume": max(LOWEST, 2 * self.minimum)}
        found = [_change(opinion, item) for opinion, item in self._items("changes", asked)]
        return sorted(found, key=lambda change: (not change.clear, change.p_value, change.label, change.opinion))

    def _items(self, kind: str, asked: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for opinion in OPINIONS:
            request = {**asked, "by": self.about, "opinion": opinion.upper(), "limit": MOST}
            if self.query:
                request["query"] = self.query
            # A service of another make may not answer such questions; the report then goes without.
            reply = self.client.insights(self.dataset_id, kind, request) or {"items": []}
            for item in reply["items"]:
                yield opinion, item


def _driver(opinion: str, item: Mapping[str, Any]) -> Driver:
    low, high = item["interval"]
    return Driver(
        id=item["id"],
        label=item["label"],
        opinion=opinion,
        volume=item["with"]["volume"],
        score=item["with"]["value"],
        difference=item["difference"],
        low=low,
        high=high,
        impact=item["impact"],
        clear=item["significant"],
    )


def _change(opinion: str, item: Mapping[str, Any]) -> Change:
    before, now = item["before"], item["after"]
    return Change(
        id=item["id"],
        label=item["label"],
        opinion=opinion,
        share=now["share"],
        share_before=before["share"],
        count=now["volume"],
        count_before=before["volume"],
        p_value=item["pValue"],
        clear=item["significant"],
    )
