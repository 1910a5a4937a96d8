"""Looks a word form up: its spelling, its base forms, and what the lexicon and the taxonomy say of these."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from feedback.analysis import aspects, derivation
from feedback.analysis.form import Form
from feedback.analysis.lexicon import NEGATORS, OPINION, Entry
from feedback.analysis.numbered import is_amount

if TYPE_CHECKING:
    from feedback.analysis.language import Language

_SHORTEST_DERIVED = 7
_LONGEST_ENDING = 8
_REPEATED = re.compile(r"(\w)\1{2,}")
_APOSTROPHES = str.maketrans("’`´", "'''")
_SHADES = frozenset({"intensifier", "diminisher", "negator", "focus"})


def look_up(language: "Language", surface: str) -> Form:
    """What is known of a word form as it is written."""
    low = language.simplified(surface).lower().translate(_APOSTROPHES)
    spelled, elongated = _spelling(language, low)
    words = spelled.split()
    keys = _keys(language, surface, low, words)
    strong, head = _derived(language, spelled, keys)
    opinions, modifiers = _entries(language, keys, {low, *words}, head)
    if head:
        keys[head] = None
    phrases = tuple(language.lexicon.following(key) for key in keys if key in language.lexicon.phrases)
    first = words[0] if words else spelled
    keys |= {} if any(entry.weight for entry in opinions) else _endings(language, low)
    noun = language.code == "zh" and language.hint(low) == "NOUN" and not opinions and not modifiers
    named = head in language.nouns or first in language.nouns or language.lemmas.lemma(first, "NOUN") in language.nouns
    noun = noun or (named and language.may_be_noun(first))
    return Form(
        low,
        first,
        language.simplified(surface) if first == low else first.capitalize() if surface.istitle() else first,
        frozenset(keys),
        tuple(opinions),
        tuple(modifiers),
        phrases,
        phrases[0].seconds if len(phrases) == 1 else frozenset().union(*(known.seconds for known in phrases)),
        elongated=elongated or strong,
        noun=noun,
        topical=not language.nouns.isdisjoint(keys),
        begins=any(key in language.phrase_terms for key in keys),
        adjective=any(entry.pos == "A" for entry in opinions),
        shades=bool(modifiers) and all(entry.kind in _SHADES for entry in modifiers),
        amount=is_amount(language, low),
        uses=frozenset(entry.pos for entry in opinions if entry.judges),
        thing=language.grammar.capital_nouns and _only_noun(language, low, listed=noun),
        speaks=bool(phrases or opinions or modifiers) or "/" in low,
        aspect=aspects.known().readiness([language.lemmas.lemma(first, "NOUN"), low, *([head] if head else [])]),
    )


def _spelling(language: "Language", low: str) -> tuple[str, bool]:
    """How a word is spelt, be it one or more, and whether its writer drew it out: "sooo"."""
    spelled = language.spelling.get(low, low)
    elongated = bool(_REPEATED.search(low)) and not low.isdigit()
    if elongated and not _seen(language, low):
        twice, once = _REPEATED.sub(r"\1\1", low), _REPEATED.sub(r"\1", low)
        known = (word for word in (twice, once) if _seen(language, word) or word in language.spelling)
        word = next(known, None)
        spelled = once if word is None else language.spelling.get(word, word)
    elif spelled == low and not _seen(language, low):
        spelled = language.accentless.get(low) or _with_letters(language, low)
    return spelled, elongated


def _keys(language: "Language", surface: str, low: str, words: list[str]) -> dict[str, None]:
    """The spellings under which the lexicon may know a form: itself and the base forms of the words it is spelt as."""
    keys = dict.fromkeys([low])
    if low != surface and not low.isascii():
        # What a dataset's own words say in traditional characters is met in them.
        keys[surface.lower()] = None
    for word in words:
        for key in language.lemmas.candidates(word, language.uses(word)):
            keys[key] = None
            if key not in language.lexicon.single and (accented := language.accentless.get(key)):
                keys[accented] = None
    return keys


def _entries(
    language: "Language", keys: dict[str, None], written: Collection[str], head: str | None
) -> tuple[dict[Entry, None], dict[Entry, None]]:
    """What the lexicon says of a form as a judging word and as one that modifies.

    It denies only as it is `written`; what a compound is follows its last part, its `head`: "Bahnstreik" is a kind of
    "Streik".
    """
    opinions: dict[Entry, None] = {}
    modifiers: dict[Entry, None] = {}
    for key in keys:
        for entry in language.lexicon.single.get(key, ()):
            if entry.kind in NEGATORS and key not in written:
                continue
            (opinions if entry.kind == OPINION else modifiers)[entry] = None
    for entry in language.lexicon.single.get(head, ()) if head else ():
        if entry.kind == OPINION and entry.pos in "N*":
            opinions[entry] = None
    return opinions, modifiers


def _seen(language: "Language", word: str) -> bool:
    return (
        word in language.lexicon.single
        or word in language.nouns
        or word in language.lexicon.phrases
        or (language.tagger is not None and word in language.tagger.words)
        or any(key in language.lexicon.single for key in language.lemmas.candidates(word, language.uses(word)))
    )


def _with_letters(language: "Language", low: str) -> str:
    """A word nobody knows, spelt with the letters its writer lacked, where that is known or ends in a known one."""
    for word in derivation.letters(low, language.grammar.digraphs) if language.grammar.digraphs else ():
        ends = derivation.heads(word, compounds=language.grammar.compounds)
        if _seen(language, word) or any(
            not low.endswith(end) and (end in language.lexicon.single or end in language.nouns) for end in ends
        ):
            return word
    return low


def _derived(language: "Language", low: str, keys: dict[str, None]) -> tuple[bool, str | None]:
    """Add the adjective inside a strengthened one to the keys; whether there was one, and a compound's head."""
    settled = any(key in language.lexicon.single or key in language.nouns for key in keys)
    if settled or len(low) < _SHORTEST_DERIVED or not language.known:
        return False, None
    for candidate in derivation.strengthened(low):
        for base in (candidate, language.lemmas.lemma(candidate, "ADJ")):
            if language.knows(base, "ADJ"):
                keys[base] = None
                return True, None
    for candidate in derivation.heads(low, compounds=language.grammar.compounds):
        base = language.lemmas.lemma(candidate, "NOUN")
        if base in language.nouns or any(
            e.pos in "N*" and e.kind == OPINION for e in language.lexicon.single.get(base, ())
        ):
            return False, base
    return False, None


def _endings(language: "Language", low: str) -> dict[str, None]:
    """What holds of soup holds of chicken soup: a Chinese word ends in what it is, unless it judges ("没问题")."""
    if language.code != "zh":
        return {}
    longest = max(1, len(low) - _LONGEST_ENDING)
    return dict.fromkeys(low[n:] for n in range(longest, len(low)) if low[n:] in language.conditions)


def _only_noun(language: "Language", low: str, *, listed: bool) -> bool:
    """Whether a word is known as nothing but a noun; `listed` says that the taxonomy has it."""
    seen = language.seen_as(low)
    if seen:
        return seen == "NOUN"
    # The taxonomy lists verbs as well ("eröffnen").
    return listed and language.hint(low) == "NOUN" and not low.endswith(language.grammar.infinitive_ending)
