"""Finds what a predicate is said of, and what a clause speaks of, among the noun phrases before it."""

from collections.abc import Sequence

from feedback.analysis.clauses import Clause
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node


class Subjects:
    """The noun phrases of a text as subjects; all numbers are those of nodes."""

    def __init__(self, reading: Reading, nodes: Sequence[Node]) -> None:
        self._reading = reading
        self._nodes = nodes

    def verb_between(self, start: int, stop: int) -> bool:
        """Whether a verb stands among the tokens `start`..`stop`."""
        return not VERBS.isdisjoint(self._reading.tags[start:stop])

    def nearest(self, before: Sequence[int]) -> int:
        """Of the nodes before a predicate the one it is said of: the last without a preposition, else the nearest."""
        nodes = self._nodes
        for n in reversed(before):
            if not nodes[n].inner:
                return n
        return nodes[before[-1]].parent if nodes[before[-1]].parent in before else before[-1]

    def said_of(self, before: Sequence[int], stop: int) -> int:
        """The subject of a predicate; after a conjunction and a verb with no noun between, the clause's first."""
        last = self._nodes[before[-1]].last
        joined = next((k for k in range(last, stop) if self._reading.tags[k] == "CCONJ"), None)
        if joined is not None and self.verb_between(joined, stop):
            return next((n for n in before if not self._nodes[n].inner), before[0])
        return self.nearest(before)

    def topic(self, inside: Sequence[int], clause: Clause) -> int:
        """What a clause speaks of: what stands before its verb, else its last noun without a preposition."""
        verb = next((k for k in range(clause.begin, clause.end) if self._reading.tags[k] in VERBS), clause.begin)
        before = [n for n in inside if self._nodes[n].last <= verb]
        return self.nearest(before or inside)
