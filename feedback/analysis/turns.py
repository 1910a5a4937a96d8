"""Judgements that mean the opposite: scorn that sounds like praise, and what something better is compared with."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from feedback.analysis.clauses import Clause
from feedback.analysis.comparatives import compares
from feedback.analysis.hits import Hit
from feedback.analysis.lexicon import NEGATORS
from feedback.analysis.reading import Reading
from feedback.analysis.sentences import SENTENCE_LIMIT
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

STANDARD = -0.8
"""What of a comparison's judgement holds for the one compared with."""
_SCORN = -0.5
_PAUSES = frozenset({",", "，", "!", "...", "…"})
_LEADING = frozenset({"DET", "ADJ", "ADP", "PRON", "NUM", "SCONJ", "CCONJ", "ADV"})
_AHEAD = frozenset({"DET", "ADJ", "PRON", "NUM", "ADV", "ADP", "PART", "SCONJ", "NOUN", "VERB"})
_NEAR = 3
_FAR = 6
_NAMES = frozenset({"NOUN", "PROPN", "PRON"})
_ADDED = frozenset({"ADV", "ADJ", "AUX"})
_start = attrgetter("start")
_node_end = attrgetter("end")


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


def share(reading: Reading, node: Node, hit: Hit) -> float:
    """How much of a judgement holds for a node it is tied to: "faster than the train" does not praise the train.

    1.0 for what is judged, `STANDARD` for what it is compared with, 0.0 where that may be the same: "比照片漂亮".
    """
    grammar = reading.language.grammar
    if not grammar.than:
        return 1.0
    if grammar.comma_ends:
        than = _led_by_than(reading, node, hit)
        return 1.0 if than < 0 else _compared(reading, than, node)
    k = node.begin - 1
    if k < hit.end or not compares(reading, hit):
        return 1.0
    while k > hit.end and reading.tags[k] in _LEADING and reading.forms[k].low not in grammar.than:
        k -= 1
    return STANDARD if k - hit.end <= _NEAR and reading.forms[k].low in grammar.than else 1.0


def _led_by_than(reading: Reading, node: Node, hit: Hit) -> int:
    """The word that leads what a Chinese judgement compares with, before it; -1 where none does: "屏幕比火车快"."""
    than, tags = reading.language.grammar.than, reading.tags
    k = node.begin - 1
    while k >= max(0, node.begin - _FAR) and tags[k] in _AHEAD and reading.forms[k].low not in than:
        k -= 1
    led = k >= 0 and reading.forms[k].low in than
    return k if led and hit.start >= node.end and "p" not in reading.kind[node.end : hit.start] else -1


def _compared(reading: Reading, than: int, node: Node) -> float:
    """The share of a node behind the "than" at that token: `STANDARD` where something else is its subject.

    "比图片上的颜色好看" is on the very colour; "比我原来的笔记本强" is on another computer than the one of former days.
    """
    grammar, words = reading.language.grammar, reading.words
    k = than - 1
    while k >= 0 and (reading.tags[k] in _ADDED or words[k] in grammar.nowadays):
        k -= 1
    if k >= 0 and reading.tags[k] in _NAMES and words[k] not in grammar.first_person:
        return STANDARD
    led = words[than : node.begin]
    own = not grammar.first_person.isdisjoint(led) and not grammar.formerly.isdisjoint(led)
    other = not grammar.plain_adjectives.isdisjoint(led[1:2])
    return STANDARD if other or (own and k == than - 1) else 0.0


def standard(reading: Reading, nodes: Sequence[Node], clause: Clause, hit: Hit) -> set[int]:
    """The node, if any, that a Chinese judgement behind it compares its subject with, be it tied to it or not."""
    grammar = reading.language.grammar
    near = slice(max(clause.begin, hit.start - SENTENCE_LIMIT), hit.start)
    if not grammar.comma_ends or grammar.than.isdisjoint(reading.words[near]):
        return set()
    last = bisect_right(nodes, hit.start, clause.first_node, clause.last_node, key=_node_end) - 1
    compared = last >= clause.first_node and not nodes[last].stop and share(reading, nodes[last], hit) == STANDARD
    return {last} if compared else set()


def turn_former(reading: Reading, clauses: Sequence[Clause], hits: Sequence[Hit]) -> None:
    """Take praise of former times for blame of today: "it used to be quiet here before, now there are lorries".

    Blame of former times praises what it is on where today is praised; praise stays praise where all is as it was.
    Where a tense tells what used to be, that today differs goes without saying: "antes iba de maravilla".
    """
    grammar = reading.language.grammar
    words = reading.words
    if grammar.formerly.isdisjoint(words):
        return
    former = [k for k, word in enumerate(words) if word in grammar.formerly]
    today = [k for k, word in enumerate(words) if word in grammar.nowadays]
    for hit in hits:
        clause = clauses[hit.clause]
        at = bisect_left(today, clause.begin)
        later = today[at] if at < len(today) else -1
        told = bisect_left(former, clause.begin)
        stop = later if clause.begin <= later < clause.end else clause.end
        if told == bisect_left(former, stop) or (later >= 0 and not _passed_before(reading, hit, later, clause)):
            continue
        number = _clause_at(clauses, hit.clause, later)
        if number >= 0:
            _answer(
                reading, hits, hit, (clause, range(later, min(_end(clauses, number, later), later + SENTENCE_LIMIT)))
            )
        elif hit.value > 0 and grammar.former_endings and _used_to(reading, clause, hit):
            hit.value *= _SCORN


def _answer(reading: Reading, hits: Sequence[Hit], hit: Hit, place: tuple[Clause, range]) -> None:
    """Let a judgement of former times, in a clause, have the sign that what is said of today, in a range, gives it."""
    clause, today = place
    now = _said(hits, today)
    lasts = not now and _lasts(reading, today)
    if hit.value < 0 < now:
        # "It used to be loud, now it is quiet": nothing is called loud.
        hit.value *= _SCORN if clause.first_node < clause.last_node else 0.0
    elif now <= 0 < hit.value and not lasts:
        hit.value *= _SCORN
    elif lasts and _only_former(
        reading, hit, range(max(clause.begin, hit.start - SENTENCE_LIMIT), min(clause.end, today.start, hit.end + _FAR))
    ):
        hit.value *= -1.0


def _passed_before(reading: Reading, hit: Hit, later: int, clause: Clause) -> bool:
    """Whether a judgement is passed before its text comes to today at token `later`: "以前很好，现在不行"."""
    near = hit.end <= later <= hit.end + SENTENCE_LIMIT
    return later >= clause.end or (near and "p" in reading.kind[hit.end : later])


def _clause_at(clauses: Sequence[Clause], number: int, later: int) -> int:
    """The number of the clause that holds token `later`, if it is near enough to answer that of a number; else -1."""
    for k in range(number, min(len(clauses), number + 1 + _NEAR)):
        if clauses[k].begin <= later < clauses[k].end and clauses[k].sentence - clauses[number].sentence <= 1:
            return k
    return -1


def _end(clauses: Sequence[Clause], number: int, later: int) -> int:
    """Where what is said of today ends: with its clause, or with the next one where only "today" stands before that."""
    clause = clauses[number]
    if later + 1 == clause.end and number + 1 < len(clauses) and clauses[number + 1].sentence == clause.sentence:
        return clauses[number + 1].end
    return clause.end


def _said(hits: Sequence[Hit], span: range) -> float:
    """What the judgements that begin in a range of tokens come to."""
    first, last = (bisect_left(hits, token, key=_start) for token in (span.start, span.stop))
    return sum(hit.value for hit in hits[first:last])


def _lasts(reading: Reading, span: range) -> bool:
    """Whether a range of tokens that judge nothing says that all is as it was: "ahora también", "no different"."""
    grammar, words = reading.language.grammar, reading.words
    if _denies(reading, span):
        return any(words[k] in grammar.otherwise for k in span)
    # "Jetzt nur noch" is less than before; "这次买的" is what was bought.
    whole = (k for k in span if words[k - 1] not in grammar.limits and words[k + 1 : k + 2] != [grammar.attributive])
    return any(words[k] in grammar.still for k in whole)


def _denies(reading: Reading, span: range) -> bool:
    return any(mark.kind in NEGATORS for k in span for mark in reading.forms[k].modifiers)


def _only_former(reading: Reading, hit: Hit, told: range) -> bool:
    """Whether nothing but that it is of former times denies a praise: "früher war der Service top"."""
    praised = bool(hit.entries) and hit.entries[0].weight > 0 > hit.value
    return praised and hit.negated and not _denies(reading, told)


def _used_to(reading: Reading, clause: Clause, hit: Hit) -> bool:
    """Whether a judgement is on what used to be: "antes funcionava", not "llegó antes" or "limpio antes de llegar"."""
    grammar, words = reading.language.grammar, reading.words
    if not grammar.formerly.isdisjoint(words[hit.start : hit.end]):
        # "Chegava antes do prazo".
        return False
    begin, end = max(clause.begin, hit.end - SENTENCE_LIMIT), min(clause.end, hit.end + SENTENCE_LIMIT)
    verb = next((n for n in range(hit.end - 1, begin - 1, -1) if reading.tags[n] in VERBS), -1)
    if verb < 0 or not reading.forms[verb].low.endswith(grammar.former_endings):
        return False
    former = (n for n in range(begin, end) if words[n] in grammar.formerly)
    return any(_of_old(reading, n, verb, clause) or _better_at(reading, n, hit) for n in former)


def _of_old(reading: Reading, n: int, verb: int, clause: Clause) -> bool:
    """Whether the word at token `n` says when what `verb` tells was so, and not what came first: "antes de llegar".

    What was so before a change is no more: "antes da atualização".
    """
    grammar, words, tags = reading.language.grammar, reading.words, reading.tags
    if not grammar.changes.isdisjoint(words[n + 1 : min(n + 1 + _NEAR, clause.end)]):
        return True
    # "Antes, la comida era buena", but "había ido antes, la comida era buena".
    first = n + 1 + (n == clause.begin and reading.surface[n + 1] in _PAUSES)
    parted = any(tags[k] == "CCONJ" or reading.surface[k] in _PAUSES for k in range(first, verb))
    return n < verb and not parted and not _goes_on(reading, n)


def _better_at(reading: Reading, n: int, hit: Hit) -> bool:
    """Whether the word of former times at token `n` says when something was better: "era mejor antes"."""
    return hit.end <= n < hit.end + _NEAR and compares(reading, hit) and not _goes_on(reading, n)


def _goes_on(reading: Reading, n: int) -> bool:
    """Whether what follows token `n` says before what: "antes de la cena", "antes que nada"."""
    behind = slice(n + 1, n + 2)
    return reading.tags[behind] == ["ADP"] or not reading.language.grammar.than.isdisjoint(reading.words[behind])
