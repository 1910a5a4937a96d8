"""Finds the topics of a text: words of the industry's taxonomy and of the dataset's own topics."""

from collections import defaultdict
from functools import cache, lru_cache

from feedback.analysis.language import FOLDER, Language
from feedback.analysis.lexicon import rows as data_rows
from feedback.analysis.lexicon import stands
from feedback.analysis.profile import OwnTopic
from feedback.analysis.reading import Reading
from feedback.domain.document import Opinion, Topic

Phrase = tuple[tuple[str, ...], int]


class Taxonomy:
    """Topics indexed by the first word of each of their terms, labelled in the language `named`."""

    def __init__(self, language: Language, industry: str, own: tuple[OwnTopic, ...], named: str) -> None:
        self.labels: list[tuple[str, str]] = []
        self.terms: dict[str, list[Phrase]] = defaultdict(list)
        self.exclusions: dict[str, list[Phrase]] = defaultdict(list)
        rows = [row for row in language.topic_rows if row[0] == industry] or [
            row for row in language.topic_rows if row[0] == "GENERAL"
        ]
        labels = _labels(named)
        for at, code, label, terms in rows:
            self._add(language, code, labels.get((at, code), label), terms.split("|"), ())
        for topic in own:
            self._add(language, topic.code, topic.label, topic.terms, topic.exclusions)

        self.first = frozenset(self.terms)

    def _add(
        self, language: Language, code: str, label: str, terms: list[str] | tuple[str, ...], exclusions: tuple[str, ...]
    ) -> None:
        # A dataset's own topic of a known code adds to that topic, so that no text raises one code twice.
        number = next((n for n, (known, _) in enumerate(self.labels) if known == code), len(self.labels))
        self.labels[number:] = [(code, label), *self.labels[number + 1 :]]
        for source, target in ((terms, self.terms), (exclusions, self.exclusions)):
            for term in source:
                if words := _words(language, term):
                    target[words[0]].append((words, number))


def _words(language: Language, term: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in language.cut(term.strip()).surface)


@cache
def _labels(code: str) -> dict[tuple[str, str], str]:
    """What a language calls the topics, by industry and code; of an unknown language nothing is known."""
    return {(row[0], row[1]): row[2] for row in data_rows(FOLDER / code / "topics.tsv") if len(row) == 4}


@lru_cache(maxsize=64)
def taxonomy(language: Language, industry: str, own: tuple[OwnTopic, ...], named: str) -> Taxonomy:
    """The taxonomy of an industry in a language with a dataset's own topics.

    Its labels are in the language `named`: a topic of a dataset has one name, whatever language a comment is in.
    """
    return Taxonomy(language, industry, own, named)


def find(reading: Reading, known: Taxonomy, opinion_at: dict[int, Opinion]) -> tuple[Topic, ...]:
    """The topics a text raises, in the taxonomy's order.

    `opinion_at` gives the opinion on the term a token belongs to; a topic has the opinion most of its mentions have,
    NEGATIVE on a tie, since what must be mended matters more than what may stay.
    """
    keys = reading.keys
    votes: dict[int, list[Opinion]] = {}
    barred = _exclusions(known, keys)
    for n, here in enumerate(keys):
        if known.first.isdisjoint(here):
            continue
        for words, number in _here(known.terms, here, keys, n):
            if not barred or not _covered(barred, number, n, n + len(words)):
                votes.setdefault(number, []).append(_last(opinion_at, range(n, n + len(words))))
    return tuple([Topic(*known.labels[number], _verdict(votes[number]).value) for number in sorted(votes)])


def _last(opinion_at: dict[int, Opinion], tokens: range) -> Opinion:
    """The opinion on the last of some tokens that has one."""
    for n in reversed(tokens):
        if n in opinion_at:
            return opinion_at[n]
    return Opinion.NEUTRAL


def _exclusions(known: Taxonomy, keys: list[frozenset[str]]) -> list[tuple[int, int, int]]:
    """Where the exclusions stand: (topic, start, end)."""
    if not known.exclusions:
        return []
    return [
        (number, n, n + len(words))
        for n, first in enumerate(keys)
        for words, number in _here(known.exclusions, first, keys, n)
    ]


def _covered(barred: list[tuple[int, int, int]], number: int, start: int, end: int) -> bool:
    return any(n == number and begin < end and start < stop for n, begin, stop in barred)


def _here(index: dict[str, list[Phrase]], first: frozenset[str], keys: list[frozenset[str]], at: int) -> list[Phrase]:
    return [
        (words, number)
        for key in first
        if key in index
        for words, number in index[key]
        if len(words) == 1 or stands(words, keys, at)
    ]


def _verdict(votes: list[Opinion]) -> Opinion:
    positive, negative = votes.count(Opinion.POSITIVE), votes.count(Opinion.NEGATIVE)
    if not positive and not negative:
        return Opinion.NEUTRAL
    return Opinion.POSITIVE if positive > negative else Opinion.NEGATIVE
