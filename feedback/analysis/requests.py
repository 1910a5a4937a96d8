"""Finds what people answer who are asked what could be better: "more staff", "lower prices", "improve the parking".

No word of wishing stands in it, and the words themselves praise; read as a wish, it complains of what there is now.
"""

from collections.abc import Sequence

from feedback.analysis.comparatives import is_comparative
from feedback.analysis.form import Form
from feedback.analysis.grammar import Grammar
from feedback.analysis.language import Language
from feedback.analysis.lexicon import Entry, Match
from feedback.analysis.tags import NOUNS, VERBS

_WISH = "wish"
_ASKED = (Entry(("more",), _WISH, 1.0, "*"),)
_STATED = VERBS | {"PRON"}
_BEFORE = frozenset({"INTJ", "ADV", "CCONJ", "PUNCT"})
_OBJECT = frozenset({"DET", "NOUN", "PROPN", "ADJ", "NUM"})
_QUESTIONS = frozenset("?？")
_LONGEST = 10
"""Tokens: what is longer is a statement that lacks its verb for other reasons."""
_LATEST = 3


def found(
    forms: Sequence[Form],
    language: Language,
    tags: Sequence[str],
    sentences: Sequence[tuple[int, int]],
    matches: tuple[Sequence[Match], Sequence[Match]],
) -> list[Match]:
    """A wish for each request of a text, where the word stands that asks; `matches`: its opinions and its modifiers."""
    if not language.grammar.improving:
        return []
    asking: set[int] = set()
    improving: list[int] = []
    alone = bool(language.grammar.more) and len(tags) <= _LONGEST * len(sentences)
    for sentence in sentences:
        verb = _improving(language.grammar, forms, tags, sentence)
        if verb >= 0:
            improving.append(verb)
        elif alone:
            words = _comparing(language, forms, tags, sentence)
            asking.update(words)
            alone = bool(words)
    # Among other statements "better camera, longer battery life" praises; alone it is what somebody asks for.
    if not alone or _blames(asking, *matches):
        asking = set()
    return [Match(n, n + 1, _WISH, _ASKED) for n in sorted(asking.union(improving))]


def _improving(grammar: Grammar, forms: Sequence[Form], tags: Sequence[str], sentence: tuple[int, int]) -> int:
    """Where the verb of "improve the parking", "Parkplätze verbessern" stands; -1 where something else is said."""
    first, stop = sentence
    latest = min(stop, first + _LATEST) - 1
    while first < latest and tags[first] in _BEFORE:
        first += 1
    if forms[first].low in grammar.improving and first + 1 < stop and tags[first + 1] in _OBJECT:
        return first
    if not grammar.verb_last:
        return -1
    start, last = sentence[0], stop - 1
    while last > start and tags[last] == "PUNCT":
        last -= 1
    ends = last > start and forms[last].low in grammar.improving and _STATED.isdisjoint(tags[start:last])
    return last if ends else -1


def _comparing(language: Language, forms: Sequence[Form], tags: Sequence[str], sentence: tuple[int, int]) -> list[int]:
    """The comparatives of a few words without a verb that name something: "more staff", "prezzi più bassi"."""
    start, stop = sentence
    grammar = language.grammar
    if stop - start > _LONGEST or NOUNS.isdisjoint(tags[start:stop]):
        return []
    low = [form.low for form in forms[start:stop]]
    said = any(tag in VERBS and word not in grammar.wanted for word, tag in zip(low, tags[start:stop], strict=True))
    if said or not grammar.than.isdisjoint(low) or low[-1] in _QUESTIONS:
        return []
    words = [n for n in range(start, stop) if _asks(language, forms[n], [*tags[n : min(n + 2, stop)], ""])]
    if not words:
        return []
    opens = next(n for n in range(start, stop) if tags[n] not in _BEFORE or n == words[0]) == words[0]
    if not grammar.adjective_after:
        return words if opens else []
    # "Il più bel posto", "hotel más bonito de la ciudad": the best is said as the better is.
    ends = words[0] + 2 >= stop or tags[words[0] + 2] == "PUNCT"
    return words if opens or (ends and tags[words[0] - 1] in NOUNS) else []


def _asks(language: Language, form: Form, tags: Sequence[str]) -> bool:
    """Whether a word with a tag, before one with another, asks for more of something or is a comparative."""
    grammar, word = language.grammar, form.low
    if word in grammar.more:
        return True
    if grammar.adjective_after or not grammar.comparative_ending or tags[0] not in {"ADJ", "ADV"}:
        return False
    # "Verder prima eten": before a noun it is no adverb.
    base = language.lemma(form, "ADJ") if tags[1] in NOUNS else word
    return is_comparative(grammar, word, [base], tags[1:2])


def _blames(asking: set[int], opinions: Sequence[Match], modifiers: Sequence[Match]) -> bool:
    """Whether a text complains in words: "more problems", not "fewer problems" or "lower prices"."""
    fewer = {match.end for match in modifiers if match.kind == "less"}
    for match in opinions:
        entry = match.entries[0]
        compared = match.start in asking or (match.start - 1 in asking and entry.pos != "N")
        if entry.weight < 0 and not compared and match.start not in fewer:
            return True
    return False
