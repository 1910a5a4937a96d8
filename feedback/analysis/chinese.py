"""Cuts and tags Chinese with rjieba's dictionary, which knows far more words than the treebanks show."""

from collections.abc import Callable
from functools import lru_cache

import rjieba

from feedback.analysis import tokens
from feedback.analysis.tokens import Tokens

_BEFORE = frozenset("太很真不没超挺最更好蛮够")
_TAGS = {
    code: tag
    for tag, codes in {
        "NOUN": "n nz an s f j g",
        "PROPN": "nr ns nt",
        "VERB|NOUN": "vn",
        "ADJ": "a ad b z",
        "VERB": "v",
        "ADV": "d df zg",
        "NUM": "m",
        "CL": "q",
        "PRON": "r",
        "ADP": "p",
        "CCONJ": "c",
        "PART": "u uj ul ud uz uv ug y h k",
        "INTJ": "e o",
        "TIME": "t",
        "IDIOM": "i l",
        "LATIN": "eng",
    }.items()
    for code in codes.split()
}


def cutter(known: frozenset[str]) -> Callable[[str], Tokens]:
    """How a Chinese text is cut where `known` are the lexicon's entries.

    The dictionary joins what the lexicon wants apart ("太少", "不贵"): a degree or negation before a known word
    is split off.
    """

    def segment(run: str) -> list[str]:
        found: list[str] = []
        for piece in rjieba.cut(run):
            if len(piece) > 1 and piece[0] in _BEFORE and piece not in known and piece[1:] in known:
                found += [piece[0], piece[1:]]
            else:
                found.append(piece)
        return found

    return lambda text: tokens.cut_chinese(text, segment)


@lru_cache(maxsize=8192)
def tag(word: str) -> str:
    """What the dictionary says a word is: a class of the tagger's, "?" where it does not know."""
    try:
        found = rjieba.tag(word)
    except UnicodeEncodeError:  # half of a surrogate pair: no word of any dictionary
        return "?"
    return _TAGS.get(found[0][1], "?") if len(found) == 1 else "?"


CLASSES = tuple(sorted(set(_TAGS.values())))
