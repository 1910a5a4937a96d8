"""Tells how a noun phrase stands in its clause, which says whether a judgement nearby may be meant for it."""

from bisect import bisect_left
from collections.abc import Collection

from feedback.analysis.clauses import Clause
from feedback.analysis.hits import Hit
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

ASIDE, FIRST, LEADING = range(3)
"""Neither of the two; the first of its clause; before the clause's verb."""
_DETERMINERS = frozenset({"DET", "PRON"})
_BETWEEN = frozenset({"DET", "PRON", "NUM", "ADJ"})
_VERB_WITHIN = 3
_HALF_WAY = 3.0
"""Tokens at which a judgement nearby counts half."""


def places(reading: Reading, nodes: list[Node], clauses: list[Clause], within: Collection[int]) -> list[int]:
    """Of each node whether it stands where the subject of its clause would; tokens `within` are a relative clause's."""
    found: list[int] = []
    tags = reading.tags
    for clause in clauses:
        for n in range(clause.first_node, clause.last_node):
            node = nodes[n]
            if node.inner or node.head in within:
                found.append(ASIDE)
            elif not VERBS.isdisjoint(tags[node.end : min(clause.end, node.end + _VERB_WITHIN)]):
                found.append(LEADING)
            else:
                first = n == clause.first_node and not acted_on(reading, node, clause.begin)
                found.append(FIRST if first else ASIDE)
    return found


def acted_on(reading: Reading, node: Node, start: int) -> bool:
    """Whether a verb stands right before a node: the object of what somebody did."""
    n = node.begin - 1
    while n >= start and reading.tags[n] in _BETWEEN:
        n -= 1
    return n >= start and reading.tags[n] == "VERB"


def led(reading: Reading, node: Node, start: int) -> str:
    """What stands before a node and its adjectives: "counted" (a number), "possessed" (my), "bare" (no article)."""
    n = node.begin - 1
    while n >= start and reading.tags[n] == "ADJ":
        n -= 1
    tag = reading.tags[n] if n >= start else ""
    if tag == "NUM":
        return "counted"
    if tag not in _DETERMINERS:
        return "bare"
    return "possessed" if reading.forms[n].low in reading.language.grammar.first_person else ""


def nearest(node: Node, sentence: tuple[int, int], hits: list[Hit], starts: list[int]) -> float:
    """The sign of the judgement nearest to a node in its sentence, and how near: 1 beside it, half at three tokens."""
    low, high = sentence
    k = bisect_left(starts, node.begin)
    found, best = 0.0, 0.0
    for hit in hits[k - 1 if k else 0 : k + 1]:
        if low <= hit.start < high:
            # At most one of the two is above nought.
            apart = node.begin - hit.end if hit.end < node.begin else max(0, hit.start - node.end)
            near = _HALF_WAY / (_HALF_WAY + apart)
            if near > best:
                best, found = near, near if hit.value > 0 else -near
    return found
