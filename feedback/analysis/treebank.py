"""Reads CoNLL-U treebanks onto our own tokens, so that what is trained meets the same tokens when it is used."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from feedback.analysis.tokens import Tokens

# When a token holds several syntactic words ("du" = de + le, "dámelo" = da + me + lo) the first of these is its tag.
_ORDER = (
    "VERB",
    "NOUN",
    "PROPN",
    "ADJ",
    "AUX",
    "ADV",
    "NUM",
    "ADP",
    "SCONJ",
    "CCONJ",
    "PRON",
    "DET",
    "INTJ",
    "PART",
    "SYM",
    "X",
    "PUNCT",
)
_MULTIWORD = 10


class GoldWord(NamedTuple):
    """A syntactic word of a treebank; several share a span when the text writes them as one."""

    begin: int
    end: int
    form: str
    lemma: str
    tag: str


class GoldSentence(NamedTuple):
    """A sentence of a treebank: its text as written, and its words."""

    text: str
    words: list[GoldWord]


def read(path: Path) -> Iterator[GoldSentence]:
    """The sentences of a gzipped CoNLL-U file, the text put together from the words' forms."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows: list[list[str]] = []
        for line in lines:
            if line.startswith("#"):
                continue
            if line.strip():
                rows.append(line.rstrip("\n").split("\t"))
            elif rows:
                yield _sentence(rows)
                rows = []
        if rows:
            yield _sentence(rows)


def _sentence(rows: list[list[str]]) -> GoldSentence:
    text, words, covered = "", [], 0
    span = (0, 0)
    surface = ""
    for row in rows:
        number, form, lemma, tag, misc = row[0], row[1], row[2], row[3], row[-1]
        if "." in number:
            continue
        if "-" in number:
            span, surface = (len(text), len(text) + len(form)), form
            text += form + ("" if "SpaceAfter=No" in misc else " ")
            covered = int(number.split("-")[1])
        elif int(number) <= covered:
            found = surface.find(form)
            begin = span[0] + found if found >= 0 and len(form) > 1 else span[0]
            words.append(
                GoldWord(begin, begin + len(form) if found >= 0 and len(form) > 1 else span[1], form, lemma, tag)
            )
        else:
            words.append(GoldWord(len(text), len(text) + len(form), form, lemma, tag))
            text += form + ("" if "SpaceAfter=No" in misc else " ")
    return GoldSentence(text, words)


def align(tokens: Tokens, words: list[GoldWord]) -> list[tuple[str, str]]:
    """For each of our tokens the (tag, lemma) of the treebank word it covers; ("", "") if it covers none."""
    found: list[tuple[str, str]] = []
    first = 0
    for begin, end in zip(tokens.begin, tokens.end, strict=True):
        while (
            first < len(words)
            and words[first].end <= begin
            and (first + 1 == len(words) or words[first + 1].begin <= begin)
        ):
            first += 1
        inside = [word for word in words[first : first + _MULTIWORD] if word.begin < end and word.end > begin]
        best = min(inside, key=lambda word: _ORDER.index(word.tag) if word.tag in _ORDER else len(_ORDER), default=None)
        exact = (
            next((word for word in inside if (word.begin, word.end) == (begin, end)), best) if len(inside) > 1 else best
        )
        chosen = exact or best
        found.append((chosen.tag, chosen.lemma) if chosen else ("", ""))
    return found
