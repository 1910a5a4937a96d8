"""Lets a sentence in which no word judges speak as a whole, on the noun phrases it names."""

from collections.abc import Sequence

from feedback.analysis import sentiment
from feedback.analysis.evidence import Evidence
from feedback.analysis.features import RELATIONS, SENTIMENT, SENTIMENT_ASIDE
from feedback.analysis.standing import ASIDE

_WORTH = 2.0
_LEAST = 0.2
"""How much surer of one sign than of the other the network must be."""


def hear(proofs: Sequence[Evidence]) -> None:
    """Add what the silent sentences of some texts say to the rows of evidence, all in one go."""
    asked = [(proof, *silent) for proof in proofs for silent in _silent(proof)]
    chances = sentiment.judge([_text(proof, number) for proof, number, _ in asked]) if asked else []
    for (proof, _, nodes), (praise, blame) in zip(asked, chances, strict=True):
        value = _WORTH * (praise - blame)
        if abs(value) < _WORTH * _LEAST:
            continue
        shift = 0 if value > 0 else len(RELATIONS)
        for n in nodes:
            # A heading or a sentence beside may have judged it.
            if not proof.said(n):
                relation = SENTIMENT_ASIDE if proof.places[n] == ASIDE else SENTIMENT
                proof.rows[n][relation + shift] = abs(value)


def _silent(proof: Evidence) -> list[tuple[int, list[int]]]:
    """The sentences in which nothing judges, and the noun phrases of each.

    Where a dataset's own entry stands, its owner has said what to make of it.
    """
    settled = proof.judged | proof.reading.settled
    found: dict[int, list[int]] = {}
    for clause in proof.clauses:
        if clause.first_node < clause.last_node and clause.sentence not in settled:
            found.setdefault(clause.sentence, []).extend(range(clause.first_node, clause.last_node))
    return list(found.items())


def _text(proof: Evidence, number: int) -> str:
    start, stop = proof.reading.sentences[number]
    return proof.reading.text[proof.reading.begin[start] : proof.reading.end[stop - 1]]
