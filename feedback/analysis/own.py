"""Lays a dataset's own opinion entries over the lexicon, for that dataset's texts alone."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from feedback.analysis.language import Language
from feedback.analysis.lexicon import OPINION, Entry, Match, match_phrase
from feedback.analysis.profile import OwnOpinion
from feedback.analysis.reading import Reading

_STRENGTH = {"POSITIVE": 2.0, "NEGATIVE": -2.0}


@dataclass(frozen=True)
class OwnWords:
    """Own entries by their first word; an own entry wins over the lexicon's for the same words."""

    by_first: dict[str, list[tuple[tuple[str, ...], tuple[Entry, ...]]]] = field(default_factory=dict)

    def apply(self, reading: Reading) -> Reading:
        """The reading with own entries matched and what they overlap taken out."""
        if not self.by_first:
            return reading
        keys = reading.keys
        found: list[Match] = []
        settled: set[int] = set()
        ends = [stop for _, stop in reading.sentences]
        for n, form in enumerate(reading.forms):
            here = [item for key in form.keys for item in self.by_first.get(key, ())]
            # The longest; of several words that a form may stand for, the one that is written there.
            here.sort(key=lambda item: (-len(item[0]), item[0][0] != form.low, item[0]))
            for words, entries in here:
                if end := match_phrase(words, keys, n, len(keys)):
                    number = bisect_right(ends, n)
                    if _holds(entries, keys[slice(*reading.sentences[number])]):
                        settled.add(number)
                    old = next((m.entries for m in reading.opinions if (m.start, m.end) == (n, end)), ())
                    # Where an own entry asks for a context that is not there, the lexicon's entry still holds.
                    found.append(
                        Match(n, end, OPINION, entries + tuple(e for e in old if not any(not o.only for o in entries)))
                    )
                    break
        taken = {n for match in found for n in range(match.start, match.end)}
        kept = [m for m in reading.opinions if taken.isdisjoint(range(m.start, m.end))]
        return replace(reading, opinions=sorted(kept + found, key=lambda m: m.start), settled=frozenset(settled))


def _holds(entries: Iterable[Entry], keys: list[frozenset[str]]) -> bool:
    """Whether the context that one of some entries asks for is in a sentence of these keys, or it asks for none."""
    return any(not entry.only or any(not entry.only.isdisjoint(key) for key in keys) for entry in entries)


@lru_cache(maxsize=64)
def own_words(language: Language, own: tuple[OwnOpinion, ...]) -> OwnWords:
    """The own entries of a dataset as the given language cuts and looks them up."""
    grouped: dict[tuple[str, ...], list[Entry]] = {}
    for entry in own:
        words = tuple(word.lower() for word in language.cut(entry.term).surface)
        if words:
            context = frozenset(
                key
                for word in entry.context
                for piece in language.cut(word).surface
                for key in language.form(piece).keys
            )
            grouped.setdefault(words, []).append(
                Entry(words, OPINION, _STRENGTH.get(entry.opinion.upper(), 0.0), "*", only=context)
            )
    by_first: dict[str, list[tuple[tuple[str, ...], tuple[Entry, ...]]]] = {}
    for words, entries in grouped.items():
        by_first.setdefault(words[0], []).append((words, tuple(entries)))
    return OwnWords(by_first)
