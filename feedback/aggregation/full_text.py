"""What a full-text criterion must be: two characters at least, or one of a script whose characters are words."""

from unicodedata import normalize

from feedback.aggregation.dictionary import fold
from feedback.aggregation.rules import MIN_Q
from feedback.errors import Code, Problem

HAN = ((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


def q_problems(q: str) -> list[Problem]:
    """What is wrong with a full-text criterion: it needs two characters, or one of Chinese."""
    folded = fold(q)
    if folded and (len(normalize("NFC", q)) >= MIN_Q or all(_han(c) for c in folded)):
        return []
    return [Problem(Code.TOO_SHORT, f"needs at least {MIN_Q} characters (1 for Chinese), not {q!r}", "q")]


def _han(character: str) -> bool:
    point = ord(character)
    return any(low <= point <= high for low, high in HAN)
