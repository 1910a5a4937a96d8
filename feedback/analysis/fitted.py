"""Applies classifiers fitted on labelled documents, in plain numpy: no worker needs what they were fitted with."""

import io
import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import tokens
from feedback.analysis.profile import FittedClassifier

MAX_CHARACTERS = 20_000
"""What a text says further on does not change what it is about."""

_SHORT, _LONG = (1, 2, 3), (3, 4, 5)


class Model(NamedTuple):
    """A linear model over hashed n-grams: `hashes` (sorted) and `rarity` have one element a feature."""

    classes: tuple[str, ...]
    hashes: NDArray[np.uint32]
    rarity: NDArray[np.float32]
    weights: NDArray[np.float32]
    """One row a class, one column a feature."""
    bias: NDArray[np.float32]

    def predict(self, found: NDArray[np.uint32]) -> str:
        """The class of a text of these features; of two that fit alike, the first in the alphabet."""
        places, shares = vector(self.hashes, self.rarity, found)
        return self.classes[int(np.argmax(self.weights[:, places] @ shares + self.bias))]

    def pack(self) -> bytes:
        """The model as a NumPy archive of plain arrays."""
        out = io.BytesIO()
        np.savez_compressed(
            out,
            classes=np.array(self.classes),
            hashes=self.hashes,
            rarity=self.rarity,
            weights=self.weights.astype(np.float16),
            bias=self.bias,
        )
        return out.getvalue()


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> Model:
    """What `Model.pack` made."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as found:
        classes = tuple(str(value) for value in found["classes"])
        weights = found["weights"].astype(np.float32)
        return Model(classes, found["hashes"], found["rarity"], weights, found["bias"])


def features(text: str) -> NDArray[np.uint32]:
    """What a text is judged by: hashes of its words, pairs of words, and the letters within words, each once."""
    cut = tokens.cut(text[:MAX_CHARACTERS].lower())
    words = [word for word, kind in zip(cut.surface, cut.kind, strict=True) if kind != tokens.LINK]
    found = {zlib.crc32(gram.encode(errors="replace")) for gram in itertools.chain(_words(words), _letters(set(words)))}
    return np.array(sorted(found), np.uint32)


def vector(
    hashes: NDArray[np.uint32], rarity: NDArray[np.float32], found: NDArray[np.uint32]
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """The places of the features a model knows, and the share of each; rare ones weigh more, the length is 1."""
    # What lies behind the last hash is compared with the last.
    places = np.minimum(np.searchsorted(hashes, found), len(hashes) - 1)
    places = places[hashes[places] == found]
    shares = rarity[places]
    length = float(np.sqrt(np.square(shares).sum())) or 1.0
    return places, shares / np.float32(length)


def classify(text: str, fitted: Iterable[FittedClassifier]) -> Mapping[str, str]:
    """The value that each of the fitted classifiers gives a text."""
    found = features(text)
    return {classifier.code: unpack(classifier.model).predict(found) for classifier in fitted}


def _words(words: list[str]) -> Iterator[str]:
    yield from (f"w{word}" for word in words)
    yield from (f"p{one} {other}" for one, other in itertools.pairwise(words))


def _letters(words: set[str]) -> Iterator[str]:
    for word in words:
        # A run of Chinese is not cut into words here: its characters say more, alone and in twos and threes.
        spelled, sizes = (word, _SHORT) if word[0] >= "\u2e80" else (f" {word} ", _LONG)
        for size in sizes:
            yield from (f"c{spelled[n : n + size]}" for n in range(len(spelled) - size + 1))
