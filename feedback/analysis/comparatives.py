"""Tells a comparative from a word that only ends like one: "schnellere Züge", but "freundlicher Service"."""

from collections.abc import Sequence

from feedback.analysis.grammar import Grammar

_NOUNS = frozenset({"NOUN", "PROPN"})
_INFLECTED = ("", "e", "en", "er", "es")


def ends_as_comparative(grammar: Grammar, word: str, base: str, after: Sequence[str]) -> bool:
    """Whether a word with a base form and with the tags `after` it ends as a comparative does: "cheaper", "schnellere".

    German inflects before a noun, so that -er alone only agrees with it: "freundlicher Service" compares nothing.
    """
    ending = grammar.comparative_ending
    if not ending or base == word:
        return False
    agrees = grammar.capital_nouns and not _NOUNS.isdisjoint(after)
    endings = tuple(ending + more for more in (_INFLECTED[1:] if agrees else _INFLECTED))
    if base.endswith(ending):
        # "Sauberer", "lekkerder", "teurer": what makes the comparative comes on top of the base form.
        stem = base if word.startswith(base) else base[: -len(ending)] + base[-1]
        return word.startswith(stem) and word[len(stem) :].endswith(endings)
    return word.endswith(endings)
