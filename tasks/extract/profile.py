"""Looks at a file as a feed would load it, and sends nothing: rows, rejects by reason, types, languages, dates."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from config.feed import Feed, Kind
from tasks.extract.extraction import Extraction, Place, extract, is_replay
from tasks.extract.quarantine import Rejected, read_quarantine

DISTINCT_KEPT = 1_000
SHOWN = 5


@dataclass(slots=True)
class FieldProfile:
    """One metadata field: how many documents have it, its range, its most frequent values."""

    type: str
    filled: int = 0
    lowest: Any = None
    highest: Any = None
    values: Counter[str] = field(default_factory=Counter)

    def take(self, value: Any) -> None:
        """Count a value."""
        self.filled += 1
        self.lowest = value if self.lowest is None else min(self.lowest, value)
        self.highest = value if self.highest is None else max(self.highest, value)
        if str(value) in self.values or len(self.values) < DISTINCT_KEPT:
            self.values[str(value)] += 1

    @property
    def ranged(self) -> bool:
        """Whether least and greatest say more than the frequent values do."""
        return self.type in {Kind.NUMBER, Kind.DATETIME}


@dataclass(slots=True)
class Profile:
    """What a file holds, seen through a feed."""

    extraction: Extraction
    too_many: str = ""
    fields: dict[str, FieldProfile] = field(default_factory=dict)
    languages: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=lambda: [0, 0, 0])
    examples: list[Rejected] = field(default_factory=list)


def profile(feed: Feed, source: str, work: Path) -> Profile:
    """The profile of a file. Raises what `extract` raises, save that too many rejects are only noted."""
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="check-") as scratch:
        tolerant = feed.model_copy(update={"max_rejected_share": 1.0})
        extraction = extract(tolerant, source, Place(Path(scratch), Path(scratch)))
        found = Profile(extraction, _verdict(feed, extraction))
        found.fields = {
            code: FieldProfile(rule.type.value) for code, rule in (feed.metadata | extraction.evolved).items()
        }
        for batch in extraction.batches:
            for document in msgspec.json.decode(batch.path.read_bytes())["documents"]:
                _take(found, document)
        if extraction.quarantine:
            found.examples = [
                reject for reject, _ in zip(read_quarantine(extraction.quarantine), range(SHOWN), strict=False)
            ]
    return found


def _take(found: Profile, document: dict[str, Any]) -> None:
    found.languages[document["lang"]] += 1
    size = len(document["content"])
    shortest, longest, total = found.lengths
    found.lengths = [min(shortest or size, size), max(longest, size), total + size]
    for each in document["metadata"]:
        found.fields[each["code"]].take(each["value"])


def _verdict(feed: Feed, extraction: Extraction) -> str:
    share = extraction.rejected / extraction.rows if extraction.rows else 0.0
    if share <= feed.max_rejected_share or is_replay(extraction.source):
        return ""
    allowed = f"the feed allows {feed.max_rejected_share:.0%}: a load would stop"
    return f"{share:.1%} of the rows would be rejected, {allowed}"
