"""Cuts sentences into clauses, the reach of most opinions, and notes what opens each."""

from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

_start = attrgetter("start")
_OPENERS = frozenset({"contrast", "concession", "condition"})
_STRONG = frozenset(";:–—()")
_WEAK = frozenset({",", "，", "、", "/", "-"})
_FULL = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})
_LISTING = frozenset({"NOUN", "PROPN", "ADP", "DET", "CCONJ", "PUNCT"})
_CONJUNCTIONS = frozenset({"CCONJ", "SCONJ"})
_JOINS = frozenset({"SCONJ", "PRON", "ADP"})

Held = tuple[bytearray, bytearray, bytearray]
"""Where judging words, terms and verbs stand: one flag a token."""


@dataclass(slots=True)
class Clause:
    """Tokens `begin`..`end` of sentence `sentence`, the nodes in it (as a range) and the marker it opens with.

    A `wish` stands in it; it is `wished` where it says what the clause before it wishes for. What it praises by name is
    `absent` where it says so ("von Sauberkeit keine Spur"), or where that answers it ("Sauberkeit? Fehlanzeige").
    """

    begin: int
    end: int
    sentence: int
    opener: str
    first_node: int = 0
    last_node: int = 0
    wish: bool = False
    wished: bool = False
    question: bool = False
    condition: bool = False
    absent: bool = False


def clauses(reading: Reading, nodes: list[Node]) -> list[Clause]:
    """The clauses of a text in order."""
    opening = {m.start: m.kind for m in reading.modifiers if m.kind in _OPENERS}
    hit, noun = bytearray(len(reading.tags) + 1), bytearray(len(reading.tags) + 1)
    acts = bytearray(map(VERBS.__contains__, reading.tags))
    for node in nodes:
        noun[node.head] = not node.stop
        # "Great cookies, cakes and coffee": what was taken for a verb and is a noun after all tells nothing.
        acts[node.first : node.last] = bytes(node.last - node.first)
    for match in reading.opinions:
        # A word that is listed only to say that it judges nothing makes no clause; nor does a verb that is a noun here.
        if noun[match.start] and match.end - match.start == 1:
            hit[match.start] |= any(entry.judges and entry.pos != "V" for entry in match.entries)
        else:
            hit[match.start] |= match.entries[0].judges or any(entry.judges for entry in match.entries)
    found: list[Clause] = []
    for number, (start, stop) in enumerate(reading.sentences):
        found += _sentence(reading, (start, stop, number), opening, (hit, noun, acts))
    _fill(reading, found, nodes)
    return found


def _sentence(reading: Reading, sentence: tuple[int, int, int], opening: dict[int, str], held: Held) -> list[Clause]:
    start, stop, number = sentence
    hit, noun, acts = held
    cuts: list[tuple[int, str]] = [(start, opening.get(start, ""))]
    tags, kind, surface = reading.tags, reading.kind, reading.surface
    fronted = tags[start] in {"SCONJ", "ADV"} or start in opening
    for n in range(start + 1, stop):
        if n in opening:
            _open(reading, cuts, (n, stop, opening[n]), held)
        elif kind[n] == "p" and surface[n] in _STRONG:
            cuts.append((n, "strong"))
        elif (
            (
                (tags[n] in _CONJUNCTIONS or (kind[n] == "p" and surface[n] in _WEAK))
                and not _told_of(reading, cuts[-1], n, stop, (hit, noun))
            )
            or (fronted and tags[n] == "DET" and _main(reading, start, n, stop, noun))
            or (kind[n] == "e" and kind[n - 1] != "e")
        ):
            cuts.append((n, "weak"))
    found: list[Clause] = []
    for n, (begin, opener) in enumerate(cuts):
        end = cuts[n + 1][0] if n + 1 < len(cuts) else stop
        if opener == "weak" and found:
            last = found[-1]
            alone = 1 in noun[begin:end] and (1 in hit[begin:end] or 1 in acts[begin:end])
            done = 1 in hit[last.begin : last.end] or (
                1 in noun[last.begin : last.end] and 1 in acts[last.begin : last.end]
            )
            if not (alone and done) or _listed(reading, last.begin, begin, end):
                last.end = end
                continue
        found.append(Clause(begin, end, number, "" if opener == "weak" else opener))
    return found


def _told_of(reading: Reading, cut: tuple[int, str], n: int, stop: int, held: tuple[bytearray, bytearray]) -> bool:
    """Whether a bare judgement since the last comma is on what `n` opens: "..., jammer dat de rits stuk gaat"."""
    tags, (begin, opener), (hit, noun) = reading.tags, cut, held
    # "Schade, dass der Service langsam war": a comma may stand before the conjunction.
    first = n + 1 if tags[n] == "PUNCT" else n
    if opener != "weak" or tags[first : first + 1] != ["SCONJ"] or reading.kind[begin] != "p" or 1 not in hit[begin:n]:
        return False
    if 1 in noun[begin:n] or not VERBS.isdisjoint(tags[begin:n]):
        return False
    end = next((k for k in range(first + 1, stop) if reading.kind[k] == "p"), stop)
    return not VERBS.isdisjoint(tags[first:end])


def _listed(reading: Reading, start: int, begin: int, end: int) -> bool:
    """Whether nouns after a conjunction go on with what is said to be lacking: "lack of order and of comfort"."""
    if not _LISTING.issuperset(reading.tags[begin:end]):
        return False
    for k in range(begin - 1, start - 1, -1):
        if any(entry.kind == "lack" for entry in reading.forms[k].modifiers):
            return True
        if reading.tags[k] not in _LISTING:
            return False
    return False


def _main(reading: Reading, start: int, n: int, stop: int, noun: bytearray) -> bool:
    """Whether the article at `n` begins the main clause, no comma before it: "quand il pleut le toit fuit"."""
    tags = reading.tags
    if tags[n - 1] not in _FULL or VERBS.isdisjoint(tags[start:n]):
        return False
    head = next((k for k in range(n + 1, min(stop - 1, n + 3)) if noun[k]), -1)
    return head > 0 and tags[head + 1] in VERBS


def _open(reading: Reading, cuts: list[tuple[int, str]], place: tuple[int, int, str], held: Held) -> None:
    """Cut at a marker, unless it stands inside or behind the clause it opens ("the fish was however fine")."""
    n, stop, kind = place
    hit, noun, _ = held
    while cuts[-1][1] == "weak" and not any(hit[cuts[-1][0] : n]) and not any(noun[cuts[-1][0] : n]):
        cuts.pop()
    begin, opener = cuts[-1]
    end = next((k for k in range(n + 1, stop) if reading.kind[k] == "p"), stop)
    if not any(hit[n:end]) and not any(noun[n:end]) and end - n < 4:
        return
    if any(hit[begin:n]) or not any(noun[begin:n]) or reading.tags[n] == "SCONJ" or kind == "condition":
        cuts.append((n, kind))
    elif opener in {"", "weak"} and reading.tags[n] != "CCONJ":
        cuts[-1] = (begin, kind)
    else:
        cuts.append((n, kind))


def _fill(reading: Reading, found: list[Clause], nodes: list[Node]) -> None:
    """Hand each clause its nodes and the markers that stand in it."""
    at = 0
    for clause in found:
        clause.first_node = at
        while at < len(nodes) and nodes[at].head < clause.end:
            at += 1
        clause.last_node = at
    marks = iter(sorted(reading.modifiers, key=_start))
    mark = next(marks, None)
    for clause in found:
        while mark is not None and mark.start < clause.end:
            clause.wish = clause.wish or mark.kind == "wish"
            clause.condition = clause.condition or mark.kind == "condition"
            clause.absent = clause.absent or mark.kind == "absence"
            mark = next(marks, None)
    for wish, clause in pairwise(found):
        # "It would be nice if the room was clean": nothing else is wished for.
        bare = wish.wish and wish.first_node == wish.last_node and wish.sentence == clause.sentence
        clause.wished = bare and reading.tags[clause.begin] in _JOINS
    for clause in found:
        stop = reading.sentences[clause.sentence][1]
        clause.question = "?" in reading.surface[stop - 1] or "？" in reading.surface[stop - 1]
    for asked, clause in pairwise(found):
        asked.absent = asked.absent or (asked.question and clause.absent and clause.sentence > asked.sentence)
