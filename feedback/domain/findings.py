"""What the analysis found, in the forms in which it is stored, shown and counted."""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import msgspec

from feedback.domain.document import Analysis, Enrichment, Offset, Topic

OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")
"""The order of opinions in a key: place or code of the term or topic * 3 + place in this list."""

_PLACE = {name: place for place, name in enumerate(OPINIONS)}

Contents = tuple[tuple[Enrichment, ...], tuple[Topic, ...], dict[str, str]]
"""Enrichments, topics and classifiers of a text."""

_pack = msgspec.msgpack.Encoder().encode
_unpack: msgspec.msgpack.Decoder[Contents] = msgspec.msgpack.Decoder(Contents)


class Keys(msgspec.Struct, frozen=True, array_like=True):
    """Terms or topics of some texts: 32-bit keys, text after text; how many are whose; the names of their places."""

    keys: bytes
    counts: bytes
    names: list[str]


class Findings(msgspec.Struct, array_like=True):
    """What some texts gave: of each its contents, packed; of all together what is counted.

    `labels` are those of the topics. `classifiers` is empty where no text has any.
    """

    texts: list[bytes]
    terms: Keys
    topics: Keys
    labels: dict[str, str]
    classifiers: list[dict[str, str]]
    version: str = ""
    seconds: float = 0.0
    """Processor time that the analysis took."""


Found = tuple[int, Findings]
"""What one text gave: its place among the texts that were analysed with it, and what they gave."""


def findings_of(analyses: Sequence[Analysis]) -> Findings:
    """The analyses of some texts, all by one version, as they are stored."""
    texts: list[bytes] = []
    terms: defaultdict[str, int] = defaultdict(count().__next__)
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    labels: dict[str, str] = {}
    term_keys: list[int] = []
    topic_keys: list[int] = []
    # One pass, while what the analysis made of a text still lies in the processor's caches.
    for found in analyses:
        enrichments, topics = found.enrichments, found.topics
        texts.append(_pack((enrichments, topics, found.classifiers)))
        term_keys += [terms[e.term] * 3 + _PLACE[e.opinion] for e in enrichments]
        for topic in topics:
            topic_keys.append(codes[topic.code] * 3 + _PLACE[topic.opinion])
            labels[topic.code] = topic.label
    classified = any(found.classifiers for found in analyses)
    return Findings(
        texts,
        Keys(_bytes(term_keys), _bytes([len(found.enrichments) for found in analyses]), list(terms)),
        Keys(_bytes(topic_keys), _bytes([len(found.topics) for found in analyses]), list(codes)),
        labels,
        [found.classifiers for found in analyses] if classified else [],
        analyses[0].version if analyses else "",
    )


def places(findings: Findings) -> list[Found]:
    """What each of the texts gave."""
    return [(place, findings) for place in range(len(findings.texts))]


def unpacked(packed: bytes) -> Contents:
    """The contents of a text as they were found."""
    return _unpack.decode(packed)


def contents_of(enrichments: bytes, topics: bytes, classifiers: bytes) -> Contents:
    """The contents of a text out of JSON, as `shown` names their parts."""
    return (
        tuple(
            Enrichment(e["term"], e["opinion"], Offset(e["offset"]["begin"], e["offset"]["end"]))
            for e in msgspec.json.decode(enrichments)
        ),
        tuple(Topic(t["code"], t["label"], t["opinion"]) for t in msgspec.json.decode(topics)),
        msgspec.json.decode(classifiers),
    )


def shown(enrichments: Sequence[Enrichment], topics: Sequence[Topic]) -> tuple[list[object], list[object]]:
    """Enrichments and topics as the interface names their parts."""
    return (
        [
            {"term": e.term, "opinion": e.opinion, "offset": {"begin": e.offset.begin, "end": e.offset.end}}
            for e in enrichments
        ],
        [{"code": t.code, "label": t.label, "opinion": t.opinion} for t in topics],
    )


def _bytes(numbers: list[int]) -> bytes:
    return array("I", numbers).tobytes()
