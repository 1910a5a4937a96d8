"""Tells where sentences end: at full stops and lines, at Chinese commas, at capitals where nobody wrote a stop."""

from itertools import pairwise
from operator import attrgetter

from feedback.analysis.form import Form
from feedback.analysis.grammar import Grammar
from feedback.analysis.language import Language
from feedback.analysis.tags import NOUNS
from feedback.analysis.tokens import Tokens

SENTENCE_LIMIT = 80
"""Tokens; a longer stretch without a full stop is cut, so that work within a sentence stays bounded."""
_STOPS = frozenset("?!…。！？.¿¡")
_OPENING = frozenset("¿¡")
_COMMAS = frozenset({"，", ","})
_USES = attrgetter("uses")
_LEADS_ON = frozenset({"ADP", "CCONJ", "DET"})


def sentences_of(
    text: str, tokens: Tokens, forms: list[Form], tags: list[str], language: Language
) -> list[tuple[int, int]]:
    """The sentences of a text, each as the tokens it begins and ends with (exclusive)."""
    surface = tokens.surface
    found = _stopped(text, tokens, language.grammar)
    if language.grammar.comma_ends:
        return [part for whole in found for part in _spliced(whole, surface, forms, tags)]
    if not language.grammar.capital_nouns and _STOPS.isdisjoint(surface):
        return [part for whole in found for part in _unstopped(whole, surface, forms, tags, language)]
    return found


def _stopped(text: str, tokens: Tokens, grammar: Grammar) -> list[tuple[int, int]]:
    surface, begin, end, kind = tokens
    found: list[tuple[int, int]] = []
    start, lines = 0, "\n" in text
    for n, sort in enumerate(kind):
        if sort not in "pe" and not lines and n + 1 - start < SENTENCE_LIMIT:
            continue
        mark = surface[n][0]
        stop = sort == "p" and mark in _STOPS and mark not in _OPENING and not _shortens(grammar, tokens, n)
        if not stop and n + 1 < len(kind):
            gap = begin[n + 1] - end[n]
            stop = (gap > 0 and "\n" in text[end[n] : begin[n + 1]]) or n + 1 - start >= SENTENCE_LIMIT
        if stop:
            # An emoji after the stop still speaks of the sentence before it.
            if n + 1 < len(kind) and kind[n + 1] == "e":
                continue
            found.append((start, n + 1))
            start = n + 1
        elif (
            sort == "e" and n > start and surface[n - 1][0] in _STOPS and not (n + 1 < len(kind) and kind[n + 1] == "e")
        ):
            found.append((start, n + 1))
            start = n + 1
    if start < len(kind):
        found.append((start, len(kind)))
    return found


def _shortens(grammar: Grammar, tokens: Tokens, n: int) -> bool:
    """Whether the full stop at `n` only ends a short form: "Dr. Smith", "5 p.m. and", "z. B. Bad"."""
    surface, kind = tokens.surface, tokens.kind
    if not n or n + 1 >= len(kind) or surface[n] != "." or kind[n - 1] != "w" or tokens.end[n - 1] != tokens.begin[n]:
        return False
    word = surface[n - 1].lower()
    if word in grammar.titles:
        return True
    # A letter alone is one of several ("z. B.", "p.m.") or an initial.
    lower = not surface[n + 1][0].isupper()
    if len(word) == 1 and word.isascii():
        inner = n + 2 < len(kind) and len(surface[n + 1]) == 1 and surface[n + 2] == "."
        return lower or inner or (n > 2 and f"{surface[n - 3].lower()}.{word}" in grammar.titles)
    return lower and word in grammar.abbreviations


def _spliced(
    sentence: tuple[int, int], surface: list[str], forms: list[Form], tags: list[str]
) -> list[tuple[int, int]]:
    """A sentence cut at the commas that part two statements, each of which names what it judges."""
    start, stop = sentence
    commas = [n for n, word in enumerate(surface[start : stop - 1], start + 1) if word in _COMMAS]
    if not commas:
        return [sentence]
    found: list[tuple[int, int]] = []
    named = judged = False
    for begin, end in pairwise([start, *commas, stop]):
        names = not NOUNS.isdisjoint(tags[begin:end])
        judges = any(map(_USES, forms[begin:end]))
        if found and not (names and judges and named and judged):
            found[-1] = (found[-1][0], end)
            named, judged = named or names, judged or judges
        else:
            found.append((begin, end))
            named, judged = names, judges
    return found


def _unstopped(
    sentence: tuple[int, int], surface: list[str], forms: list[Form], tags: list[str], language: Language
) -> list[tuple[int, int]]:
    """A text without full stops, cut where a capital begins a word that is no name: "nice bar Room small"."""
    start, stop = sentence
    found: list[tuple[int, int]] = []
    for n in range(start + 1, stop):
        word = surface[n]
        # "I'm" and a heading in capitals begin nothing.
        opens = len(word) > 1 and word[0].isupper() and word[1:].islower() and surface[n - 1][0].islower()
        # "Cakes, and Customer Service": what such a word leads goes on.
        opens = opens and tags[n - 1] not in _LEADS_ON
        if opens and n - start > 1 and not _names(forms[n], language):
            found.append((start, n))
            start = n
    return [*found, (start, stop)]


def _names(form: Form, language: Language) -> bool:
    """Whether a word with a capital may be a name, for all that is known of it."""
    seen = language.seen_as(form.low)
    return "PROPN" in seen or not (seen or form.opinions or form.noun)
