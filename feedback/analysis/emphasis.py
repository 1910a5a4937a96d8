"""Finds the nouns a text singles out from what it says: "all was great, especially the fish" praises the fish too."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from feedback.analysis.hits import Hit
from feedback.analysis.lexicon import Match
from feedback.analysis.reading import Reading
from feedback.analysis.terms import Node

_LEADING = frozenset({"DET", "ADP", "NUM", "PRON"})
_COMMAS = frozenset({",", "，", "、", "(", "（"})
_NEAR = 3
_start = attrgetter("start")


class Emphasis:
    """The nodes that are singled out, and after which token."""

    def __init__(self, reading: Reading, nodes: Sequence[Node]) -> None:
        self._reading = reading
        self._nodes = nodes
        self.groups: list[tuple[int, list[int]]] = []
        """The token each emphasis begins at, and the nodes it is on."""
        marks = [mark for mark in reading.modifiers if mark.kind == "focus"]
        self._begins = [begin for begin, _ in reading.sentences] if marks else []
        firsts = [node.first for node in nodes] if marks else []
        for mark in marks:
            n = bisect_left(firsts, mark.end)
            if n < len(nodes) and self._follows(nodes[n], mark):
                self._take(n, mark)

    def _follows(self, node: Node, mark: Match) -> bool:
        """Whether a mark stands right before a noun phrase, and not before an adjective in it."""
        between = self._reading.tags[mark.end : node.begin]
        return mark.end <= node.begin <= mark.end + _NEAR and _LEADING.issuperset(between)

    def _take(self, n: int, mark: Match) -> None:
        """Single out a node and what is listed with it, and join it to the one it is an example of."""
        node = self._nodes[n]
        if "ADP" not in self._reading.tags[mark.end : node.begin]:
            # The preposition in "sobre todo" leads no noun.
            node.inner = False
        before = self._nodes[n - 1] if n else None
        comma = self._reading.surface[mark.start - 1] in _COMMAS if mark.start else False
        if before is not None and node.peer < 0 and node.parent < 0 and before.end == mark.start - comma:
            node.peer = n - 1
        group = [n]
        while n + 1 < len(self._nodes) and (self._nodes[n + 1].peer == n or self._nodes[n + 1].parent == n):
            n += 1
            if self._nodes[n].peer in group:
                group.append(n)
                self._nodes[n].inner = node.inner
        self.groups.append((mark.start, group))

    def judged(self, hits: Sequence[Hit]) -> list[tuple[int, list[int]]]:
        """The numbers of the judgements that stand before an emphasis in its sentence, and what it is on."""
        return [(n, group) for start, group in self.groups if (n := self._last(hits, start)) >= 0]

    def _last(self, hits: Sequence[Hit], start: int) -> int:
        reading = self._reading
        number = bisect_right(self._begins, start) - 1
        begin, stop = reading.sentences[number]
        after = bisect_right(hits, start, key=_start)
        if number and start <= begin + 1 and (after == len(hits) or hits[after].start >= stop):
            # "Great food. Especially the fish!"
            begin = reading.sentences[number - 1][0]
        n = bisect_left(hits, start, key=_start) - 1
        if n < 0 or hits[n].start < begin:
            return -1
        contrasted = any(form.low in reading.language.contrasts for form in reading.forms[hits[n].end : start])
        return -1 if contrasted else n
