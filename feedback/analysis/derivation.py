"""Finds the known word inside a derived one: the head of a compound, an adjective with a prefix or as a superlative."""

import re
from collections.abc import Iterator

_PREFIXES = (
    "super",
    "hyper",
    "hiper",
    "iper",
    "ultra",
    "mega",
    "giga",
    "extra",
    "über",
    "ueber",
    "sau",
    "arci",
    "archi",
    "stra",
    "requete",
    "mordsi",
    "hyper-",
    "super-",
    "ultra-",
    "mega-",
)
_SUPERLATIVE = re.compile(r"(.{2,})(?:[íi]sim|[íi]ssim)(?:[oaie]|os|as)$")
_SUPERLATIVE_ENDS = ("o", "e", "", "ro", "re", "le")
_SHORTEST_HEAD = 4
_SHORTEST_MODIFIER = 3


def strengthened(low: str) -> Iterator[str]:
    """What an adjective was before it was strengthened: "superescaso", "buenísimo", "lentissimi"."""
    for prefix in _PREFIXES:
        if low.startswith(prefix) and len(low) - len(prefix) >= _SHORTEST_HEAD:
            yield low[len(prefix) :].lstrip("-")
    if found := _SUPERLATIVE.match(low):
        stem = found[1]
        for end in _SUPERLATIVE_ENDS:
            yield stem + end
        # The spelling of the stem follows its sound: riquísimo is rico, larghissimo is largo.
        if stem.endswith("qu"):
            yield stem[:-2] + "co"
        if stem.endswith(("gu", "gh")):
            yield stem[:-2] + "go"
        if stem.endswith("ch"):
            yield stem[:-2] + "co"
        if stem.endswith("bil"):
            yield stem[:-3] + "ble"
            yield stem[:-3] + "vel"


def heads(low: str, *, compounds: bool) -> Iterator[str]:
    """The possible heads of a compound, the longest first: what follows a hyphen, any ending where words are joined."""
    if "-" in low[1:-1]:
        yield low.rpartition("-")[2]
    if compounds:
        for start in range(_SHORTEST_MODIFIER, len(low) - _SHORTEST_HEAD + 1):
            yield low[start:]


def letters(low: str, digraphs: str) -> Iterator[str]:
    """Spellings of a word with the letters that its writer's keyboard lacked: `stoerung` is `störung`.

    `digraphs` are pairs as `ae=ä ss=ß`; the doubled consonant among them may stand for itself (`muesste`, `müsste`).
    """
    pairs = [pair.split("=") for pair in digraphs.split()]
    if not any(written in low for written, _ in pairs):
        return
    vowels, every, sharp = low, low, low
    for written, meant in pairs:
        every = every.replace(written, meant)
        if written[0] == written[1]:
            sharp = sharp.replace(written, meant)
        else:
            vowels = vowels.replace(written, meant)
    yield from (word for word in dict.fromkeys((vowels, every, sharp)) if word != low)
