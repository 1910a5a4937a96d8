"""What rjieba's dictionary knows of Chinese words, which is far more than the treebanks show, and words of our own."""

from functools import lru_cache
from pathlib import Path

import rjieba

from feedback.analysis.lexicon import rows

SETTLED = 3000
"""How common a word of our own is held to be, so that what it is made of does not win over it."""
OWN = {row[0]: row[1] for row in rows(Path(__file__).parent / "lang" / "zh" / "tags.tsv")}
"""What a word is where the dictionary misleads, or customers use it otherwise."""
for _word, _tag in OWN.items():
    if _tag == "NOUN" and len(_word) > 1:
        # What the dictionary does not have, or holds for rare, it parts: "意面", "茶位费".
        rjieba.add_word(_word, SETTLED, "n")
NAMING = frozenset({"NOUN", "VERB|NOUN"})
TAGS = {
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


def has(word: str) -> bool:
    """Whether the dictionary has a word; it also says so of what longer words of our own begin with ("演得活")."""
    return rjieba.has_word(word) and len(rjieba.tag(word, False)) == 1


@lru_cache(maxsize=8192)
def tag(word: str) -> str:
    """What the dictionary says a word is: a class of the tagger's, "?" where it does not know."""
    try:
        found = rjieba.tag(word)
    except UnicodeEncodeError:  # half of a surrogate pair: no word of any dictionary
        return "?"
    return TAGS.get(found[0][1], "?") if len(found) == 1 else "?"


CLASSES = tuple(sorted(set(TAGS.values())))
