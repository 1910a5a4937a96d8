"""Cuts words into the pieces whose vectors are known, so that a word never seen still says what its parts say.

A word is cut where the product of its pieces' probabilities is largest (Kudo 2018, "Subword Regularization", the
unigram language model), by dynamic programming over its characters. Pieces are known by a checksum, so that tens of
thousands of them are one small array and no dictionary; of fifty thousand other strings one is taken for a piece.
"""

import re
import unicodedata
import zlib

import numpy as np
from numpy.typing import NDArray

START = "▁"
"""Marks a piece that begins a word."""
_LONGEST = 64
"""Characters; what a longer word says further on is not looked at, which bounds the work for any text."""
_UNKNOWN = -30.0
"""What a character costs that no piece holds: more than any piece."""
_KEPT, _KEPT_LENGTH = 20_000, 24
"""How many words are kept with their pieces, and up to which length: a few megabytes."""
_HAN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HAN_RUN = 12
"""Chinese comes without blanks: what holds it is cut at every so many characters."""


def checksum(piece: str) -> int:
    """What a piece is known by."""
    return zlib.crc32(piece.encode("utf-8", "surrogatepass"))


def words(text: str, limit: int) -> list[str]:
    """The first words of a text as pieces are cut from them: between blanks, and of Chinese short runs of characters.

    At most `limit` are looked for; a word that a space stands in once it is written plainly gives more.
    """
    found: list[str] = []
    for written in text.split(maxsplit=limit)[:limit]:
        han = bool(_HAN.search(written))
        for word in unicodedata.normalize("NFKC", written[: _HAN_RUN * limit if han else _LONGEST]).split():
            plain = word.capitalize() if len(word) > 1 and word.isupper() else word
            if len(plain) > _HAN_RUN and han:
                found += [plain[n : n + _HAN_RUN] for n in range(0, len(plain), _HAN_RUN)]
            else:
                found.append(plain[:_LONGEST])
    return found


class Pieces:
    """The known pieces: `checks` are their checksums, sorted, and `scores` the logarithms of their probabilities."""

    def __init__(self, checks: NDArray[np.uint32], scores: NDArray[np.float32], longest: int) -> None:
        self.checks = checks
        self.scores = scores
        self.longest = longest
        start = int(np.searchsorted(checks, checksum(START)))
        self._start = start if start < len(checks) and checks[start] == checksum(START) else -1
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str, limit: int) -> list[int]:
        """The numbers of the first `limit` pieces of a text, in order; what no piece holds is left out."""
        found: list[int] = []
        known = self._known
        for word in words(text, limit):
            cut = known.get(word)
            if cut is None:
                cut = self._cut(START + word)
                if len(word) <= _KEPT_LENGTH:
                    if len(known) >= _KEPT:
                        known.clear()
                    known[word] = cut
            found += cut
            if len(found) >= limit:
                break
        return found[:limit]

    def _cut(self, word: str) -> tuple[int, ...]:
        size = len(word)
        letters = [letter.encode("utf-8", "surrogatepass") for letter in word]
        checks, reach = [], []
        for start in range(size):
            check, stop = 0, min(start + self.longest, size)
            for letter in letters[start:stop]:
                check = zlib.crc32(letter, check)
                checks.append(check)
            reach.append(stop)
        wanted = np.array(checks, np.uint32)
        places = np.minimum(np.searchsorted(self.checks, wanted), len(self.checks) - 1)
        scores = np.where(self.checks[places] == wanted, self.scores[places], -np.inf).tolist()
        best = [0.0] + [-np.inf] * size
        last = [(0, -1)] * (size + 1)
        at = 0
        for start, stop in enumerate(reach):
            here = best[start]
            if here + _UNKNOWN > best[start + 1]:
                best[start + 1], last[start + 1] = here + _UNKNOWN, (start, -1)
            for end in range(start + 1, stop + 1):
                if here + scores[at] > best[end]:
                    best[end], last[end] = here + scores[at], (start, at)
                at += 1
        found = []
        while size:
            size, at = last[size]
            if at >= 0:
                found.append(int(places[at]))
        # A start alone, as of an emoji, is no piece of a word.
        return tuple(reversed(found)) if found != [self._start] else ()
