"""Turns matched words into judgements: strength with negation, intensity, excess, wishes and comparison worked in."""

from dataclasses import dataclass
from operator import attrgetter

from feedback.analysis import amounts
from feedback.analysis.choosing import choose, use
from feedback.analysis.clauses import Clause
from feedback.analysis.comparatives import ends_as_comparative
from feedback.analysis.form import Form
from feedback.analysis.lexicon import Entry, Match
from feedback.analysis.reading import Reading
from feedback.analysis.scope import listed, never_better, never_such, reaches, toward

LEXICON, LEARNT, LACK, EXCESS, WISH, NEGATED = range(6)
"""Where a judgement comes from; the model trusts each to its own degree."""

_TRANSPARENT = frozenset("'\"-“”«»„‘’`")
_REACH = 6
_NEAR = 3
_EVER = 1.3
_HALF = 0.5
"""A negator that weighs more turns in full; only one that weighs 1 complains where nothing is judged."""
_TURNING = frozenset({"negator", "postnegator"})
_TAIL = "tail"
_DENIED = (Entry(("not",), _TAIL, 1.0, "*"),)
_start, _extent = attrgetter("start"), attrgetter("start", "end")
_VERBAL = frozenset({"VERB", "AUX"})
_GRADED = frozenset({"ADJ", "ADV"})


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
    marks = _marks(reading)
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
        if entry is None or not entry.judges or _shades(reading, match, marks):
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


Marks = dict[int, list[Match]]


def _marks(reading: Reading) -> Marks:
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


def _shades(reading: Reading, match: Match, marks: Marks) -> bool:
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


def _modify(reading: Reading, hit: Hit, clause: Clause, marks: Marks, entry: Entry) -> None:
    """Work in what stands around a judging word in its clause."""
    if reading.kind[hit.start] in "he":
        # A hashtag or an emoji is a verdict of its own: "geen internet #fail".
        return
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
    if shades.negations and hit.pos == "NOUN" and hit.value < 0 and _unmended(reading, hit, clause):
        shades.negations = 0.0
    _settle(hit, shades)
    if hit.value < 0 and hit.pos == "NOUN" and hit.source == LEXICON and _mended(reading, hit, clause, marks):
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
    wished = clause.wished or (clause.wish and not _stated(reading, hit, clause, marks))
    if wished and hit.value > 0 and hit.source != WISH:
        hit.value, hit.source = -0.6 * hit.value, WISH


def _lacked(reading: Reading, hit: Hit, clause: Clause, marks: Marks, *, named: bool) -> bool:
    """Whether a judgement is on something missing: `named` says that a lack stands just before it.

    In "lack of care and lack of respect" and in "lack of care and dirt everywhere" the second is none of what the first
    is a lack of.
    """
    listed_evil = hit.value < 0 and hit.start > 0 and reading.tags[hit.start - 1] == "CCONJ"
    if listed_evil or any(entry.kind == "lack" for entry in reading.forms[hit.start].modifiers):
        return False
    return named or (hit.pos == "NOUN" and listed(reading, marks, hit.start, clause.begin) is not None)


def _turns(form: Form) -> bool:
    return bool(form.modifiers) and any(entry.kind in _TURNING for entry in form.modifiers)


def _stated(reading: Reading, hit: Hit, clause: Clause, marks: Marks) -> bool:
    """Whether a judgement is passed before its clause comes to a wish: "the room was lovely but should have a safe"."""
    if any(m.kind == "wish" for n in range(clause.begin, hit.end) for m in marks.get(n, ())):
        return False
    if reading.language.grammar.comma_ends and _hoped(reading, hit, clause, marks):
        return False
    # Chinese judges without a verb and wishes before it names the wish.
    stated = reading.language.grammar.comma_ends or not _VERBAL.isdisjoint(reading.tags[clause.begin : hit.end])
    return stated and not compares(reading, hit)


def _hoped(reading: Reading, hit: Hit, clause: Clause, marks: Marks) -> bool:
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


def _better(reading: Reading, hit: Hit) -> bool:
    """Whether a judging word itself compares: "besseres", not the "friendly" of "more friendly"."""
    return reading.forms[hit.start].low in reading.language.grammar.comparatives or (
        reading.forms[hit.start - 1].low not in reading.language.grammar.comparatives and compares(reading, hit)
    )


def compares(reading: Reading, hit: Hit) -> bool:
    """Whether a judgement is a comparison: "cheaper", "un peu meilleur", "più economico"."""
    grammar = reading.language.grammar
    if any(reading.forms[n].low in grammar.comparatives for n in range(max(0, hit.start - 1), hit.end)):
        return True
    # The base form of "cheaper" is another word, that of "clever" is itself.
    word, after = reading.forms[hit.start].low, reading.tags[hit.start + 1 : hit.start + 2]
    bases = [entry.words[0] for entry in hit.entries]
    # A lack, or a bare denial, has no word of its own that could compare.
    return bool(bases) and all(ends_as_comparative(grammar, word, base, after) for base in bases)


def _before(reading: Reading, hit: Hit, clause: Clause, marks: Marks, shades: Shades) -> set[tuple[int, str]]:
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
    reading: Reading, hit: Hit, clause: Clause, marks: Marks, taken: tuple[Shades, set[tuple[int, str]]]
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


def _spared(reading: Reading, hit: Hit, mark: Match) -> bool:
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


def _mended(reading: Reading, hit: Hit, clause: Clause, marks: Marks) -> bool:
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


def _unmended(reading: Reading, hit: Hit, clause: Clause) -> bool:
    """Whether what is denied is that a fault was mended: "did not fix the bug"."""
    mending = reading.language.grammar.mending
    return any(
        reading.tags[n] in _VERBAL and not mending.isdisjoint(reading.forms[n].keys)
        for n in range(max(clause.begin, hit.start - _NEAR), min(clause.end, hit.end + _NEAR))
    )


def _trails(reading: Reading, n: int, clause: Clause) -> bool:
    """Whether an adverb shades what stands before it, there being nothing after it to shade."""
    return reading.tags[n] == "ADV" and n + 1 < clause.end and reading.tags[n + 1] not in _GRADED


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
        elif mark.kind in {"negator", "postnegator"} and mark.start >= negated and mark.entries[0].weight >= 1:
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
        if reading.tags[n] in _VERBAL:
            return True
        if reading.tags[n] in {"NOUN", "PROPN"}:
            return False
    return False


def _not_so(reading: Reading, mark: Match, clause: Clause) -> Hit:
    """What a negation with nothing judged near it says: "no towels" lacks something, "nobody came" did not happen."""
    after = (reading.tags[n] for n in range(mark.end, min(clause.end, mark.end + 2)))
    lacks = next((tag for tag in after if tag not in {"DET", "ADJ"}), "") in {"NOUN", "PROPN"}
    return Hit(mark.start, mark.end, -0.6, LACK if lacks else NEGATED, "LACK" if lacks else "VERB")
