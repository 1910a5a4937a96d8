"""Cuts words into the pieces whose vectors are known, so that a word never seen still says what its parts say.

A word is cut where the product of its pieces' probabilities is largest (Kudo 2018, "Subword Regularization", the
unigram language model), by dynamic programming over its characters. Pieces are known by a checksum, so that tens of
thousands of them are one small array and no dictionary.
"""

import unicodedata
import zlib
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

START = "▁"
"""Marks a piece that begins a word."""
_LONGEST = 64
"""Characters; what a longer word says further on is not looked at, which bounds the work for any text."""
_UNKNOWN = -30.0
"""What a character costs that no piece holds: more than any piece."""
_KEPT = 20_000
"""How many words are kept with their pieces, a few megabytes; those asked for longest ago are cut anew."""
_FIRST_HAN = "\u2e80"
_HAN_RUN = 12
"""Chinese comes without blanks: a run of characters is cut at every so many, as no piece is as long."""


def checksum(piece: str) -> int:
    """What a piece is known by."""
    return zlib.crc32(piece.encode("utf-8", "surrogatepass"))


def words(text: str) -> list[str]:
    """The words of a text as pieces are cut from them: between blanks, and of Chinese short runs of characters."""
    found = []
    for word in unicodedata.normalize("NFKC", text).split():
        plain = word.capitalize() if len(word) > 1 and word.isupper() else word
        if len(plain) > _HAN_RUN and max(plain) >= _FIRST_HAN:
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
        self._known: OrderedDict[str, tuple[int, ...]] = OrderedDict()

    def of(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, in order; what no piece holds is left out."""
        found: list[int] = []
        known = self._known
        for word in words(text):
            cut = known.get(word)
            if cut is None:
                cut = known[word] = self._cut(START + word)
                if len(known) > _KEPT:
                    known.popitem(last=False)
            found += cut
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        size, longest = len(word), self.longest
        spans = [(a, b) for b in range(1, size + 1) for a in range(max(0, b - longest), b)]
        checks = np.array([checksum(word[a:b]) for a, b in spans], np.uint32)
        places = np.minimum(np.searchsorted(self.checks, checks), len(self.checks) - 1)
        held = self.checks[places] == checks
        scores = np.where(held, self.scores[places], -np.inf).tolist()
        best = [0.0] + [-np.inf] * size
        last = [(0, -1)] * (size + 1)
        at = 0
        for b in range(1, size + 1):
            best[b], last[b] = best[b - 1] + _UNKNOWN, (b - 1, -1)
            for a in range(max(0, b - longest), b):
                if best[a] + scores[at] > best[b]:
                    best[b], last[b] = best[a] + scores[at], (a, at)
                at += 1
        found = []
        while size:
            size, at = last[size]
            if at >= 0:
                found.append(int(places[at]))
        return tuple(reversed(found))
