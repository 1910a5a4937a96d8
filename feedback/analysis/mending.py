"""Tells whether what is bad was done away with: "solved my problem" praises, "did not fix the bug" complains."""

from typing import TYPE_CHECKING

from feedback.analysis.clauses import Clause
from feedback.analysis.reading import Reading
from feedback.analysis.shading import Marks
from feedback.analysis.tags import VERBS

if TYPE_CHECKING:
    from feedback.analysis.hits import Hit

_REACH = 6
_NEAR = 3


def mended(reading: Reading, hit: "Hit", clause: Clause, marks: Marks) -> bool:
    """Whether something bad is done away with: "solved my problem", "Störung behoben", not "never fixed the leak"."""
    mending = reading.language.grammar.mending
    for n in range(max(clause.begin, hit.start - _REACH), min(clause.end, hit.end + _REACH)):
        if hit.start <= n < hit.end:
            continue
        if not mending.isdisjoint(reading.forms[n].keys) and reading.tags[n] in {"VERB", "ADJ", "AUX", "NOUN"}:
            near = range(max(clause.begin, n - _NEAR), min(clause.end, n + _NEAR))
            unsaid = any(reading.forms[k].low in reading.language.grammar.half_negators for k in near)
            return not unsaid and not any(
                m.kind in {"negator", "postnegator", "wish", "lack"} for k in near for m in marks.get(k, ())
            )
    return False


def unmended(reading: Reading, hit: "Hit", clause: Clause) -> bool:
    """Whether what is denied is that a fault was mended: "did not fix the bug"."""
    mending = reading.language.grammar.mending
    return any(
        reading.tags[n] in VERBS and not mending.isdisjoint(reading.forms[n].keys)
        for n in range(max(clause.begin, hit.start - _NEAR), min(clause.end, hit.end + _NEAR))
    )
