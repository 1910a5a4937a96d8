"""Finds relative clauses: what is said after one, or in one that names no subject, is said of the noun before it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

_PRONOUNS = frozenset({"PRON", "DET", "SCONJ", "ADV"})
_BETWEEN = frozenset({"PART", "ADP", "ADV", "PRON"})
_COMMAS = frozenset({",", "，"})
_LONGEST = 20


class Relative(NamedTuple):
    """A relative clause at tokens `start`..`end` about node `antecedent`."""

    start: int
    end: int
    antecedent: int


class Relatives:
    """The relative clauses of a text."""

    def __init__(self, reading: Reading, nodes: Sequence[Node]) -> None:
        found = _find(reading, nodes) if reading.language.grammar.relatives else ()
        self._at = {k: clause for clause in found for k in range(clause.start, clause.end)}
        self._nodes = nodes
        self.tokens = self._at.keys()
        """The tokens inside them."""

    def around(self, token: int) -> Relative | None:
        """The clause a token stands in, if it is about something that can be judged."""
        clause = self._at.get(token)
        return None if clause is None or self._nodes[clause.antecedent].stop else clause

    def hide(self, token: int, later: int) -> bool:
        """Whether a token stands in a clause that ends before a `later` one."""
        clause = self._at.get(token)
        return clause is not None and clause.end <= later


def _find(reading: Reading, nodes: Sequence[Node]) -> Iterator[Relative]:
    pronouns, tags, words = reading.language.grammar.relatives, reading.tags, reading.words
    if pronouns.isdisjoint(words):
        return
    ends = {node.end: n for n, node in enumerate(nodes)}
    for start, stop in reading.sentences:
        for k in range(start + 1, stop - 1):
            if words[k] in pronouns and tags[k] in _PRONOUNS:
                antecedent = _antecedent(reading, k, start, ends)
                if antecedent >= 0:
                    yield Relative(k, _end(reading, k, stop), antecedent)


def _antecedent(reading: Reading, k: int, start: int, ends: dict[int, int]) -> int:
    """The node a relative pronoun stands behind, a comma and a preposition between them; -1 if none does."""
    if k not in ends and reading.tags[k - 1] == "DET":
        k -= 1
    if k not in ends and k - 1 > start and reading.tags[k - 1] == "ADP":
        k -= 1
    comma = k - 1 > start and reading.surface[k - 1] in _COMMAS
    if reading.language.grammar.verb_last and reading.language.grammar.capital_nouns and not comma:
        return -1
    return ends.get(k - 1 if comma else k, -1)


def _end(reading: Reading, start: int, stop: int) -> int:
    """Where a relative clause ends: at its punctuation, or before the verb that goes on with the clause around it."""
    tags, verb = reading.tags, -1
    for k in range(start + 1, min(stop, start + _LONGEST)):
        if reading.kind[k] == "p":
            return k
        if tags[k] not in VERBS or reading.language.grammar.verb_last:
            continue
        joined = verb >= 0 and all(tag in _BETWEEN for tag in tags[verb + 1 : k])
        # "that we ordered was": a verb does not lead an auxiliary of its own.
        if verb >= 0 and tags[k - 1] != "CCONJ" and (not joined or (tags[k] == "AUX" and tags[verb] == "VERB")):
            return k
        verb = k
    return min(stop, start + _LONGEST)
