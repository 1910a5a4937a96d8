"""Finds the nouns a text excepts from what it says: "all was great except the breakfast" complains of the breakfast."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from feedback.analysis.features import PREDICATE, RELATIONS, SIGNS, Row
from feedback.analysis.hits import Hit
from feedback.analysis.lexicon import GAP, NEGATORS, Match
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

_NEAR = 3
_STRETCH = 12
_COMMAS = frozenset({",", ";", "，"})


class Exceptions:
    """The excepted nodes of a text."""

    def __init__(self, reading: Reading, nodes: Sequence[Node]) -> None:
        self._reading = reading
        self._nodes = nodes
        self.opens: dict[int, int] = {}
        """By the number of an excepted node the token its exception begins at."""
        marks = [mark for mark in reading.modifiers if mark.kind == "except"]
        self._leading = {n for begin, _ in reading.sentences for n in (begin, begin + 1)} if marks else frozenset()
        """The tokens at which an exception opens its sentence."""
        firsts = [node.first for node in nodes] if marks else []
        for mark in marks:
            n = bisect_right(firsts, mark.start)
            while n < len(nodes) and nodes[n].stop and nodes[n].last <= mark.end:
                n += 1
            if n < len(nodes) and nodes[n].begin - _end(mark) <= _NEAR:
                self._take(n, mark.start)

    def _take(self, n: int, start: int) -> None:
        """Except a node, what is joined to it and what is listed with it."""
        self.opens[n] = start
        n += 1
        leads, tags = start in self._leading, self._reading.tags
        while n < len(self._nodes) and (self._nodes[n].peer in self.opens or self._nodes[n].parent in self.opens):
            node = self._nodes[n]
            if leads and node.peer >= 0 and not VERBS.isdisjoint(tags[node.end : node.end + 1]):
                # "Unlike the train, the bus was clean": the list ends before the subject.
                break
            self.opens[n] = start
            n += 1

    def spares(self, n: int, hit: Hit) -> bool:
        """Whether a judgement is one that node `n` is excepted from, and not one on the node itself."""
        if n not in self.opens:
            return False
        reading, node, start = self._reading, self._nodes[n], self.opens[n]
        if hit.start < start:
            return True
        if hit.start < node.end:
            return False
        k = node.end + (node.end < len(reading.tags) and reading.surface[node.end] in _COMMAS)
        within = k < hit.start and reading.forms[k].low in reading.language.grammar.relatives
        if within and not any(reading.surface[n] in _COMMAS for n in range(k, hit.start)):
            # "Apart from the breakfast, which was poor, ...".
            return False
        stretch = reading.kind[node.last : min(hit.start, node.last + 80)]
        return start in self._leading or "p" in stretch

    def turn(self, rows: list[Row], hits: Sequence[Hit], sentences: Sequence[tuple[int, int]]) -> None:
        """Give each excepted node of which nothing is said itself the opposite of what its sentence says.

        `sentences` holds, for each node, the extent of its sentence.
        """
        starts = [hit.start for hit in hits]
        for n in self.opens:
            start, stop = sentences[n]
            around = hits[bisect_left(starts, start) : bisect_left(starts, stop)]
            if not around and self.opens[n] in self._leading:
                # "Love it! Except the zipper."
                before = bisect_left(self._reading.sentences, (start, 0)) - 1
                start = self._reading.sentences[before][0] if before >= 0 else start
                around = hits[bisect_left(starts, start) : bisect_left(starts, stop)]
            if any(not self.spares(n, hit) for hit in around if hit.start >= self.opens[n]):
                continue
            value = sum(hit.value for hit in around)
            row = rows[n]
            row[:SIGNS] = [0.0] * SIGNS
            if value:
                row[PREDICATE + (len(RELATIONS) if value > 0 else 0)] = min(abs(value), 1.0)


def refused(reading: Reading, nodes: Sequence[Node]) -> dict[int, int]:
    """The nodes that end their stretch with a bare "no", by the first token of it: "la pizza merita, il caffè no".

    So do nodes that a negator alone sets apart: "the waiters make it special, not the food". What was said before
    holds for them the other way round.
    """
    found: dict[int, int] = {}
    firsts: list[int] = []
    for mark in reading.modifiers:
        if mark.kind not in NEGATORS or mark.entries[0].weight < 1:
            continue
        after = mark.end
        if after < len(reading.tags) and reading.kind[after] != "p":
            alone = mark.start and reading.surface[mark.start - 1] in _COMMAS and reading.tags[mark.start] != "DET"
            if alone and reading.tags[after] == "DET":
                firsts = firsts or [node.first for node in nodes]
                if (n := _set_apart(reading, nodes, firsts, mark)) >= 0:
                    found[n] = mark.start - 1
            continue
        start = mark.start - 1
        while (
            start >= max(0, mark.start - _STRETCH) and reading.kind[start] != "p" and reading.tags[start] not in VERBS
        ):
            start -= 1
        firsts = firsts or [node.first for node in nodes]
        inside = range(bisect_right(firsts, start), bisect_right(firsts, mark.start - 1))
        # A verb before it is what the negator denies; a comma or a conjunction is where the contrast begins.
        if len(inside) == 1 and start >= 0 and reading.kind[start] == "p" and reading.surface[start] in _COMMAS:
            found[inside[0]] = start
    return found


def _set_apart(reading: Reading, nodes: Sequence[Node], firsts: Sequence[int], mark: Match) -> int:
    """The node between a negator with an article and the next punctuation; -1 if none is there."""
    n = bisect_right(firsts, mark.start)
    if n >= len(nodes) or nodes[n].stop or nodes[n].begin != mark.end + 1:
        return -1
    end = nodes[n].end
    return n if end >= len(reading.tags) or reading.kind[end] == "p" else -1


def _end(mark: Match) -> int:
    """Where the words of a mark end that stand before its noun: "除了 ~ 其他" holds the noun in its gap."""
    words = mark.entries[0].words
    return mark.start + words.index(GAP) if GAP in words else mark.end
