"""Tells a comparative from a word that only ends like one: "schnellere Züge", but "freundlicher Service"."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from feedback.analysis.grammar import Grammar
from feedback.analysis.tags import NOUNS

if TYPE_CHECKING:
    from feedback.analysis.hits import Hit
    from feedback.analysis.reading import Reading

_INFLECTED = ("", "e", "en", "er", "es")


def compares(reading: "Reading", hit: "Hit") -> bool:
    """Whether a judgement is a comparison: "cheaper", "un peu meilleur", "più economico"."""
    words, grammar, start = reading.words, reading.language.grammar, hit.start
    bases = [entry.words[0] for entry in hit.entries]
    if is_comparative(grammar, words[start], bases, reading.tags[start + 1 : start + 2]):
        return True
    return any(
        word in grammar.comparatives for word in (*words[max(0, start - 1) : start], *words[start + 1 : hit.end])
    )


def is_comparative(grammar: Grammar, word: str, bases: Collection[str], after: Sequence[str]) -> bool:
    """Whether a word is listed as a comparative, or ends as that of all its base forms, with the tags `after` it.

    The base form of "cheaper" is another word, that of "clever" is itself. What has no base form (a lack, a bare
    denial) has no word of its own that could compare.
    """
    if word in grammar.comparatives:
        return True
    return bool(bases) and all(_ends_as_comparative(grammar, word, base, after) for base in bases)


def _ends_as_comparative(grammar: Grammar, word: str, base: str, after: Sequence[str]) -> bool:
    """Whether a word with a base form and with the tags `after` it ends as a comparative does: "cheaper", "schnellere".

    German inflects before a noun, so that -er alone only agrees with it: "freundlicher Service" compares nothing.
    """
    ending = grammar.comparative_ending
    if not ending or base == word:
        return False
    agrees = grammar.capital_nouns and not NOUNS.isdisjoint(after)
    endings = tuple(ending + more for more in (_INFLECTED[1:] if agrees else _INFLECTED))
    if base.endswith(ending):
        # "Sauberer", "lekkerder", "teurer": what makes the comparative comes on top of the base form.
        stem = base if word.startswith(base) else base[: -len(ending)] + base[-1]
        return word.startswith(stem) and word[len(stem) :].endswith(endings)
    return word.endswith(endings)
