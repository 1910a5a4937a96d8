"""Makes the terms of a document out of what was found in its text: which are told, with which opinion."""

from collections.abc import Sequence

from feedback.analysis import deeds, pronouns, terms, words
from feedback.analysis.evidence import Evidence
from feedback.analysis.hits import Hit
from feedback.analysis.reading import Reading
from feedback.analysis.terms import Node
from feedback.domain.document import Enrichment, Offset, Opinion, OpinionName

_PLAIN, _CLEAR = 0.5, 1.0
_VALUES: dict[Opinion, OpinionName] = {opinion: opinion.value for opinion in Opinion}
"""Kept, since an enumeration's `value` is a call."""
_NEUTRAL = Opinion.NEUTRAL.value
_NEAR = 4
_LEADING = frozenset({"DET", "ADJ", "ADV", "NUM"})


def enrich(
    read: Reading, proof: Evidence, verdicts: Sequence[Opinion]
) -> tuple[tuple[Enrichment, ...], dict[int, Opinion]]:
    """The terms of a text in order, each with its opinion; and the opinion on each token that has one, for topics.

    `verdicts` are the opinions on its nodes, which hold where the language is known.
    """
    nodes = proof.nodes
    if not read.language.known:
        verdicts = [Opinion.NEUTRAL] * len(nodes)
    found: dict[tuple[int, int], Enrichment] = {}
    opinion_at: dict[int, Opinion] = {}
    for n, (node, verdict) in enumerate(zip(nodes, verdicts, strict=True)):
        if node.soft and not proof.said(n):
            continue
        if not proof.only_judges(n):
            _put_node(read, found, node, verdict)
        opinion_at.update(dict.fromkeys(range(node.begin, node.end), verdict))
    if not any(e.opinion != _NEUTRAL for e in found.values()):
        # "What a nightmare!" names nothing, but must not be lost where nothing else is judged.
        for node, verdict in zip(nodes, verdicts, strict=True):
            if node.polar and verdict is not Opinion.NEUTRAL:
                _put_node(read, found, node, verdict)
    _put_verdicts(read, proof, found, opinion_at)
    for hit in proof.hits:
        # "The room was clean" praises the cleanliness that "clean" speaks of as it praises the room.
        for n in range(hit.start, hit.end):
            opinion_at.setdefault(n, Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE)
    _put_deeds(read, proof, found)
    if not found:
        _put_held(read, proof, verdicts, found)
    if not found:
        _put_strongest(read, proof, found)
    return tuple([found[place] for place in sorted(found, key=_outer_first)]), opinion_at


def _outer_first(place: tuple[int, int]) -> tuple[int, int]:
    """What terms are ordered by: where they begin, and the longer before the shorter."""
    begin, end = place
    return begin, -end


def _put_verdicts(
    read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment], opinion_at: dict[int, Opinion]
) -> None:
    """Make terms of judgements that name nothing, where no noun tells of them: "Very expensive.", "Does not work."."""
    # Stop-terms may carry an opinion, but they tell nobody: "It broke after two days."
    judged_already = bool(found) and any(opinion is not Opinion.NEUTRAL for opinion in opinion_at.values())
    referred: dict[int, float] = {}
    for hit in proof.orphans:
        opinion = Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE
        opinion_at.update({n: opinion for n in range(hit.start, hit.end) if n not in opinion_at})
        # "Very expensive." must not be lost; where a noun carries the opinion, the adjective adds nothing.
        n = hit.start if hit.end - hit.start == 1 else deeds.verb_of(read, hit.start, hit.end)
        # "It is great" says nothing but that it is; "it is expensive" speaks of the price.
        tells = (n >= 0 and not read.language.topical.isdisjoint(read.keys[n])) or _property(read, proof, hit) >= 0
        pronoun = -1 if judged_already or tells else pronouns.spoken_of(read, hit, proof.clauses[hit.clause])
        if pronoun >= 0:
            referred[pronoun] = referred.get(pronoun, 0.0) + hit.value
        alone = hit.pos in {"ADJ", "VERB"} and n >= 0 and (hit.end - hit.start > 1 or read.tags[n] == hit.pos)
        alone = alone and pronoun < 0
        enough = abs(hit.value) >= (_PLAIN if hit.pos == "ADJ" else _CLEAR)
        if alone and enough and not judged_already and _property(read, proof, hit) < 0:
            # "Nicht hektisch" is not called hectic, nor "not good" good.
            start = n if hit.pos == "VERB" else _denial(read, n)
            _put(read, found, (start, n + 1, n), opinion, noun=False)
        elif hit.pos == "NOUN" and not found and (n := words.verdict(read, hit.start, hit.end)) >= 0:
            # "Eine Frechheit!" is all that is said.
            _put(read, found, (n, n + 1, n), opinion, noun=True)
    for n, value in referred.items():
        if value:
            offset = Offset(read.begin[n], read.end[n])
            opinion = Opinion.POSITIVE if value > 0 else Opinion.NEGATIVE
            found[offset.begin, offset.end] = Enrichment(pronouns.label(read, n), _VALUES[opinion], offset)


def _put_held(
    read: Reading, proof: Evidence, verdicts: Sequence[Opinion], found: dict[tuple[int, int], Enrichment]
) -> None:
    """Make terms of the stop-terms that a judging phrase holds, where nothing else is told: "goede ervaring gehad"."""
    for node, verdict in zip(proof.nodes, verdicts, strict=True):
        if node.soft and verdict is not Opinion.NEUTRAL:
            _put_node(read, found, node, verdict)


def _put_strongest(read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment]) -> None:
    """Make a term of the judgement that is all a text says: "Never again!"."""
    # "Nothing", "keine": who denies without a judging word has nothing to say.
    hits = proof.orphans or proof.hits
    told = [h for h in hits if h.entries and "w" in read.kind[h.start : h.end] and abs(h.value) >= _PLAIN]
    if told:
        hit = max(told, key=lambda hit: abs(hit.value))
        opinion = Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE
        _put(read, found, (hit.start, hit.end, hit.start), opinion, noun=False)


def _put_node(read: Reading, found: dict[tuple[int, int], Enrichment], node: Node, verdict: Opinion) -> None:
    praised = verdict is Opinion.POSITIVE and any(e.weight < 0 and e.pos == "N" for e in read.forms[node.head].opinions)
    for start, stop in node.spans:
        head = node.head if start <= node.head < stop else stop - 1
        # "No complaints" praises, and is not called complaints.
        first = _denial(read, start) if praised else start
        _put(read, found, (first, stop, head), verdict, noun=True)


def _denial(read: Reading, n: int) -> int:
    """The word of denial that leads token `n`, `n` itself where there is none."""
    for k in range(n - 1, max(-1, n - _NEAR), -1):
        if terms.denies(read, k):
            return k
        if read.tags[k] not in _LEADING:
            break
    return n


def _put_deeds(read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment]) -> None:
    """Make a term of the verb that a clause speaks of where it names nothing: "fits well", "easy to use"."""
    values: dict[int, float] = {}
    for hit in proof.unnamed:
        values[hit.clause] = values.get(hit.clause, 0.0) + hit.value
        start, stop = deeds.eased(read, hit.start, proof.clauses[hit.clause].end) if hit.pos == "ADJ" else (0, 0)
        if stop:
            span = start, stop, start
            _put(read, found, span, Opinion.POSITIVE if hit.value > 0 else Opinion.NEGATIVE, noun=False)
    for number, value in values.items() if read.language.grammar.subjectless_ending else ():
        n = deeds.subjectless(read, proof.clauses[number].begin, proof.clauses[number].end)
        if value and n >= 0:
            _put(read, found, (n, n + 1, n), Opinion.POSITIVE if value > 0 else Opinion.NEGATIVE, noun=False)
    _put_properties(read, proof, found)


def _put_properties(read: Reading, proof: Evidence, found: dict[tuple[int, int], Enrichment]) -> None:
    """Make terms of the verbs that name a property something is said of: "it fits well", "the print fades quickly"."""
    values: dict[int, float] = {}
    for hit in proof.hits if read.language.grammar.property_verbs else ():
        n = _property(read, proof, hit)
        if n >= 0:
            values[n] = values.get(n, 0.0) + hit.value
    nouns = {n for node in proof.nodes for n in range(node.first, node.last)} if values else frozenset()
    for n, value in values.items():
        if value and n not in nouns:
            _put(read, found, (n, n + 1, n), Opinion.POSITIVE if value > 0 else Opinion.NEGATIVE, noun=False)


def _property(read: Reading, proof: Evidence, hit: Hit) -> int:
    return deeds.property_verb(read, hit.start, hit.end, proof.clauses[hit.clause].begin)


def _put(
    read: Reading,
    found: dict[tuple[int, int], Enrichment],
    span: tuple[int, int, int],
    opinion: Opinion,
    *,
    noun: bool,
) -> None:
    start, stop, head = span
    begin, end = read.begin[start], read.end[stop - 1]
    if (begin, end) not in found:
        found[begin, end] = Enrichment(
            terms.label(read, start, stop, head, noun=noun), _VALUES[opinion], Offset(begin, end)
        )
