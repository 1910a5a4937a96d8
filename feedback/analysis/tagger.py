"""Gives every token its Universal POS tag: a linear model over hashed features, in a few array operations a batch.

The score of a tag is a sum over the word itself and its two neighbours on either side, over pairs of neighbouring
ambiguity classes, and, in a second pass, over the tags the first pass gave to the neighbours. What depends on one word
alone is summed once a word form and kept, so that tagging some texts is a gather, a few additions and an argmax.
"""

import unicodedata
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
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
_ROWS = np.arange(len(PLACES))[:, np.newaxis]
CLASS_TEMPLATES, TAG_TEMPLATES = np.arange(3)[:, np.newaxis], np.arange(3, 10)[:, np.newaxis]
_CLASS_PAIRS = (-1, 0, -1), (0, 1, 1)
"""The places of the left and of the right class of each template of the first pass."""
_TAG_PAIRS = (-1, -2, 1, -1, 1, -1, 0), (1, -1, 2, 0, 0, 0, 1)
"""Those of the tags of the second pass; the right of the templates `_WITH_CLASS` is the token's own class."""
_WITH_CLASS = slice(3, 5)
_NEVER = -1e9
_UNSEEN = -25.0
"""What it costs to give a word a tag no treebank and no dictionary gave it."""
_ALIKE = -20.0
"""What it costs to take for a noun what treebanks only showed as a verb."""
_KNOWN_FORMS = 6000
_EDGE = "\x02"
_REACH = 4
"""How far off a token may stand and still change a tag: two tokens in either pass."""
_GAP = [(_EDGE, "b")] * 2
"""What keeps two texts apart."""
_AT_ONCE = 1024
_KIN = (("PROPN", "NOUN"), ("NOUN", "PROPN"))
"""Tags a word may have where it was seen with the first: any noun may be a name."""
_CLOSED_TAGS = frozenset({"AUX", "ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART", "NUM", "SYM", "PUNCT"})
_FIRST_HAN = "\u2e80"
_PART = 64


def plain(word: str) -> str:
    """`word` without accents."""
    if word.isascii():
        return word
    # In parts, as putting thousands of marks on one letter in order takes quadratic time.
    parts = (unicodedata.normalize("NFD", word[n : n + _PART]) for n in range(0, len(word), _PART))
    return "".join(c for part in parts for c in part if not unicodedata.combining(c))


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


def pair_rows(template: Ints, left: Ints, right: Ints) -> Ints:
    """The rows of pairs of small numbers, one table for all templates."""
    mixed = (left * 7919 + right + 1) * 2654435761 + template * (40503 * 65537)
    rows: Ints = (mixed >> 9) & ((1 << PAIR_BITS) - 1)
    return rows


@lru_cache(maxsize=256)
def _neighbours(places: tuple[int, ...], length: int) -> Ints:
    """For each place and each of `length` tokens where that neighbour stands in an array padded by two."""
    return np.array(places)[:, np.newaxis] + np.arange(2, length + 2)


def class_pairs(classes: Ints) -> Ints:
    """The rows of the first pass's pairs, templates x tokens; `classes` are padded by two on either side."""
    left, right = (classes.take(_neighbours(places, len(classes) - 4)) for places in _CLASS_PAIRS)
    return pair_rows(CLASS_TEMPLATES, left, right)


def tag_pairs(tags: Ints, classes: Ints) -> tuple[Ints, Ints]:
    """The left and the right numbers of the second pass's pairs, templates x tokens; both padded by two."""
    left, right = (tags.take(_neighbours(places, len(tags) - 4)) for places in _TAG_PAIRS)
    right[_WITH_CLASS] = classes[2:-2]
    return left, right


def barred(class_name: str) -> list[float]:
    """What a class adds to the scores: a word keeps to the tags it was seen with, an unknown one is no pronoun."""
    if class_name == "!VERB":
        # "Print" and "zip" were only ever verbs in the treebanks; customers speak of the print and the zip.
        return [0.0 if tag == "VERB" else _ALIKE if tag == "NOUN" else _NEVER for tag in TAGS]
    if class_name.startswith("!"):
        return [0.0 if tag == class_name[1:] else _NEVER for tag in TAGS]
    seen = set(class_name.split("|"))
    if "NOUN" in seen:
        # Where "drivers" stands for "driver's" treebanks give it the tag of its ending.
        seen.discard("PART")
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
        self._second, self._width, self._base = self._second_tables()
        self._barred = np.array([barred(name) for name in class_names], np.float32)
        self._forms: dict[tuple[str, str], int] = {}
        self.hint: Callable[[str], str] = lambda _word: "?"
        self._scores = np.zeros((256 * len(PLACES), len(TAGS)), np.float32)
        self._form_class = np.zeros(256, np.int64)

    def _second_tables(self) -> tuple[Floats, Ints, Ints]:
        """The second pass's weights unhashed, at base + left * width + right, and width and base of each template."""
        tags, classes = len(TAGS) + 1, len(self.class_names)
        widths = np.full_like(TAG_TEMPLATES, tags)
        widths[_WITH_CLASS] = classes
        rows = [
            pair_rows(template, *np.divmod(np.arange(tags * width), width))
            for template, width in zip(TAG_TEMPLATES, widths.ravel().tolist(), strict=True)
        ]
        return self._pairs[np.concatenate(rows)], widths, tags * (widths.cumsum(0) - widths)

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
        number = len(self._forms)
        if number >= len(self._form_class):
            grown = min(2 * number, _KNOWN_FORMS) - number
            self._scores = np.concatenate([self._scores, np.zeros((grown * len(PLACES), len(TAGS)), np.float32)])
            self._form_class = np.concatenate([self._form_class, np.zeros(grown, np.int64)])
        lexical = self.lexical(word) if kind == "w" else "?"
        for n, place in enumerate(PLACES):
            rows = [row(f) for f in features(word, kind, lexical, place)]
            self._scores[number * len(PLACES) + n] = self._static[rows].sum(0, dtype=np.int32) * self._scale
        self._form_class[number] = self._class_of.get(lexical if kind == "w" else f"<{kind}>", 0)
        self._forms[word, kind] = number
        return number

    def tag(self, surface: list[str], kind: list[str]) -> list[str]:
        """The tags of the tokens of one text."""
        return self.tag_many([(surface, kind)])[0]

    def tag_many(self, texts: Iterable[tuple[list[str], list[str]]]) -> list[list[str]]:
        """The tags of the tokens of several texts, which costs less than one by one and gives the same."""
        tokens, places = _GAP * 2, []
        for surface, kind in texts:
            places.append((len(tokens) - _REACH, kind))
            tokens += zip(surface, kind, strict=True)
            tokens += _GAP
        tokens += _GAP
        best: list[int] = []
        for start in range(0, len(tokens) - 2 * _REACH, _AT_ONCE):
            best += self._decode(self._numbers(tokens[start : start + _AT_ONCE + 2 * _REACH]))
        return [
            [
                TAGS[tag] if sort == "w" else FIXED[sort]
                for tag, sort in zip(best[begin : begin + len(kind)], kind, strict=True)
            ]
            for begin, kind in places
        ]

    def _numbers(self, tokens: list[tuple[str, str]]) -> Ints:
        """The numbers of the forms of some tokens, that of an edge being nought."""
        if len(self._forms) + len(tokens) >= _KNOWN_FORMS:
            self._forms.clear()
        forms = self._forms
        if not forms:
            self._form(*_GAP[0])
        numbers = list(map(forms.get, tokens))
        if None in numbers:
            numbers = [forms[key] if key in forms else self._form(*key) for key in tokens]
        return np.array(numbers, np.int64)

    def _decode(self, ids: Ints) -> list[int]:
        """The numbers of the best tags of tokens that have `_REACH` others on either side."""
        length, places, tags = len(ids) - 4, len(PLACES), len(TAGS)
        # Everything that is added up lies in one array, so that a pass is one sum, in the order of the rows.
        sums = np.empty((places + 4, length, tags), np.float32)
        forms = ids.take(_neighbours(PLACES, length)) * places + _ROWS
        self._scores.take(forms, 0, sums[:places], "clip")
        classes = self._form_class.take(ids)
        self._pairs.take(class_pairs(classes), 0, sums[places:-1], "clip")
        self._barred.take(classes[2:-2], 0, sums[-1], "clip")
        scores = sums.sum(0)
        first = np.full(length + 4, tags, np.int64)
        first[2:-2] = scores.argmax(1)
        first[ids == 0] = tags
        left, right = tag_pairs(first, classes)
        second = np.empty((len(left) + 1, length, tags), np.float32)
        second[0] = scores
        self._second.take(left * self._width + right + self._base, 0, second[1:], "clip")
        best: list[int] = second.sum(0)[2:-2].argmax(1).tolist()
        return best


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
