"""What the words around a judging word do to it: they deny it, strengthen or weaken it, say that it is lacking."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedback.analysis.clauses import Clause
from feedback.analysis.comparatives import compares
from feedback.analysis.form import Form
from feedback.analysis.lexicon import NEGATORS, Entry, Match
from feedback.analysis.reading import Reading
from feedback.analysis.scope import listed, never_better, never_such, reaches, toward

if TYPE_CHECKING:
    from feedback.analysis.hits import Hit

_TRANSPARENT = frozenset("'\"-“”«»„‘’`")
_REACH = 6
_NEAR = 3
_EVER = 1.3
_TAIL = "tail"
_DENIED = (Entry(("not",), _TAIL, 1.0, "*"),)
_GRADED = frozenset({"ADJ", "ADV"})

Marks = dict[int, list[Match]]
"""What may change a judgement, by the tokens that it covers."""


def marks_of(reading: Reading) -> Marks:
    """The modifiers of a text, and what ends its complaints with a denial."""
    found: Marks = {}
    for match in reading.modifiers:
        for n in range(match.start, match.end):
            found.setdefault(n, []).append(match)
    for match in reading.opinions:
        last = match.end - 1
        if last > match.start and match.entries[0].weight < 0 and _turns(reading.forms[last]):
            # "Immer noch nicht pünktlich": what ends a complaint still denies the praise behind it.
            found.setdefault(last, []).append(Match(last, match.end, _TAIL, _DENIED))
    return found


def only_shades(reading: Reading, match: Match, marks: Marks) -> bool:
    """Whether a judging word only shades the next ("terribly good", "super clean")."""
    if match.end - match.start > 1 or match.end >= len(reading.tags):
        return False
    shading = any(m.kind in {"intensifier", "diminisher", "excess"} for m in marks.get(match.start, ()))
    return shading and (
        reading.tags[match.end] in _GRADED
        or (bool(reading.forms[match.end].opinions) and reading.tags[match.start] == "ADV")
    )


@dataclass(slots=True)
class Shades:
    """What the words around a judging word do to it."""

    negations: float = 0.0
    factor: float = 1.0
    excess: float = 0.0
    less: bool = False
    lack: bool = False

    def take(self, mark: Match, distance: int) -> None:
        """Count a modifier that stands `distance` tokens before the judging word, its own last token being 1."""
        weight = mark.entries[0].weight
        if mark.kind == "negator" or (mark.kind == _TAIL and distance <= _NEAR):
            self.negations += weight
        elif mark.kind == "excess" and distance == 1:
            self.excess = weight
        elif distance <= _NEAR and mark.kind in {"intensifier", "diminisher"}:
            self.factor *= weight
        elif distance <= _NEAR:
            self.less = self.less or mark.kind == "less"
            self.lack = self.lack or mark.kind == "lack"


def shades_on(reading: Reading, hit: "Hit", clause: Clause, marks: Marks, entry: Entry) -> Shades:
    """All that stands around a judging word in its clause and changes what it says."""
    shades = Shades()
    seen = _before(reading, hit, clause, marks, shades)
    shades.lack = _lacked(reading, hit, clause, marks, named=shades.lack)
    _after(reading, hit, clause, marks, (shades, seen))
    if len(entry.words) > 1:
        inner = [n for n in range(hit.start, hit.end) if _turns(reading.forms[n])]
        if inner:
            # "Nada que objetar" has said no itself: "no tengo" before it turns nothing.
            # "Fällt nie aus" denies what it parts.
            said = any(not reading.forms[n].keys.isdisjoint(entry.words) for n in inner)
            shades.negations = 0.0 if said else 1.0
    return shades


def _lacked(reading: Reading, hit: "Hit", clause: Clause, marks: Marks, *, named: bool) -> bool:
    """Whether a judgement is on something missing: `named` says that a lack stands just before it.

    In "lack of care and lack of respect" and in "lack of care and dirt everywhere" the second is none of what the first
    is a lack of.
    """
    listed_evil = hit.value < 0 and hit.start > 0 and reading.tags[hit.start - 1] == "CCONJ"
    if listed_evil or any(entry.kind == "lack" for entry in reading.forms[hit.start].modifiers):
        return False
    return named or (hit.pos == "NOUN" and listed(reading, marks, hit.start, clause.begin) is not None)


def _turns(form: Form) -> bool:
    return bool(form.modifiers) and any(entry.kind in NEGATORS for entry in form.modifiers)


def _better(reading: Reading, hit: "Hit") -> bool:
    """Whether a judging word itself compares: "besseres", not the "friendly" of "more friendly"."""
    return reading.forms[hit.start].low in reading.language.grammar.comparatives or (
        reading.forms[hit.start - 1].low not in reading.language.grammar.comparatives and compares(reading, hit)
    )


def _before(reading: Reading, hit: "Hit", clause: Clause, marks: Marks, shades: Shades) -> set[tuple[int, str]]:
    """Take the modifiers before a judging word, back to the last punctuation; which ones they were."""
    seen: set[tuple[int, str]] = set()
    for n in range(hit.start - 1, max(clause.begin, hit.start - _REACH) - 1, -1):
        if reading.kind[n] == "p" and reading.surface[n] not in _TRANSPARENT:
            break
        for mark in marks.get(n, ()):
            # "Not very" before "very big" shares a word with it.
            within = mark.kind != "negator" or mark.end >= hit.end
            if (mark.start, mark.kind) in seen or (mark.end > hit.start and within):
                continue
            seen.add((mark.start, mark.kind))
            ever = (mark.kind == "negator" and never_such(reading, mark, hit.start)) or (
                mark.kind in {"negator", "lack"}
                and hit.value > 0
                and never_better(reading, mark, hit.start, compared=_better(reading, hit))
            )
            if ever:
                shades.factor *= _EVER
            elif (mark.kind == "excess" and toward(reading, mark, hit.start)) or (mark.kind == _TAIL and hit.value < 0):
                continue
            elif mark.kind != "negator" or reaches(reading, mark, hit.start):
                shades.take(mark, hit.start - mark.end + 1)
    return seen


def _after(
    reading: Reading, hit: "Hit", clause: Clause, marks: Marks, taken: tuple[Shades, set[tuple[int, str]]]
) -> None:
    """Take what follows a judging word and still changes it: "je n'aime pas", "schmeckt nicht", "slow as hell"."""
    shades, seen = taken
    if hit.pos == "NOUN" and _led(reading, hit.start, clause.begin):
        # "fährt wegen einer Störung nicht" denies the ride, not the failure.
        return
    turned = reading.language.grammar.verb_negator_after and hit.pos == "VERB"
    for n in range(hit.end, min(clause.end, hit.end + _NEAR)):
        if reading.kind[n] == "p" or reading.tags[n] in {"CCONJ", "SCONJ"}:
            break
        for mark in marks.get(n, ()):
            turns = turned and mark.kind == "negator" and not reading.forms[n].opinions and reading.tags[n] != "ADP"
            if turns or mark.kind == "postnegator":
                if (mark.start, mark.kind) not in seen and not _spared(reading, hit, mark):
                    shades.negations += mark.entries[0].weight
                    seen.add((mark.start, mark.kind))
            elif mark.kind == "intensifier" and n == hit.end and _trails(reading, n, clause):
                shades.factor *= mark.entries[0].weight


def _spared(reading: Reading, hit: "Hit", mark: Match) -> bool:
    """Whether what denies what follows leaves the judgement before it: "leider nicht", "zum dritten Mal nicht gut"."""
    if mark.start == hit.end and reading.tags[hit.start] == "ADV":
        # What denies an adverb stands before it.
        return True
    said = mark.end < len(reading.forms) and bool(reading.forms[mark.end].opinions)
    return said and hit.value < 0 and hit.pos in _GRADED


def _led(reading: Reading, n: int, start: int) -> bool:
    """Whether a preposition leads the noun at token `n`."""
    n -= 1
    while n > start and reading.tags[n] in {"DET", "ADJ"}:
        n -= 1
    return n >= start and reading.tags[n] == "ADP"


def _trails(reading: Reading, n: int, clause: Clause) -> bool:
    """Whether an adverb shades what stands before it, there being nothing after it to shade."""
    return reading.tags[n] == "ADV" and n + 1 < clause.end and reading.tags[n + 1] not in _GRADED
