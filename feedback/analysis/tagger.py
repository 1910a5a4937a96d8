"""Gives every token its Universal POS tag: a linear model over hashed features, in a few array operations a text.

The score of a tag is a sum over the word itself and its two neighbours on either side, over pairs of neighbouring
ambiguity classes, and, in a second pass, over the tags the first pass gave to the neighbours. What depends on one word
alone is summed once a word form and kept, so that tagging a text is a gather, a few additions and an argmax.
"""

import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Scaled = tuple[NDArray[np.int8], float]
"""Weights as small integers, and what one of their units is worth."""

TAGS = (
    "NOUN",
    "PROPN",
    "ADJ",
    "VERB",
    "AUX",
    "ADV",
    "ADP",
    "DET",
    "PRON",
    "CCONJ",
    "SCONJ",
    "NUM",
    "PART",
    "INTJ",
    "SYM",
    "X",
    "PUNCT",
)
FIXED = {"n": "NUM", "p": "PUNCT", "e": "SYM", "u": "X", "h": "X"}
STATIC_BITS = 16
PAIR_BITS = 13
PLACES = (0, -1, 1, -2, 2)
"""Where a word stands relative to the token that is scored: itself, one before, one after, two before, two after."""
_NEVER = -1e9
_UNSEEN = -20.0
"""What it costs to give a word a tag no treebank and no dictionary gave it."""
_KNOWN_FORMS = 6000
_EDGE = "\x02"
_KIN = (("PROPN", "NOUN"), ("NOUN", "PROPN"))
"""Tags a word may have where it was seen with the first: any noun may be a name."""
_CLOSED_TAGS = frozenset({"AUX", "ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART", "NUM", "SYM", "PUNCT"})
_FIRST_HAN = "\u2e80"


def plain(word: str) -> str:
    """`word` without accents."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def shape(word: str) -> str:
    """The case and make of a word, as one short code."""
    if word.islower():
        return "l-" if "-" in word else "l"
    if word.isupper():
        return "U" if len(word) > 1 else "T"
    if word[:1].isupper():
        return "T-" if "-" in word else "T"
    return "d" if any(c.isdigit() for c in word) else "m"


def features(word: str, kind: str, lexical: str, place: int) -> list[str]:
    """What the model sees of a word that stands at `place` relative to the token it scores."""
    if word == _EDGE or kind != "w":
        # Of numbers, links and punctuation the kind matters, and the mark itself.
        return [f"{place}k{kind}", f"{place}w{word if kind == 'p' else kind}"]
    low = word.lower()
    if place in (-2, 2):
        return [f"{place}w{low}", f"{place}c{lexical}"]
    if place in (-1, 1):
        return [
            f"{place}w{low}",
            f"{place}s{low[-3:]}",
            f"{place}t{low[-2:]}",
            f"{place}c{lexical}",
            f"{place}h{shape(word)}",
        ]
    if low[0] >= _FIRST_HAN:
        # A Chinese word has no ending; the dictionary's class says most, its characters something.
        return [f"w{low}", f"c{lexical}", f"C{lexical}{min(len(low), 4)}", f"s{low[-1]}", f"p{low[0]}"]
    bare = plain(low)
    found = [f"w{low}", f"b{bare}", f"c{lexical}", f"h{shape(word)}", f"p{bare[:2]}", f"q{bare[:3]}"]
    found += [f"s{low[-n:]}" for n in (1, 2, 3, 4, 5) if len(low) >= n]
    found += [f"f{bare[-3:]}{shape(word)}", f"l{min(len(low), 8)}"]
    return found


def row(feature: str) -> int:
    """The row of the weights a feature shares."""
    return zlib.crc32(feature.encode("utf-8", "surrogatepass")) & ((1 << STATIC_BITS) - 1)


def pair_rows(template: int, left: Ints, right: Ints) -> Ints:
    """The rows of pairs of small numbers, one table for all templates."""
    mixed = (left * 7919 + right + 1) * 2654435761 + template * 40503 * 65537
    rows: Ints = (mixed >> 9) & ((1 << PAIR_BITS) - 1)
    return rows


def class_pairs(classes: Ints) -> list[Ints]:
    """The rows of the first pass's pairs for a text whose classes are padded by one on either side."""
    before, here, after = classes[:-2], classes[1:-1], classes[2:]
    return [pair_rows(0, before, here), pair_rows(1, here, after), pair_rows(2, before, after)]


def tag_pairs(tags: Ints, classes: Ints) -> list[Ints]:
    """The rows of the second pass's pairs: tags padded by two on either side, classes of the tokens themselves."""
    two_before, before, here, after, two_after = tags[:-4], tags[1:-3], tags[2:-2], tags[3:-1], tags[4:]
    return [
        pair_rows(3, before, after),
        pair_rows(4, two_before, before),
        pair_rows(5, after, two_after),
        pair_rows(6, before, classes),
        pair_rows(7, after, classes),
        pair_rows(8, before, here),
        pair_rows(9, here, after),
    ]


def barred(class_name: str) -> list[float]:
    """What a class adds to the scores: a word keeps to the tags it was seen with, an unknown one is no pronoun."""
    if class_name == "!VERB":
        # "Print" and "zip" were only ever verbs in the treebanks; customers speak of the print and the zip.
        return [0.0 if tag == "VERB" else _UNSEEN if tag == "NOUN" else _NEVER for tag in TAGS]
    if class_name.startswith("!"):
        return [0.0 if tag == class_name[1:] else _NEVER for tag in TAGS]
    seen = set(class_name.split("|"))
    known = seen <= set(TAGS)
    for one, other in _KIN:
        seen |= {other} if one in seen else set()
    open_class = class_name[:1] not in "=<" and seen.isdisjoint(_CLOSED_TAGS) and class_name.isupper()
    unknown = class_name == "?" or open_class
    return [
        _NEVER if unknown and tag in _CLOSED_TAGS else _UNSEEN if known and tag not in seen else 0.0 for tag in TAGS
    ]


class Tagger:
    """A language's tagger; not safe for use by several threads at once, since it grows its cache."""

    def __init__(
        self,
        words: dict[str, int],
        class_names: list[str],
        static: NDArray[np.int8],
        pairs: NDArray[np.int8],
        scales: tuple[float, float],
    ) -> None:
        self.words = words
        self.class_names = class_names
        self._class_of = {name: n for n, name in enumerate(class_names)}
        self._static = static
        self._scale = np.float32(scales[0])
        self._pairs: Floats = pairs.astype(np.float32) * np.float32(scales[1])
        self._second = self._second_tables()
        self._barred = np.array([barred(name) for name in class_names], np.float32)
        self._forms: dict[tuple[str, str], int] = {}
        self.hint: Callable[[str], str] = lambda _word: "?"
        self._scores = np.zeros((len(PLACES), 256, len(TAGS)), np.float32)
        self._form_class = np.zeros(256, np.int64)

    def _second_tables(self) -> list[Floats]:
        """The second pass's weights unhashed, one table a template, indexed by left * width + right."""
        tags, classes = len(TAGS) + 1, len(self.class_names)
        return [
            self._pairs[pair_rows(template, *(grid.ravel() for grid in np.divmod(np.arange(tags * width), width)))]
            for template, width in ((3, tags), (4, tags), (5, tags), (6, classes), (7, classes), (8, tags), (9, tags))
        ]

    @classmethod
    def load(cls, path: Path) -> "Tagger":
        """The tagger in an npz file written by `save`."""
        with np.load(path, allow_pickle=False) as data:
            names = bytes(data["classes"]).decode().split("\n")
            words = bytes(data["words"]).decode().split("\n")
            known = dict(zip(words, data["word_class"].tolist(), strict=True))
            scales = data["scales"]
            return cls(known, names, data["static"], data["pairs"], (float(scales[0]), float(scales[1])))

    def lexical(self, word: str) -> str:
        """The ambiguity class of a word form: the tags it was seen with, or itself if it is a frequent small word.

        Of a word the treebanks did not show, the lexicon may give a hint.
        """
        number = self.words.get(word.lower())
        return self.hint(word.lower()) if number is None else self.class_names[number]

    def _form(self, word: str, kind: str) -> int:
        if len(self._forms) >= _KNOWN_FORMS:
            self._forms.clear()
        number = len(self._forms)
        if number >= self._scores.shape[1]:
            grown = min(2 * number, _KNOWN_FORMS)
            self._scores = np.concatenate(
                [self._scores, np.zeros((len(PLACES), grown - number, len(TAGS)), np.float32)], axis=1
            )
            self._form_class = np.concatenate([self._form_class, np.zeros(grown - number, np.int64)])
        lexical = self.lexical(word) if kind == "w" else "?"
        for n, place in enumerate(PLACES):
            rows = [row(f) for f in features(word, kind, lexical, place)]
            self._scores[n, number] = self._static[rows].sum(0, dtype=np.int32) * self._scale
        self._form_class[number] = self._class_of.get(lexical if kind == "w" else f"<{kind}>", 0)
        self._forms[word, kind] = number
        return number

    def tag(self, surface: list[str], kind: list[str]) -> list[str]:
        """The tags of the tokens of one text."""
        if not surface:
            return []
        length = len(surface)
        if len(self._forms) + length + 1 > _KNOWN_FORMS:
            if length + 1 > _KNOWN_FORMS // 2:
                half = length // 2
                return self.tag(surface[:half], kind[:half]) + self.tag(surface[half:], kind[half:])
            self._forms.clear()
        forms = self._forms
        edge = forms.get((_EDGE, "b"))
        if edge is None:
            edge = self._form(_EDGE, "b")
        numbers = [edge, edge]
        for key in zip(surface, kind, strict=True):
            number = forms.get(key)
            numbers.append(self._form(*key) if number is None else number)
        numbers += [edge, edge]
        return self._decode(np.array(numbers, np.int64), kind)

    def _decode(self, ids: Ints, kind: list[str]) -> list[str]:
        length = len(ids) - 4
        scores = self._scores[0, ids[2:-2]]
        for n, place in enumerate(PLACES[1:], 1):
            scores += self._scores[n, ids[2 + place : 2 + place + length]]
        classes = self._form_class[ids[1:-1]]
        for rows in class_pairs(classes):
            scores += self._pairs[rows]
        scores += self._barred[classes[1:-1]]
        first = np.full(length + 4, len(TAGS), np.int64)
        first[2:-2] = scores.argmax(1)
        wide = first * (len(TAGS) + 1)
        long = first * len(self.class_names)
        own = classes[1:-1]
        before, here, after = first[1:-3], first[2:-2], first[3:-1]
        tables = self._second
        scores += tables[0][wide[1:-3] + after]
        scores += tables[1][wide[:-4] + before]
        scores += tables[2][wide[3:-1] + first[4:]]
        scores += tables[3][long[1:-3] + own]
        scores += tables[4][long[3:-1] + own]
        scores += tables[5][wide[1:-3] + here]
        scores += tables[6][wide[2:-2] + after]
        return [
            TAGS[best] if sort == "w" else FIXED[sort]
            for best, sort in zip(scores.argmax(1).tolist(), kind, strict=True)
        ]


def save(path: Path, words: dict[str, int], class_names: list[str], static: Scaled, pairs: Scaled) -> None:
    """Write a tagger; the same arguments give the same bytes."""
    np.savez_compressed(
        path,
        classes=np.frombuffer("\n".join(class_names).encode(), np.uint8),
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
        word_class=np.array(list(words.values()), np.uint16),
        static=static[0],
        pairs=pairs[0],
        scales=np.array([static[1], pairs[1]], np.float32),
    )
