"""Lets a sentence in which no word judges speak as a whole, on the noun phrases it names."""

from collections.abc import Sequence

from feedback.analysis import sentiment
from feedback.analysis.evidence import Evidence
from feedback.analysis.features import RELATIONS, SENTIMENT, SENTIMENT_ASIDE
from feedback.analysis.reading import Reading
from feedback.analysis.standing import ASIDE
from feedback.analysis.tags import VERBS

_TELLING = frozenset("wn")
_WORTH = 2.0
_LEAST = 0.25
"""How much surer of one sign than of the other the network must be."""
_SHORTEST = 4
"""Words and numbers; what is shorter is a title or a name."""


def hear(proofs: Sequence[Evidence]) -> None:
    """Add what the silent sentences of some texts say to the rows of evidence, all in one go."""
    if proofs:
        sentiment.network()  # Loaded with the first text, whatever that says: processes are warmed with an empty one.
    asked = [(proof, *silent) for proof in proofs for silent in _silent(proof)]
    chances = sentiment.judge([_text(proof, number) for proof, number, _ in asked])
    for (proof, _, nodes), (praise, blame) in zip(asked, chances, strict=True):
        value = _WORTH * (praise - blame)
        if abs(value) >= _WORTH * _LEAST:
            shift = 0 if value > 0 else len(RELATIONS)
            for n in nodes:
                relation = SENTIMENT_ASIDE if proof.places[n] == ASIDE else SENTIMENT
                proof.rows[n][relation + shift] = abs(value)


def _silent(proof: Evidence) -> list[tuple[int, list[int]]]:
    """The sentences in which nothing judges, and the noun phrases of each that nothing was said of from elsewhere.

    Where a dataset's own entry stands, its owner has said what to make of it; headings say it of what they list.
    """
    settled = proof.judged | proof.reading.settled
    found: dict[int, list[int]] = {}
    for clause in proof.clauses:
        if clause.first_node < clause.last_node and clause.sentence not in settled:
            nodes = [n for n in range(clause.first_node, clause.last_node) if not proof.said(n)]
            if nodes:
                found.setdefault(clause.sentence, []).extend(nodes)
    return [(number, nodes) for number, nodes in found.items() if _tells(proof.reading, number)]


def _tells(reading: Reading, number: int) -> bool:
    """Whether a sentence is long enough to tell something, tells what happened, and is no heading or listed under one.

    Words that describe ("the lamp was blue") judge nothing where the lexicon does not know them to.
    """
    start, stop = reading.sentences[number]
    if any(heading.start < stop and start < heading.stop for heading in reading.headings):
        return False
    copulas = reading.language.grammar.copulas
    verbs = [n for n in range(start, stop) if reading.tags[n] in VERBS]
    if verbs and all(reading.lemma(n) in copulas for n in verbs):
        return False
    return sum(kind in _TELLING for kind in reading.kind[start:stop]) >= _SHORTEST


def _text(proof: Evidence, number: int) -> str:
    start, stop = proof.reading.sentences[number]
    return proof.reading.text[proof.reading.begin[start] : proof.reading.end[stop - 1]]
