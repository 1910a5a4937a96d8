"""Words and phrases that make opinions (judging words, negators, intensifiers), and how they are found in a text."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import contains
from pathlib import Path
from sys import intern
from typing import NamedTuple

OPINION = "opinion"
NEGATORS = frozenset({"negator", "postnegator"})
"""The kinds of modifiers that deny: what follows them, or what stands before."""
AROUND = 8
"""How many words before and behind a judgement its condition may look at."""
GAP = "~"
GAP_WORDS = 3
"""How many words a gap may hold."""
MIDDLING = "M"
TAG_OF = {"A": "ADJ", "N": "NOUN", "V": "VERB", "R": "ADV", "I": "INTJ"}
"""What a word is tagged of which an entry says its part of speech; a phrase or an emoji has none."""
_NO_WORDS: frozenset[str] = frozenset()
"""Shared, since an empty set of its own would be the larger part of an entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `opinions.tsv` or `modifiers.tsv`.

    `kind` is `opinion` or a kind of modifier; `weight` is the strength -3..3 or the modifier's weight. `only` and
    `never` hold the lemmas of the line's condition; both empty: the entry always holds. A `middling` entry weighs
    nothing and says so: what it is said of is neither praised nor blamed. An entry `judges` if it is a verdict, be it a
    middling one, and not listed only to silence its words.
    """

    words: tuple[str, ...]
    kind: str
    weight: float
    pos: str
    only: frozenset[str] = _NO_WORDS
    never: frozenset[str] = _NO_WORDS
    learnt: bool = False
    middling: bool = False
    judges: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note whether the entry judges, which is asked of every word of every text."""
        object.__setattr__(self, "judges", bool(self.weight) or self.middling)


Phrase = tuple[int, tuple[str, ...], str, tuple[Entry, ...]]
"""How many words a phrase has, below nought so that the longest is tried first; its words, its kind, its entries."""


class Following(NamedTuple):
    """The phrases that begin with a word: their second words, and by each of these the phrases.

    Those that end with it or go on with a gap stand in the list, all others in the dictionary, by their third word.
    """

    seconds: frozenset[str]
    phrases: dict[str, tuple[list[Phrase], dict[str, list[Phrase]]]]


class Match(NamedTuple):
    """Entries of one kind and one wording that fit the tokens from `start` to `end` (exclusive)."""

    start: int
    end: int
    kind: str
    entries: tuple[Entry, ...]


def rows(path: Path) -> Iterable[list[str]]:
    """The lines of a data file as columns; comments, blank lines and a missing file give nothing."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.strip() and not line.startswith("# "):
                yield line.rstrip("\r").split("\t")


def _condition(when: str) -> tuple[frozenset[str], frozenset[str]]:
    sign, _, words = when.partition("=")
    found = frozenset(intern(word.strip().lower()) for word in words.split(",") if word.strip()) or _NO_WORDS
    return (found, _NO_WORDS) if sign == "with" else (_NO_WORDS, found) if sign == "not" else (_NO_WORDS, _NO_WORDS)


def _words(entry: str, split: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The words of an entry; "pas d'" ends in an elision, which a text never does."""
    words = tuple(map(intern, split(entry.lower())))
    return (*words[:-2], words[-2] + "'") if len(words) > 1 and words[-1] == "'" else words


def read(folder: Path, split: Callable[[str], Sequence[str]]) -> list[Entry]:
    """The entries of a language folder; `split` cuts a phrase as the language's tokenizer cuts a text.

    They share their words, conditions and weights, of which a language has many times fewer than entries.
    """
    found = []
    condition, number = cache(_condition), cache(float)
    for name, learnt in (("opinions.tsv", False), ("learnt.tsv", True)):
        for row in rows(folder / name):
            entry, strength, pos, when = [*row, "", "", ""][:4]
            words = _words(entry, split)
            if words:
                only, never = condition(when)
                middling = pos == MIDDLING
                pos, strength = ("A", "0") if middling else (pos or "*", strength or "0")
                found.append(Entry(words, OPINION, number(strength), pos, only, never, learnt, middling))
    for entry, kind, weight in (row[:3] for row in rows(folder / "modifiers.tsv") if len(row) > 2):
        words = _words(entry, split)
        if words:
            found.append(Entry(words, intern(kind), number(weight), "*"))
    return found


class Lexicon:
    """The entries of a language, indexed by first word."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.single: dict[str, list[Entry]] = defaultdict(list)
        self.phrases: dict[str, list[Phrase]] = defaultdict(list)
        grouped: dict[tuple[tuple[str, ...], str], list[Entry]] = defaultdict(list)
        self.words: set[str] = set()
        for entry in entries:
            if len(entry.words) == 1:
                self.single[entry.words[0]].append(entry)
            else:
                grouped[entry.words, entry.kind].append(entry)
            self.words.update(entry.words)
        for (words, kind), members in grouped.items():
            # Of two as long the one without a gap says more: "funktioniert nicht schlecht", "funktionieren ~ nicht".
            self.phrases[words[0]].append((-2 * len(words) + (GAP in words), words, kind, tuple(members)))
        self.single = dict(self.single)
        self.phrases = dict(self.phrases)
        self._following: dict[str, Following] = {}

    def following(self, first: str) -> Following:
        """The phrases that begin with a word, as they are looked for; all forms of a word share them."""
        if first not in self._following:
            found: dict[str, tuple[list[Phrase], dict[str, list[Phrase]]]] = {}
            for phrase in self.phrases.get(first, ()):
                second, *after = phrase[1][1:]
                ends, goes_on = found.setdefault(second, ([], {}))
                (goes_on.setdefault(after[0], []) if after and after[0] != GAP else ends).append(phrase)
            self._following[first] = Following(frozenset(found), found)
        return self._following[first]


def stands(words: tuple[str, ...], keys: Sequence[frozenset[str]], at: int) -> bool:
    """Whether words stand one after the other from `at`."""
    end = at + len(words)
    return end <= len(keys) and all(map(contains, keys[at:end], words))


def match_phrase(words: tuple[str, ...], keys: Sequence[frozenset[str]], start: int, stop: int) -> int:
    """Where a phrase that begins at `start` ends (exclusive), 0 if it is not there; `~` is up to three words."""
    at, gap = start, False
    for word in words:
        if word == GAP:
            gap = True
            continue
        if gap:
            at = next((n for n in range(at, min(stop, at + GAP_WORDS + 1)) if word in keys[n]), stop)
            gap = False
        if at >= stop or word not in keys[at]:
            return 0
        at += 1
    return at


def may_hold(entries: Iterable[Entry], keys: Sequence[frozenset[str]], place: tuple[int, int, int, int]) -> bool:
    """Whether the condition of one of `entries` may hold: a phrase of which none does must not hide the words in it.

    `place` holds where the sentence and the phrase begin, and where the phrase and the sentence end.
    """
    start, begin, end, stop = place
    around: Sequence[frozenset[str]] | None = None
    for entry in entries:
        if not entry.only:
            return True
        if around is None:
            around = keys[max(start, begin - AROUND) : min(stop, end + AROUND)]
        if any(not entry.only.isdisjoint(known) for known in around):
            return True
    return False
