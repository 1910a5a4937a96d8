"""Tells what is judged beside a wish from what is wished for: "the room was lovely but should have a safe"."""

from typing import TYPE_CHECKING

from feedback.analysis.clauses import Clause
from feedback.analysis.comparatives import compares
from feedback.analysis.reading import Reading
from feedback.analysis.shading import Marks
from feedback.analysis.tags import VERBS

if TYPE_CHECKING:
    from feedback.analysis.hits import Hit


def stated(reading: Reading, hit: "Hit", clause: Clause, marks: Marks) -> bool:
    """Whether a judgement is passed before its clause comes to a wish: "the room was lovely but should have a safe"."""
    if any(m.kind == "wish" for n in range(clause.begin, hit.end) for m in marks.get(n, ())):
        return False
    if reading.language.grammar.comma_ends and _hoped(reading, hit, clause, marks):
        return False
    # Chinese judges without a verb and wishes before it names the wish.
    stated = reading.language.grammar.comma_ends or not VERBS.isdisjoint(reading.tags[clause.begin : hit.end])
    return stated and not compares(reading, hit)


def _hoped(reading: Reading, hit: "Hit", clause: Clause, marks: Marks) -> bool:
    """Whether a judgement is what a wish that ends its clause hopes for: "大一点就好了", "要是便宜些，就完美了"."""
    for n in range(hit.start - 1, clause.begin - 1, -1):
        if reading.kind[n] == "p":
            break
        if any(m.kind == "condition" for m in marks.get(n, ())):
            return True
    for n in range(hit.end, clause.end):
        bare = reading.kind[n] == "p"
        first = n + 1 if bare else n
        wishes = (m.end for m in marks.get(first, ()) if m.kind == "wish" and (m.start == first or not bare))
        if any(end == len(reading.kind) or reading.kind[end] == "p" for end in wishes):
            return True
        if bare:
            return False
    return False
