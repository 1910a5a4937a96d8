"""Judgements that mean the opposite: scorn that sounds like praise, and what something better is compared with."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from feedback.analysis.clauses import Clause
from feedback.analysis.hits import Hit, compares
from feedback.analysis.reading import Reading
from feedback.analysis.terms import Node

STANDARD = -0.8
"""What of a comparison's judgement holds for the one compared with."""
_SCORN = -0.5
_PAUSES = frozenset({",", "，", "!", "...", "…"})
_LEADING = frozenset({"DET", "ADJ", "ADP", "PRON", "NUM", "SCONJ", "CCONJ", "ADV"})
_AHEAD = frozenset({"DET", "ADJ", "PRON", "NUM", "ADV", "ADP", "PART", "SCONJ", "NOUN", "VERB"})
_NEAR = 3
_FAR = 6
_VERBS = frozenset({"VERB", "AUX"})


def turn_irony(reading: Reading, nodes: Sequence[Node], clauses: Sequence[Clause], hits: Sequence[Hit]) -> None:
    """Take a lone word of praise for scorn where the rest of its sentence complains: "Great, another delay"."""
    limits = reading.language.grammar.limits
    for n, (first, second) in enumerate(pairwise(hits)):
        if first.value <= 0:
            continue
        clause = clauses[first.clause]
        start, stop = reading.sentences[clause.sentence]
        # "Bravo @renfe, 50 minutos de retraso."
        pause = first.end + (reading.kind[first.end : first.end + 1] == ["u"])
        alone = first.start <= start + 1 and pause < stop and reading.surface[pause] in _PAUSES
        # "Fits perfectly, only the fabric is thin" says so in earnest.
        alone = alone and first.pos != "VERB" and (first.start == start or reading.tags[start] != "VERB")
        alone = alone and reading.forms[min(pause + 1, stop - 1)].low not in limits
        if not alone or second.start >= stop:
            continue
        named = any(
            nodes[k].begin < first.end and (pause == first.end or nodes[k].begin < first.start)
            for k in range(clause.first_node, clause.last_node)
        )
        contrasted = any(form.low in reading.language.contrasts for form in reading.forms[first.end : stop])
        end = bisect_left(hits, stop, key=lambda hit: hit.start)
        if not named and not contrasted and all(hit.value < 0 for hit in hits[n + 1 : end]):
            first.value *= _SCORN


def is_standard(reading: Reading, node: Node, hit: Hit) -> bool:
    """Whether a node is what something else is compared with: "faster than the train" does not praise the train."""
    than = reading.language.grammar.than
    k = node.begin - 1
    if than and reading.language.grammar.comma_ends:
        return _stands_first(reading, node, hit)
    if not than or k < hit.end or not compares(reading, hit):
        return False
    while k > hit.end and reading.tags[k] in _LEADING and reading.forms[k].low not in than:
        k -= 1
    return k - hit.end <= _NEAR and reading.forms[k].low in than


def _stands_first(reading: Reading, node: Node, hit: Hit) -> bool:
    """Whether a Chinese judgement follows what it is compared with: "屏幕比苹果手机清晰"."""
    than, tags = reading.language.grammar.than, reading.tags
    k = node.begin - 1
    while k >= max(0, node.begin - _FAR) and tags[k] in _AHEAD and reading.forms[k].low not in than:
        k -= 1
    led = k >= 0 and reading.forms[k].low in than
    return led and hit.start >= node.end and "p" not in reading.kind[node.end : hit.start]


def turn_former(reading: Reading, clauses: Sequence[Clause], hits: Sequence[Hit]) -> None:
    """Take praise of former times for blame of today: "it used to be quiet here before, now there are lorries".

    Blame of former times praises what it is on where today is praised; praise stays praise where all is as it was.
    Where a tense tells what used to be, that today differs goes without saying: "antes iba de maravilla".
    """
    grammar = reading.language.grammar
    words = reading.words
    if grammar.formerly.isdisjoint(words):
        return
    today = [k for k, word in enumerate(words) if word in grammar.nowadays]
    for hit in hits:
        clause = clauses[hit.clause]
        later = next((k for k in today if k >= clause.begin), -1)
        told = words[clause.begin : later if clause.begin <= later < clause.end else clause.end]
        if grammar.formerly.isdisjoint(told) or (later >= 0 and not _apart(reading, hit, later, clause)):
            continue
        number = _clause_at(clauses, hit.clause, later)
        if number < 0:
            if hit.value > 0 and grammar.former_endings and _used_to(reading, clause, hit):
                hit.value *= _SCORN
            continue
        now = sum(other.value for other in hits if other.start >= later and other.clause == number)
        lasts = not now and not grammar.still.isdisjoint(words[later : clauses[number].end])
        if hit.value < 0 < now:
            # "It used to be loud, now it is quiet": nothing is called loud.
            hit.value *= _SCORN if clause.first_node < clause.last_node else 0.0
        elif now <= 0 < hit.value and not lasts:
            hit.value *= _SCORN


def _apart(reading: Reading, hit: Hit, later: int, clause: Clause) -> bool:
    """Whether a judgement is passed before its text comes to today at token `later`: "以前很好，现在不行"."""
    return later >= clause.end or (later >= hit.end and "p" in reading.kind[hit.end : later])


def _clause_at(clauses: Sequence[Clause], number: int, later: int) -> int:
    """The number of the clause that holds token `later`, if it is near enough to answer that of a number; else -1."""
    for k in range(number, min(len(clauses), number + 1 + _NEAR)):
        if clauses[k].begin <= later < clauses[k].end and clauses[k].sentence - clauses[number].sentence <= 1:
            return k
    return -1


def _used_to(reading: Reading, clause: Clause, hit: Hit) -> bool:
    """Whether the verb of a judgement is in the tense of what used to be: "funcionava", not "llegó antes"."""
    grammar = reading.language.grammar
    if not grammar.formerly.isdisjoint(reading.words[hit.start : hit.end]):
        # "Chegava antes do prazo".
        return False
    verb = next((n for n in range(hit.end - 1, clause.begin - 1, -1) if reading.tags[n] in _VERBS), -1)
    return verb >= 0 and reading.forms[verb].low.endswith(grammar.former_endings)
