"""Finds complaints that are only sums: "two hours for a pizza", "£9 for a scone"."""

from collections.abc import Container, Iterator

from feedback.analysis.clauses import Clause
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS

_BEFORE = frozenset({"ADV", "PUNCT", "CCONJ", "DET"})
_CURRENCIES = frozenset("€£$¥")
_WIDE = 6


def found(reading: Reading, clauses: list[Clause], taken: Container[int]) -> Iterator[tuple[int, int, int]]:
    """The first and the last token of each sum and its clause's number, where the clause says nothing else."""
    units, leads = reading.language.grammar.amounts, reading.language.grammar.amount_for
    for number, clause in enumerate(clauses) if units else ():
        if clause.first_node == clause.last_node or clause.question or number in taken:
            continue
        tags = reading.tags[clause.begin : clause.end]
        if "NUM" not in tags or not VERBS.isdisjoint(tags):
            continue
        start = clause.begin + tags.index("NUM")
        if not _BEFORE.issuperset(reading.tags[clause.begin : start]):
            continue
        stop = min(clause.end, start + _WIDE)
        last = next((n for n in range(start, stop) if _measures(reading, n, units)), -1)
        if last >= 0 and any(reading.forms[n].low in leads for n in range(last + 1, min(clause.end, last + _WIDE))):
            yield start, last + 1, number


def _measures(reading: Reading, n: int, units: frozenset[str]) -> bool:
    return not units.isdisjoint(reading.forms[n].keys) or not _CURRENCIES.isdisjoint(reading.surface[n])
