"""Cuts and tags Chinese with rjieba's dictionary, which knows far more words than the treebanks show."""

from functools import lru_cache

import rjieba

from feedback.analysis import tokens
from feedback.analysis.tokens import Tokens

_TAGS = {
    "n": "NOUN", "nr": "PROPN", "ns": "PROPN", "nt": "PROPN", "nz": "NOUN", "an": "NOUN", "vn": "VERB|NOUN", "s": "NOUN", "f": "NOUN",
    "a": "ADJ", "ad": "ADJ", "b": "ADJ", "z": "ADJ", "v": "VERB", "d": "ADV", "df": "ADV", "m": "NUM", "q": "CL", "r": "PRON", "p": "ADP",
    "c": "CCONJ", "u": "PART", "uj": "PART", "ul": "PART", "ud": "PART", "uz": "PART", "uv": "PART", "ug": "PART", "y": "PART", "e": "INTJ",
    "t": "TIME", "i": "IDIOM", "l": "IDIOM", "j": "NOUN", "zg": "ADV", "o": "INTJ", "h": "PART", "k": "PART", "eng": "LATIN", "g": "NOUN",
}  # fmt: skip


def cut(text: str) -> Tokens:
    """The tokens of a Chinese text."""
    return tokens.cut_chinese(text, rjieba.cut)


@lru_cache(maxsize=8192)
def tag(word: str) -> str:
    """What the dictionary says a word is: a class of the tagger's, "?" where it does not know."""
    found = rjieba.tag(word)
    return _TAGS.get(found[0][1], "?") if len(found) == 1 else "?"


CLASSES = tuple(sorted(set(_TAGS.values())))
