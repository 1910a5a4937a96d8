"""Turns matched words into judgements: strength with negation, intensity, excess, wishes and comparison worked in."""

from dataclasses import dataclass
from operator import attrgetter

from feedback.analysis import amounts
from feedback.analysis.choosing import choose, use
from feedback.analysis.clauses import Clause
from feedback.analysis.comparatives import compares
from feedback.analysis.lexicon import NEGATORS, Entry, Match
from feedback.analysis.mending import mended, unmended
from feedback.analysis.reading import Reading
from feedback.analysis.scope import toward
from feedback.analysis.shading import Marks, Shades, marks_of, only_shades, shades_on
from feedback.analysis.tags import NOUNS, VERBS
from feedback.analysis.wishes import stated

LEXICON, LEARNT, LACK, EXCESS, WISH, NEGATED = range(6)
"""Where a judgement comes from; the model trusts each to its own degree."""

_REACH = 6
_NEAR = 3
_HALF = 0.5
"""A negator that weighs more turns in full; only one that weighs 1 complains where nothing is judged."""
_start, _extent = attrgetter("start"), attrgetter("start", "end")


@dataclass(slots=True)
class Hit:
    """A judgement at tokens `start`..`end`: signed value (about -2 to 2), source, and how its word is used."""

    start: int
    end: int
    value: float
    source: int
    pos: str
    entries: tuple[Entry, ...] = ()
    negated: bool = False
    clause: int = 0


def hits(reading: Reading, clauses: list[Clause]) -> list[Hit]:
    """The judgements of a text in order."""
    found: list[Hit] = []
    marks = marks_of(reading)
    at = 0
    for match in reading.opinions:
        while clauses[at].end <= match.start:
            at += 1
        clause = clauses[at]
        begin = clause.begin
        if clause.first_node == clause.last_node and at and clauses[at - 1].sentence == clause.sentence:
            # "The hotel is old, but all renovated": what a clause without a noun describes stands before it.
            begin = clauses[at - 1].begin
        entry = choose(reading, match, (begin, clause.end))
        if entry is None or not entry.judges or only_shades(reading, match, marks):
            continue
        hit = Hit(
            match.start,
            match.end,
            entry.weight / 2,
            LEARNT if entry.learnt else LEXICON,
            use(reading, match, entry),
            match.entries,
            clause=at,
        )
        _modify(reading, hit, clause, marks, entry)
        found.append(hit)
    found += _unsaid(reading, clauses, marks, found)
    if "NUM" in reading.tags:
        for start, stop, number in amounts.found(reading, clauses, {hit.clause for hit in found}):
            found.append(Hit(start, stop, -1.0, LEXICON, "NUM", clause=number))
    found.sort(key=_extent)
    return found


def _modify(reading: Reading, hit: Hit, clause: Clause, marks: Marks, entry: Entry) -> None:
    """Work in what stands around a judging word in its clause."""
    if reading.kind[hit.start] in "he":
        # A hashtag or an emoji is a verdict of its own: "geen internet #fail".
        return
    shades = shades_on(reading, hit, clause, marks, entry)
    if shades.negations and hit.pos == "NOUN" and hit.value < 0 and unmended(reading, hit, clause):
        shades.negations = 0.0
    _settle(hit, shades)
    if hit.value < 0 and hit.pos == "NOUN" and hit.source == LEXICON and mended(reading, hit, clause, marks):
        hit.value *= -0.8
    if clause.absent and hit.value > 0 and hit.pos == "NOUN":
        hit.value *= -1.0
    form = reading.forms[hit.start]
    if form.elongated or (reading.surface[hit.start].isupper() and len(form.low) > 3):
        hit.value *= 1.3
    if clause.condition and hit.value > 0 and compares(reading, hit):
        # "If parking were cheaper" complains of its price.
        hit.value, hit.source = -0.6 * hit.value, WISH
    elif clause.condition:
        hit.value *= 0.4
    if clause.question:
        hit.value *= 0.6
    wished = clause.wished or (clause.wish and not stated(reading, hit, clause, marks))
    if wished and hit.value > 0 and hit.source != WISH:
        hit.value, hit.source = -0.6 * hit.value, WISH


def _settle(hit: Hit, shades: Shades) -> None:
    """Apply negations, intensity, excess, `less` and `lack` to a value, in that order.

    An excess that weighs less than 1 leaves praise alone: "太好吃" is delicious, "太咸" too salty.
    """
    value, factor = hit.value, shades.factor
    hit.negated = bool(shades.negations)
    if shades.excess and (value < 0 or shades.excess >= 1):
        if shades.negations:
            # "Not too loud" praises a little, "not too helpful" complains.
            hit.value = -0.6 * value if value > 0 else -0.3 * value
        else:
            hit.value, hit.source = -max(abs(value), 1.0) * shades.excess, EXCESS
        return
    if shades.negations > _HALF:
        value *= -0.9 if value > 0 else -0.8 if hit.pos == "NOUN" else -0.6
        # "not very good" is milder than "not good"; "not really bad" is faint praise at most.
        factor = min(factor, 1.0)
    elif shades.negations:
        value *= -0.5
    if shades.lack and not shades.negations:
        value *= -1.0 if value > 0 else -0.7
    if shades.less:
        value *= -0.7
    hit.value = value * min(factor, 2.5)


def _unsaid(reading: Reading, clauses: list[Clause], marks: Marks, found: list[Hit]) -> list[Hit]:
    """Judgements with no judging word: too much of something, something missing, something that did not happen."""
    taken = bytearray(len(reading.tags) + 2)
    for said in found:
        taken[said.start : said.end] = b"\1" * (said.end - said.start)
    extra: list[Hit] = []
    at, negated = 0, -1
    for mark in sorted(reading.modifiers, key=_start):
        while clauses[at].end <= mark.start:
            at += 1
        hit: Hit | None = None
        if mark.kind == "excess":
            hit = _too_much(reading, mark, clauses[at], marks)
        elif mark.kind == "wish":
            hit = Hit(mark.start, mark.end, -0.7, WISH, "WISH")
        elif mark.kind == "lack" and not any(taken[mark.end : min(clauses[at].end, mark.end + _NEAR)]):
            hit = Hit(mark.start, mark.end, -1.0, LACK, "LACK")
        elif mark.kind in NEGATORS and mark.start >= negated and mark.entries[0].weight >= 1:
            reach = slice(max(clauses[at].begin, mark.start - 2), min(clauses[at].end, mark.end + _REACH))
            # A judging word nearby has taken the negation already.
            hit = (
                None
                if any(taken[reach]) or _undone(reading, mark, clauses[at])
                else _not_so(reading, mark, clauses[at])
            )
            negated = negated if hit is None else mark.end
        if hit is not None and not (mark.kind == "excess" and taken[hit.start]):
            hit.clause = at
            extra.append(hit)
    return extra


def _too_much(reading: Reading, mark: Match, clause: Clause, marks: Marks) -> Hit | None:
    """The excess in "too salty", where "salty" judges nothing by itself; but "not too salty" complains of nothing."""
    for n in range(mark.end, min(clause.end, mark.end + 2)):
        if reading.tags[n] in {"ADJ", "ADV", "NOUN", "VERB"}:
            before = range(max(clause.begin, mark.start - 2), mark.start)
            if any(m.kind == "negator" for k in before for m in marks.get(k, ())):
                return None
            if toward(reading, mark, n):
                return None
            return Hit(n, n + 1, -1.0, EXCESS, reading.tags[n])
    return None


def _undone(reading: Reading, mark: Match, clause: Clause) -> bool:
    """Whether a preposition tells what did not have to be done: "zonder op te schrijven", "sem precisar ligar"."""
    if reading.tags[mark.start] not in {"ADP", "SCONJ"}:
        return False
    for n in range(mark.end, min(clause.end, mark.end + _NEAR)):
        if reading.tags[n] in VERBS:
            return True
        if reading.tags[n] in NOUNS:
            return False
    return False


def _not_so(reading: Reading, mark: Match, clause: Clause) -> Hit:
    """What a negation with nothing judged near it says: "no towels" lacks something, "nobody came" did not happen."""
    after = (reading.tags[n] for n in range(mark.end, min(clause.end, mark.end + 2)))
    lacks = next((tag for tag in after if tag not in {"DET", "ADJ"}), "") in NOUNS
    return Hit(mark.start, mark.end, -0.6, LACK if lacks else NEGATED, "LACK" if lacks else "VERB")
