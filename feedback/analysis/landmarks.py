"""Finds the nouns that only tell where something is: "close to the station" praises the place and not the station."""

from bisect import bisect_left
from collections.abc import Sequence

from feedback.analysis.features import CLAUSE, FEATURES, MODIFIER, OWN, RELATIONS, SIGNS, Row
from feedback.analysis.hits import Hit
from feedback.analysis.reading import Reading
from feedback.analysis.tags import VERBS
from feedback.analysis.terms import Node

_LEADING = frozenset({"DET", "ADP", "NUM", "PRON", "ADJ"})
_NEAR = 3
_PHRASE = 2
_DIRECT = (OWN, MODIFIER, OWN + len(RELATIONS), MODIFIER + len(RELATIONS))


def quiet(reading: Reading, nodes: Sequence[Node], rows: list[Row]) -> None:
    """Take the evidence off nodes that something is near to, and off those listed with them, unless it is their own."""
    marks = [mark for mark in reading.modifiers if mark.kind == "nearness"]
    firsts = [node.first for node in nodes] if marks else []
    for mark in marks:
        n = bisect_left(firsts, mark.end)
        if n == len(nodes) or nodes[n].begin - mark.end > _NEAR:
            continue
        if not _LEADING.issuperset(reading.tags[mark.end : nodes[n].first]):
            continue
        group = {n}
        while n < len(nodes) and (n in group or nodes[n].peer in group or nodes[n].parent in group):
            if nodes[n].peer in group and not VERBS.isdisjoint(reading.tags[nodes[n].end : nodes[n].end + 1]):
                # "Right on the beach, the pool was closed": the list ends before the subject.
                break
            group.add(n)
            if not any(rows[n][k] for k in _DIRECT):
                rows[n] = [0.0] * len(FEATURES)
            n += 1


def mention(nodes: Sequence[Node], hits: Sequence[Hit], tied: Sequence[set[int]], rows: list[Row]) -> None:
    """Take the evidence off what a judging phrase only mentions behind a preposition: "arrived together with the bill".

    `tied` holds, for each hit, the nodes it judges. A phrase that judges nothing else is on what it mentions: "hair in
    the bed".
    """
    firsts = [node.first for node in nodes]
    for hit, judged in zip(hits, tied, strict=True):
        if hit.end - hit.start < _PHRASE or not judged:
            continue
        inside = range(bisect_left(firsts, hit.start + 1), bisect_left(firsts, hit.end))
        if not judged.issubset(inside):
            for n in inside:
                said = any(rows[n][relation] or rows[n][relation + len(RELATIONS)] for relation in range(CLAUSE))
                if nodes[n].inner and nodes[n].last <= hit.end and not said:
                    rows[n] = [0.0] * len(FEATURES)


def own(reading: Reading, nodes: Sequence[Node], rows: list[Row]) -> None:
    """Take the praise off what is the customer's own, behind a preposition, and of which nothing is said itself.

    "The work on my car was done quickly" praises the work. What a fault was found in is blamed: "a hair in my rice".
    """
    owners = reading.language.grammar.first_person
    if owners.isdisjoint(reading.words):
        return
    for n, node in enumerate(nodes):
        if node.inner and node.begin and reading.words[node.begin - 1] in owners:
            praise, blame = rows[n][: len(RELATIONS)], rows[n][len(RELATIONS) : SIGNS]
            if sum(praise) > sum(blame) and not any(praise[:CLAUSE]) and not any(blame[:CLAUSE]):
                rows[n] = [0.0] * len(FEATURES)
