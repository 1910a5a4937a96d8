"""Finds what people answer who are asked what could be better: "more staff", "lower prices", "improve the parking".

No word of wishing stands in it, and the words themselves praise; read as a wish, it complains of what there is now.
"""

from collections.abc import Sequence

from feedback.analysis.language import Language
from feedback.analysis.lexicon import Entry, Match
from feedback.analysis.tokens import Tokens

_WISH = "wish"
_ASKED = (Entry(("more",), _WISH, 1.0, "*"),)
_VERBS = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_BEFORE = frozenset({"INTJ", "ADV", "CCONJ", "PUNCT"})
_OBJECT = frozenset({"DET", "NOUN", "PROPN", "ADJ", "NUM"})
_QUESTIONS = frozenset("?？")
_LONGEST = 10
"""Tokens: what is longer is a statement that lacks its verb for other reasons."""
_LATEST = 3
_INFLECTED = ("", "e", "en", "er", "es")


def found(
    tokens: Tokens,
    language: Language,
    tags: Sequence[str],
    sentences: Sequence[tuple[int, int]],
    matches: tuple[Sequence[Match], Sequence[Match]],
) -> list[Match]:
    """A wish for each request of a text, where the word stands that asks; `matches`: its opinions and its modifiers."""
    grammar = language.grammar
    if not grammar.improving:
        return []
    low = [word.lower() for word in tokens.surface]
    told = [_improving(language, low, tags, sentence) for sentence in sentences]
    compared: list[list[int]] = []
    if len(tokens.surface) <= _LONGEST * len(sentences):
        compared = [
            [] if at else _comparing(language, low, tags, sentence)
            for at, sentence in zip(told, sentences, strict=True)
        ]
    asking = {n for words in compared for n in words}
    # Among other statements "better camera, longer battery life" praises; alone it is what somebody asks for.
    if not all(at or words for at, words in zip(told, compared, strict=False)) or _blames(asking, *matches):
        asking = set()
    places = asking.union(*told)
    return [Match(n, n + 1, _WISH, _ASKED) for n in sorted(places)]


def _improving(language: Language, low: Sequence[str], tags: Sequence[str], sentence: tuple[int, int]) -> list[int]:
    """The verb of "improve the parking", "Parkplätze verbessern"; none where something else is said."""
    start, stop = sentence
    words = language.grammar.improving
    first = next((n for n in range(start, min(stop, start + _LATEST)) if tags[n] not in _BEFORE), stop)
    if first + 1 < stop and low[first] in words and tags[first + 1] in _OBJECT:
        return [first]
    last = next((n for n in range(stop - 1, start, -1) if tags[n] != "PUNCT"), start)
    alone = language.grammar.verb_last and last > start and low[last] in words
    return [last] if alone and _VERBS.isdisjoint(tags[start:last]) and "PRON" not in tags[start:last] else []


def _comparing(language: Language, low: Sequence[str], tags: Sequence[str], sentence: tuple[int, int]) -> list[int]:
    """The comparatives of a few words without a verb that name something: "more staff", "prezzi più bassi"."""
    start, stop = sentence
    grammar = language.grammar
    said = [n for n in range(start, stop) if tags[n] in _VERBS and low[n] not in grammar.wanted]
    if said or stop - start > _LONGEST or not grammar.than.isdisjoint(low[start:stop]) or low[stop - 1] in _QUESTIONS:
        return []
    if _NOUNS.isdisjoint(tags[start:stop]):
        return []
    words = [n for n in range(start, stop) if _compares(language, low[n], [*tags[n : min(n + 2, stop)], ""])]
    if not words:
        return []
    # "Il più bel posto", "mejor hotel": where there is no form for it, the best is said as the better is.
    opens = next(n for n in range(start, stop) if tags[n] not in _BEFORE or n == words[0]) == words[0]
    if grammar.adjective_after:
        ends = words[0] + 2 >= stop or tags[words[0] + 2] == "PUNCT"
        return words if (opens or (ends and tags[words[0] - 1] in _NOUNS)) else []
    return words if opens else []


def _compares(language: Language, word: str, tags: Sequence[str]) -> bool:
    """Whether a word with a tag, before one with another, is a comparative."""
    grammar = language.grammar
    if word in grammar.more:
        return True
    if grammar.adjective_after or not grammar.comparative_ending or tags[0] not in {"ADJ", "ADV"}:
        return False
    if word in grammar.comparatives:
        return True
    # "Verder prima eten": before a noun it is no adverb.
    ending = grammar.comparative_ending
    bare = language.lemma(language.form(word), "ADJ") if tags[1] in _NOUNS else word
    return bare != word and not bare.endswith(ending) and word.endswith(tuple(ending + more for more in _INFLECTED))


def _blames(asking: set[int], opinions: Sequence[Match], modifiers: Sequence[Match]) -> bool:
    """Whether a text complains in words: "more problems", not "fewer problems" or "lower prices"."""
    fewer = {match.end for match in modifiers if match.kind == "less"}
    for match in opinions:
        entry = match.entries[0]
        compared = match.start in asking or (match.start - 1 in asking and entry.pos != "N")
        if entry.weight < 0 and not compared and match.start not in fewer:
            return True
    return False
