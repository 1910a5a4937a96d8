"""Finds the pronoun that stands for what is judged where no noun does: "It was wonderful", "I love them"."""

from feedback.analysis.clauses import Clause
from feedback.analysis.hits import Hit
from feedback.analysis.reading import Reading

_REACH = 20
"""Tokens; a clause of emoji alone may be as long as the text."""


def spoken_of(reading: Reading, hit: Hit, clause: Clause) -> int:
    """The pronoun a judgement is on: the object of a judging verb, else the last one before it; -1 if none is.

    `clause` is the judgement's own. Only what the grammar lists under `pronouns` counts.
    """
    known = reading.language.grammar.pronouns
    if not known:
        return -1
    if hit.pos == "VERB" and hit.end < clause.end and _is_pronoun(reading, hit.end):
        return hit.end
    first = max(clause.begin, hit.start - _REACH)
    return next((n for n in range(hit.start - 1, first - 1, -1) if _is_pronoun(reading, n)), -1)


def label(reading: Reading, n: int) -> str:
    """The id of the term that the pronoun at token `n` is: all its cases have one."""
    # The contract's parts of speech know no pronouns; it stands for a noun.
    return f"{reading.language.grammar.pronouns[reading.words[n]]}__NOUN__1"


def _is_pronoun(reading: Reading, n: int) -> bool:
    return reading.tags[n] == "PRON" and reading.words[n] in reading.language.grammar.pronouns
