"""Tells words of courtesy from words of praise: "Liebe Bahn, ..." praises nobody, nor does "..., danke Vodafone"."""

from bisect import bisect_right
from collections.abc import Sequence

from feedback.analysis.hits import Hit
from feedback.analysis.reading import Reading

_WITHIN = 4
_NAMES = frozenset({"DET", "NOUN", "PROPN", "ADJ", "X"})
_STOPS = frozenset({",", "!", ":", "，", "：", "！"})
_ADDRESSING = (["VERB"], ["AUX"], ["PRON"], ["DET"], ["SCONJ"], ["ADV"])
"""What goes on with the letter: "Liebe Bahn, wollt ihr ...", not "Lieve verpleegkundigen, maar ..."."""
_SCORN = -0.5
_BAD = -1.0
"""What adjectives of quality ("poor") are worth at least, and those of hardship ("difficult") are not."""
_REASONS = frozenset({"ADP", "SCONJ"})
_LEADING = frozenset({"DET", "PRON", "ADJ", "AUX"})


def withhold(reading: Reading, found: list[Hit]) -> list[Hit]:
    """The judgements without those that only open a letter; bare thanks after nothing but complaints become scorn."""
    salutations, thanks = reading.language.grammar.salutations, reading.language.grammar.thanks
    words = [reading.words[hit.start] for hit in found]
    if not salutations.isdisjoint(words):
        begins = [begin for begin, _ in reading.sentences]
        found = [
            hit
            for hit, word in zip(found, words, strict=True)
            if word not in salutations or not _opens(reading, hit, begins)
        ]
        words = [reading.forms[hit.start].low for hit in found]
    if not thanks.isdisjoint(words):
        _turn_thanks(reading, found, thanks)
    return found


def _opens(reading: Reading, hit: Hit, begins: Sequence[int]) -> bool:
    """Whether a word opens a letter; one that may complain ("cher SFR", "chère addition") does so before names only."""
    first = begins[bisect_right(begins, hit.start) - 1]
    if hit.end - hit.start > 1 or any(kind not in "hup" for kind in reading.kind[first : hit.start]):
        return False
    named = False
    for n in range(hit.end, min(len(reading.tags), hit.end + _WITHIN)):
        if reading.surface[n] in _STOPS:
            return n > hit.end and (named or reading.tags[n + 1 : n + 2] in _ADDRESSING)
        capital = reading.surface[n][0].isupper() and not reading.language.grammar.capital_nouns
        named = reading.kind[n] in "hu" or reading.tags[n] == "PROPN" or capital
        if not named and (hit.value < 0 or reading.tags[n] not in _NAMES):
            return False
        if reading.kind[n] == "u":
            return True
    return False


def _turn_thanks(reading: Reading, found: Sequence[Hit], thanks: frozenset[str]) -> None:
    """Take thanks that name no reason for scorn where all else complains: "..., again cancelled. Thanks @NMBS"."""
    praise = [hit for hit in found if hit.value > 0]
    if len(praise) != 1 or all(hit.value >= 0 for hit in found):
        return
    (hit,) = praise
    led = hit.start > 0 and reading.kind[hit.start - 1] in "pe"
    if reading.forms[hit.start].low not in thanks:
        return
    if (led and _bare(reading, hit.end)) or any(_is_reason(reading, hit, other) for other in found):
        hit.value *= _SCORN


def _is_reason(reading: Reading, thanks: Hit, other: Hit) -> bool:
    """Whether a complaint is what one is thanked for: "Thanks @united for losing my bag", "gracias por el retraso".

    One is thanked in earnest for what is merely hard: "Thank you for the difficult operation".
    """
    n = thanks.end + (reading.kind[thanks.end : thanks.end + 1] == ["u"])
    if other.value >= 0 or other.start <= n or reading.tags[n] not in _REASONS:
        return False
    if other.pos == "ADJ" and other.value > _BAD:
        return False
    return all(tag in _LEADING for tag in reading.tags[n + 1 : other.start])


def _bare(reading: Reading, n: int) -> bool:
    """Whether nothing but a name stands between token `n` and the end of its stretch."""
    stop = min(len(reading.tags), n + _WITHIN)
    while n < stop and (reading.kind[n] in "hu" or reading.tags[n] in _NAMES):
        n += 1
    return n == len(reading.tags) or reading.kind[n] in "pe"
