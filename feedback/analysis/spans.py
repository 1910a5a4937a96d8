"""Tells which stretches of a noun phrase are terms: with what tells a kind, a number, or what a thing is for."""

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from feedback.analysis.adjectives import is_kind, is_relational
from feedback.analysis.reading import Reading
from feedback.analysis.words import is_noun, noun_lemma

if TYPE_CHECKING:
    from feedback.analysis.terms import Node

_start = attrgetter("start")
_DIGITS = 5
_COUNTED = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "SYM", "ADP"})
_AFTER_SUBJECT = frozenset({"AUX", "VERB", "ADV", "ADJ"})


def of(reading: Reading, node: "Node", lemma: str) -> list[tuple[int, int]]:
    """The terms of a noun phrase: its nouns with what tells a kind, its nouns, its head and what else is nested.

    `lemma` is that of its head.
    """
    first, last = node.first, node.last
    found, language = _kinds(reading, node), reading.language
    if lemma not in language.stopterms or (language.grammar.attributive and lemma in language.grammar.terms_if_judged):
        found.append((node.head, node.head + 1))
    if language.grammar.attributive and last - first > 1 and _opens_topic(reading, node):
        found.append((first, first + 1))
    if last < len(reading.tags) and reading.tags[last] == "NUM" and _numbered(reading, node):
        found.append((first, last + 1))
    if end := _serves(reading, node):
        found.append((first, end))
    return found


def _kinds(reading: Reading, node: "Node") -> list[tuple[int, int]]:
    """The nouns of a node, with and without the adjectives that tell a kind."""
    first, last = low, high = node.first, node.last
    if reading.language.grammar.adjective_after:
        if high < node.end and reading.tags[high] == "ADJ" and is_relational(reading, high):
            high += 1
    else:
        while (
            low > node.begin and reading.tags[low - 1] == "ADJ" and is_relational(reading, low - 1) and first - low < 2
        ):
            low -= 1
    spans = [(low, high), (first, last)]
    if reading.language.grammar.adjective_after:
        if high == last < node.end and is_kind(reading, high, node.head):
            spans.append((first, high + 1))
    elif low == first > node.begin and is_kind(reading, first - 1, node.head):
        spans.append((first - 1, last))
    return spans


def named(reading: Reading, node: "Node", phrases: dict[int, tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """The name with an adjective that the lexicon lists because it judges nothing: "petit déjeuner", "foie gras"."""
    start, end, judges = phrases.get(node.head, (0, 0, False))
    if not judges or start < node.begin or end > node.end or (start >= node.first and end <= node.last):
        return []
    # Matches stand in order: a text of many phrases is not searched from its begin for each.
    at = bisect_left(reading.opinions, start, key=_start)
    if at == len(reading.opinions) or (reading.opinions[at].start, reading.opinions[at].end) != (start, end):
        return []
    silent = not any(e.weight or e.pos == "M" for e in reading.opinions[at].entries)
    return [(start, end)] if silent else []


def leads_topic(reading: Reading, node: "Node") -> bool:
    """Whether a stop-term only leads to what is spoken of: "Côté service, rien à dire", "Bravo Julie !"."""
    n, language = node.first, reading.language
    if node.last - n == 1 or node.spans:
        return False
    word = reading.forms[n].low
    opens = not n or reading.tags[n - 1] in {"PUNCT", "CCONJ"}
    if not opens or word not in language.stopterms or word in language.grammar.terms_if_judged:
        return False
    praised = reading.tags[n + 1] == "PROPN" and any(entry.weight > 0 for entry in reading.forms[n].opinions)
    return praised or (reading.forms[n + 1].noun and language.grammar.adjective_after)


def _opens_topic(reading: Reading, node: "Node") -> bool:
    """Whether a statement begins with what it is about and goes on with a part of it: "耳机性价比高"."""
    n = node.first
    opens = node.begin == n and (not n or reading.tags[n - 1] == "PUNCT")
    # "安装师傅" are people, not the fitting, and "飞机餐" is no aeroplane.
    whole = len(reading.surface[n + 1]) > 1
    return opens and whole and reading.forms[n].noun and reading.language.hint(reading.forms[n].low) == "NOUN"


def _serves(reading: Reading, node: "Node") -> int:
    """Where a term ends that says what a thing is for: "la máquina de lavar no centrifuga"; 0 if it does not."""
    n, tags, grammar = node.last, reading.tags, reading.language.grammar
    if node.inner or n + 1 >= len(tags) or tags[n] != "ADP" or tags[n + 1] != "VERB" or not grammar.adjective_after:
        return 0
    joined = reading.forms[n].low in grammar.linkers | grammar.loose_linkers and not reading.covered[n + 1]
    goes_on = n + 2 < len(tags) and tags[n + 2] in _AFTER_SUBJECT
    return n + 2 if joined and goes_on and reading.lemma(n + 1) == reading.forms[n + 1].low else 0


def _numbered(reading: Reading, node: "Node") -> bool:
    """Whether a number behind a noun is part of its name: "IC 2442", "Gate 14", not "the pizza 12 euros"."""
    n, tags = node.last, reading.tags
    if reading.begin[n] - reading.end[n - 1] != 1 or reading.covered[n]:
        return False
    if not (reading.surface[n].isdecimal() and len(reading.surface[n]) <= _DIGITS):
        return False
    if n + 1 < len(tags) and (tags[n + 1] in _COUNTED or is_noun(reading, n + 1)):
        return False
    if tags[0] == "NUM" and reading.surface[n + 1 : n + 2] == reading.surface[1:2]:
        # "1. friendly staff 2. slow checkout": it counts what follows.
        return False
    word = reading.forms[n - 1].low
    return reading.tags[n - 1] == "PROPN" or noun_lemma(reading, n - 1) == word


def all_stop(reading: Reading, node: "Node") -> bool:
    """Whether a node of several nouns names nothing: "Saturday evening", but not a phrase of the taxonomy's."""
    stops = reading.language.stopterms
    return not node.spans and all(
        reading.forms[n].low in stops or noun_lemma(reading, n) in stops for n in range(node.first, node.last)
    )


def judges_itself(reading: Reading, n: int, phrases: dict[int, tuple[int, int, bool]]) -> bool:
    """Whether a noun no taxonomy knows is itself the judgement: "a nightmare", "our disappointment", "a delay"."""
    form = reading.forms[n]
    return not form.noun and n not in phrases and any(e.weight and e.pos in "N*" for e in form.opinions)
