"""Gives a text the values of a dataset's classifiers, by rules over its terms, topics and metadata."""

from collections.abc import Mapping

from feedback.analysis.lexicon import match_phrase
from feedback.analysis.profile import ClassifierRule, Value
from feedback.analysis.reading import Reading
from feedback.domain.document import Enrichment, Topic


def classify(
    reading: Reading,
    rules: tuple[ClassifierRule, ...],
    enrichments: tuple[Enrichment, ...],
    topics: tuple[Topic, ...],
    metadata: Mapping[str, Value],
) -> dict[str, str]:
    """The value of each classifier: that of its first rule that holds, its default's, or none."""
    found: dict[str, str] = {}
    for rule in sorted(rules, key=lambda rule: rule.default):
        if rule.code not in found and _holds(rule, reading, enrichments, topics, metadata):
            found[rule.code] = rule.value
    return found


def _holds(
    rule: ClassifierRule,
    reading: Reading,
    enrichments: tuple[Enrichment, ...],
    topics: tuple[Topic, ...],
    metadata: Mapping[str, Value],
) -> bool:
    if any(metadata.get(code) != value for code, value in rule.metadata):
        return False
    if rule.any_topics and not any(
        topic.code in rule.any_topics and rule.any_opinion in (None, topic.opinion) for topic in topics
    ):
        return False
    if rule.any_terms:
        return _spoken(rule, reading, enrichments)
    if rule.any_opinion and not rule.any_topics:
        return any(enrichment.opinion == rule.any_opinion for enrichment in enrichments)
    return True


def _spoken(rule: ClassifierRule, reading: Reading, enrichments: tuple[Enrichment, ...]) -> bool:
    """Whether one of the rule's terms stands in the text, judged as the rule asks."""
    keys = reading.keys
    for term in rule.any_terms:
        words = tuple(word.lower() for word in reading.language.cut(term).surface)
        if not words:
            continue
        for n in range(len(keys)):
            end = match_phrase(words, keys, n, len(keys)) if words[0] in keys[n] else 0
            if end and (
                rule.any_opinion is None
                or _judged(rule.any_opinion, reading.begin[n], reading.end[end - 1], enrichments)
            ):
                return True
    return False


def _judged(opinion: str, begin: int, end: int, enrichments: tuple[Enrichment, ...]) -> bool:
    return any(e.opinion == opinion and e.offset.begin < end and e.offset.end > begin for e in enrichments)
