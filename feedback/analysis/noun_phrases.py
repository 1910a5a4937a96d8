"""Tells how far a noun phrase reaches: the nouns that go on with its first, the adjectives before and behind them."""

from collections.abc import Container

from feedback.analysis.adjectives import is_adjective
from feedback.analysis.reading import Reading
from feedback.analysis.words import is_noun

LONGEST = 5
"""How many tokens the nouns of a phrase may take."""
_SHADES = frozenset({"intensifier", "diminisher"})
_JOINING = frozenset({"ADV", "CCONJ"})


def extent(reading: Reading, n: int, stop: int, floor: int, apart: Container[int]) -> tuple[int, int, int]:
    """Where the noun phrase whose nouns begin at token `n` begins, where it ends, and where its nouns end.

    Its adjectives begin at token `floor` or later, and its nouns do not reach across a token that is `apart`.
    """
    tags = reading.tags
    last = n + 1
    while last < stop and last - n < LONGEST and _joins(reading, n, last, stop, apart):
        last += 1
    while not is_noun(reading, last - 1):
        last -= 1
    begin = n
    while (
        begin > floor
        and begin not in apart
        and (
            is_adjective(reading, begin - 1)
            or (tags[begin - 1] == "ADV" and begin < n and is_adjective(reading, begin))
        )
        and not is_noun(reading, begin - 1)
    ):
        begin -= 1
    end = _adjectives_after(reading, last, stop) if reading.language.grammar.adjective_after else last
    return begin, end, last


def _joins(reading: Reading, first: int, n: int, stop: int, apart: Container[int]) -> bool:
    """Whether token `n` continues the nouns that began at `first`."""
    if reading.begin[n] - reading.end[n - 1] > 1 or reading.language.tagger is None:
        # Where nobody knows what is a noun, every word stands for itself.
        return False
    if is_noun(reading, n):
        if n in apart:
            return False
        if reading.language.grammar.attributive and _opens_anew(reading, n):
            return False
        # In Romance languages a second noun follows only as an apposition ("service client"), a name or a foreign word.
        return reading.kind[n] not in "hu" and reading.kind[n - 1] not in "hu"
    possessive = reading.tags[n] == "PART" and reading.surface[n].lower().endswith("s") and n > first
    hyphen = reading.surface[n] in {"-", "&", "'"} and reading.end[n - 1] == reading.begin[n]
    return (possessive or hyphen) and n + 1 < stop and is_noun(reading, n + 1)


def _opens_anew(reading: Reading, n: int) -> bool:
    """Whether a noun is no part of a name but what the sentence goes on with: "薯条孩子全吃了"."""
    low, language = reading.forms[n].low, reading.language
    # "上菜时间很长"
    goes_on = low in language.grammar.terms_if_judged or low in language.grammar.courses
    return low in language.stopterms and not goes_on


def _adjectives_after(reading: Reading, n: int, stop: int) -> int:
    """The end of the adjectives that follow a noun: "connexion très lente et instable"."""
    end = n
    while n < stop:
        if is_adjective(reading, n) and not is_noun(reading, n):
            end = n = n + 1
        elif n == end and n < (shade := _shade(reading, n)) < stop and is_adjective(reading, shade):
            n = shade
        elif reading.tags[n] in _JOINING and n + 1 < stop and reading.tags[n + 1] in {"ADJ", "ADV"} and n - end < 2:
            n += 1
        else:
            break
    return end


def _shade(reading: Reading, n: int) -> int:
    """Where a phrase that only shades what follows ends: "un peu", "um pouco"; `n` if none begins here."""
    if not reading.forms[n].phrases:
        return n
    if reading.shades is None:
        reading.shades = {m.start: m.end for m in reading.modifiers if m.kind in _SHADES and m.end > m.start + 1}
    return reading.shades.get(n, n)
