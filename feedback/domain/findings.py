"""What the analysis found, in the forms in which it is stored and counted: made once, where texts were analysed."""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import msgspec

from feedback.domain.document import Analysis

OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")
"""The order of opinions in a key: place or code of the term or topic * 3 + place in this list."""

NO_CLASSIFIERS = b"{}"
_encode = msgspec.json.Encoder().encode
_PLACE = {name: place for place, name in enumerate(OPINIONS)}


class Finding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one text gave, as JSON that is shown; and its place in its `Findings`."""

    place: int
    enrichments: bytes
    topics: bytes
    classifiers: bytes
    version: str


class Keys(msgspec.Struct, frozen=True, array_like=True):
    """Terms or topics of some texts: 32-bit keys, text after text; how many are whose; the names of their places."""

    keys: bytes
    counts: bytes
    names: list[str]


class Findings(msgspec.Struct, array_like=True):
    """What some texts gave. `labels` are those of the topics."""

    texts: list[Finding]
    terms: Keys
    topics: Keys
    labels: dict[str, str]
    seconds: float = 0.0
    """Processor time that the analysis took."""


Found = tuple[Finding, Findings]
"""What one text gave, among what the texts that were analysed with it gave."""


def findings_of(analyses: Sequence[Analysis]) -> Findings:
    """The analyses of some texts as they are stored."""
    texts = [
        Finding(
            place,
            _encode(found.enrichments),
            _encode(found.topics),
            _encode(found.classifiers) if found.classifiers else NO_CLASSIFIERS,
            found.version,
        )
        for place, found in enumerate(analyses)
    ]
    terms: defaultdict[str, int] = defaultdict(count().__next__)
    term_keys = [terms[e.term] * 3 + _PLACE[e.opinion] for found in analyses for e in found.enrichments]
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    topic_keys = [codes[t.code] * 3 + _PLACE[t.opinion] for found in analyses for t in found.topics]
    return Findings(
        texts,
        Keys(_bytes(term_keys), _bytes([len(found.enrichments) for found in analyses]), list(terms)),
        Keys(_bytes(topic_keys), _bytes([len(found.topics) for found in analyses]), list(codes)),
        {topic.code: topic.label for found in analyses for topic in found.topics},
    )


def _bytes(numbers: list[int]) -> bytes:
    return array("I", numbers).tobytes()
