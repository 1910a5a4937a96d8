"""Finds what a text talks about: noun phrases, their heads and the phrases inside them."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from feedback.analysis import headings, links, spans
from feedback.analysis.adjectives import is_adjective
from feedback.analysis.deeds import deed
from feedback.analysis.idioms import extents, in_idiom, parted
from feedback.analysis.lexicon import stands
from feedback.analysis.noun_phrases import LONGEST, extent
from feedback.analysis.reading import Reading
from feedback.analysis.words import is_handle, is_noun, noun_lemma, noun_tag, nouns

_LABELS = frozenset({"NOUN", "PROPN", "ADJ", "VERB", "ADV"})
_UNLABELLED = frozenset({"DET", "PUNCT"})
VERDICT = 3.0
"""The strength from which on a noun only judges."""


@dataclass(slots=True)
class Node:
    """A noun phrase, in token numbers: `begin`..`end` with its adjectives, `first`..`last` its nouns, `head` its noun.

    `spans` are the terms it gives, as token ranges; `inner` says that a preposition leads it, `parent` is the node it
    is joined to by one ("durée de la batterie"), and `peer` the one it is listed with ("food and service"). A `stop`
    node is no term (an `idle` one is only part of an idiom), a `polar` one is itself the judgement ("a nightmare") and
    a term only where nothing else is judged; a `soft` one ("place") is a term only where something is said of it, and
    a `firm` one of these only where an adjective says it.
    """

    begin: int
    end: int
    first: int
    last: int
    head: int
    inner: bool = False
    parent: int = -1
    peer: int = -1
    stop: bool = False
    idle: bool = False
    soft: bool = False
    firm: bool = False
    polar: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)


def nodes(reading: Reading) -> list[Node]:
    """The noun phrases of a text in order."""
    return nodes_of([reading])[0]


def nodes_of(readings: Sequence[Reading]) -> list[list[Node]]:
    """The noun phrases of several texts, which costs less than one by one and gives the same."""
    for reading in readings:
        nouns(reading)
    return list(map(_with_terms, readings, list(map(_found, readings))))


def _found(reading: Reading) -> list[Node]:
    found: list[Node] = []
    for start, stop in reading.sentences:
        _sentence_nodes(reading, start, stop, found)
    return found


def _with_terms(reading: Reading, found: list[Node]) -> list[Node]:
    """The noun phrases of a text with the terms that each of them gives."""
    links.measure(reading, found)
    _phrases(reading, found)
    phrases = extents(reading)
    for node in found:
        _spans(reading, node, phrases)
    named = headings.words(reading.headings) if reading.headings else ()
    for node in found if named else ():
        if node.head in named:
            node.stop = True
            node.spans.clear()
    for n, node in enumerate(found):
        if node.parent >= 0:
            top = found[node.parent]
            if top.soft and top.firm:
                # "The rest of the food was lovely" is said of the food.
                top.stop, node.inner = True, top.inner
                top.spans.clear()
            if (
                not (top.stop and not links.tells_who(reading, top, node))
                and not node.idle
                and not (node.stop and reading.tags[node.begin - 1] == "NUM")
                and node.last - top.first <= LONGEST + 2
            ):
                top.spans.append((top.first, node.last))
            if node.parent < n - 1 and not (found[n - 1].stop or node.idle):
                # "Ce genre de pièces de théâtre" speaks of "pièces de théâtre" as well.
                found[n - 1].spans.append((found[n - 1].first, node.last))
        if n and node.inner and not node.stop and links.tells_which(reading, found[n - 1], node):
            found[n - 1].spans.append((found[n - 1].first, node.last))
        if n and node.stop:
            node.spans.clear()
        elif n and reading.language.grammar.attributive:
            _attributed(reading, node, found[n - 1])
    return found


def _attributed(reading: Reading, node: Node, before: Node) -> None:
    """Add the term a noun is with the one it belongs to: "屏幕的色彩"."""
    k = node.begin - 1
    if k > before.end and reading.tags[k] == "DET":
        k -= 1
    joined = k == before.end and reading.surface[k] == reading.language.grammar.attributive
    if joined and not before.stop and node.last - before.first <= LONGEST + 2:
        node.spans.append((before.first, node.last))


def _sentence_nodes(reading: Reading, start: int, stop: int, found: list[Node]) -> None:
    n, first_node, apart, naming = start, len(found), parted(reading), nouns(reading)
    grammar = reading.language.grammar
    doing, done, endings = -1, start, grammar.deed_endings
    while n < stop:
        # "@gol voo cancelado": an account is no noun that what follows is said of.
        said = len(found) > first_node and found[-1].last == n and apart.get(n, False)
        if naming[n] and not (said and not is_handle(reading, n - 1)):
            floor = found[-1].end if len(found) > first_node else start
            begin, end, last = extent(reading, n, stop, floor, apart)
            node = Node(begin, end, n, last, n if grammar.adjective_after else last - 1)
            links.attach(reading, node, found, first_node, start)
            if n < done:
                # "Opening the account took weeks" is about both.
                node.inner, node.parent = True, doing
            found.append(node)
            n = max(node.last, n + 1)
            continue
        verb = deed(reading, n, start, stop) if endings and n >= done and reading.tags[n] == "VERB" else 0
        if verb:
            doing, done = len(found), verb
            found.append(Node(n, n + 1, n, n + 1, n, spans=[(n, verb)]))
        n += 1


def _phrases(reading: Reading, found: list[Node]) -> None:
    """Give the taxonomy's own phrases ("petit déjeuner") to the nodes they overlap."""
    begun = [n for n, form in enumerate(reading.forms) if form.begins]
    if not begun:
        return
    known = reading.language.phrase_terms
    keys = reading.keys
    by_token: dict[int, Node] = {}
    for n in begun:
        after = keys[n + 1] if n + 1 < len(keys) else ()
        for key in keys[n]:
            phrases = known.get(key, {})
            seconds = [second for second in after if second in phrases]
            fitting = [words for second in seconds for words in phrases[second] if stands(words, keys, n)]
            if not fitting:
                continue
            words = min(fitting, key=lambda words: (-len(words), words))
            span = (n, n + len(words))
            by_token = by_token or {n: node for node in found for n in range(node.first, node.last)}
            node = next((by_token[i] for i in range(*span) if i in by_token), None)
            judges = is_adjective(reading, n) and bool(reading.forms[n].opinions)
            if node is not None and not judges and node.begin - 1 <= n and span not in node.spans:
                node.spans.append(span)


def _spans(reading: Reading, node: Node, phrases: dict[int, tuple[int, int, bool]]) -> None:
    """The terms of a node: all its nouns with the adjectives that tell a kind, its nouns, its head."""
    stops = reading.language.stopterms
    if node.last - node.first > 1 and node.first and reading.tags[node.first - 1] == "NUM":
        unit = reading.forms[node.first].low
        # "40 Minuten Verspätung" is a delay.
        node.first += unit in stops or noun_lemma(reading, node.first) in stops
    if spans.leads_topic(reading, node):
        node.first = node.head = node.first + 1
    first, last = node.first, node.last
    lemma = noun_lemma(reading, node.head)
    word = reading.forms[node.head].low
    alone = last - first == 1
    node.stop = (word in stops or lemma in stops) and (alone or spans.all_stop(reading, node))
    soft = reading.language.grammar.terms_if_judged
    handle = is_handle(reading, node.head)
    node.soft, node.firm = handle, lemma not in soft and not handle
    if node.stop and alone and not handle:
        node.soft = lemma in soft or lemma in reading.language.contested or word in reading.language.nouns
    if node.soft:
        # "Two hours" measure; they are not what is spoken of.
        node.stop = node.firm and node.first > 0 and reading.tags[node.first - 1] == "NUM"
    # A stop-term may still be joined to the noun before it ("atención de diez"), but "carne de sol" is one dish.
    joined = node.parent >= 0 and reading.tags[phrases.get(node.head, (node.head,))[0]] == "ADP"
    if (not node.stop or joined) and in_idiom(reading, node, phrases):
        node.stop = node.idle = True
    if node.stop:
        # "Modo noturno" names something, though "modo" alone does not; "on time" tells how, and names nothing.
        led = any(start < node.begin for start, _ in node.spans)
        node.stop = not node.spans or led or node.idle or not alone
        return
    node.polar = last - first == 1 and spans.judges_itself(reading, node.head, phrases)
    node.spans = list(
        dict.fromkeys([*node.spans, *spans.named(reading, node, phrases), *spans.of(reading, node, lemma)])
    )


def denies(reading: Reading, n: int) -> bool:
    """Whether token `n` is a word of denial: "no", "keine", "sans"."""
    return any(entry.kind == "negator" for entry in reading.forms[n].modifiers)


def label(reading: Reading, start: int, stop: int, head: int, *, noun: bool) -> str:
    """The id of a term: its lemmas, the head's part of speech and an index.

    In a noun phrase the head is a noun, however the tagger took it in this one sentence, so that "staff" has one id.
    The index is 1, unless a lemma held a character that labels cannot hold; then it is derived from the lemmas
    themselves, so that two terms whose labels look alike still differ, everywhere and always in the same way.
    """
    if stop - start == 1:
        lemmas = [noun_lemma(reading, start) if noun else reading.lemma(start)]
    else:
        lemmas = [
            noun_lemma(reading, n) if noun and (n == head or is_noun(reading, n)) else reading.lemma(n)
            for n in range(start, stop)
            if reading.tags[n] not in _UNLABELLED or denies(reading, n)
        ]
    words, index = _written(tuple(lemmas))
    tag = noun_tag(reading, head) if noun else reading.tags[head]
    if tag == "VERB" and words.partition("_")[0] in reading.language.grammar.property_verbs & reading.language.nouns:
        # "It fits well" and "the fit is good" are one figure.
        tag = "NOUN"
    return f"{words}__{tag if tag in _LABELS else 'NOUN'}__{index}"


@lru_cache(maxsize=4096)
def _written(lemmas: tuple[str, ...]) -> tuple[str, int]:
    """Lemmas as a label holds them, and its index."""
    words = [word.replace("/", "-").replace("_", "-").strip() or "-" for word in lemmas]
    index = 2 + zlib.crc32("\n".join(lemmas).encode("utf-8", "surrogatepass")) % 999_983
    return "_".join(words), 1 if words == [*lemmas] else index
