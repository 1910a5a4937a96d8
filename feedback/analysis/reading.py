"""A text as read: its tokens with forms and tags, its sentences, and the lexicon's matches in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from feedback.analysis import headings, requests
from feedback.analysis.form import Form
from feedback.analysis.grammar import Grammar
from feedback.analysis.headings import Heading
from feedback.analysis.language import Language
from feedback.analysis.lexicon import (
    GAP,
    GAP_WORDS,
    NEGATORS,
    OPINION,
    Following,
    Match,
    Phrase,
    match_phrase,
    may_hold,
)
from feedback.analysis.scores import DATED, scored
from feedback.analysis.tags import NOUNS
from feedback.analysis.tokens import Tokens

SENTENCE_LIMIT = 80
"""Tokens; a longer stretch without a full stop is cut, so that work within a sentence stays bounded."""
_STOPS = frozenset("?!…。！？.¿¡")
_OPENING = frozenset("¿¡")
_COMMAS = frozenset({"，", ","})
_USES = attrgetter("uses")
_CLOSED = frozenset({"ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART", "NUM", "PUNCT"})
_SHADING = frozenset({"intensifier", "diminisher", "excess", "more", "less"})
_BY_KIND = {"w": "NOUN", "n": "NUM", "p": "PUNCT"}
"""What tokens count as in a language without a tagger."""
_LEADS_ON = frozenset({"ADP", "CCONJ", "DET"})
_FOUND_BY = 3


@dataclass(slots=True)
class Reading:
    """The tokens of a text as parallel lists, and what was matched in them."""

    text: str
    language: Language
    surface: list[str]
    begin: list[int]
    end: list[int]
    kind: list[str]
    forms: list[Form]
    words: list[str]
    """Of each form what is written, in small letters."""
    keys: list[frozenset[str]]
    """Of each form the spellings under which the lexicon may know it."""
    tags: list[str]
    sentences: list[tuple[int, int]]
    opinions: list[Match] = field(default_factory=list)
    modifiers: list[Match] = field(default_factory=list)
    covered: list[bool] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    capitals: bool = False
    """Whether a word in small letters is no noun: the language writes nouns with a capital, and so does this text."""
    settled: frozenset[int] = frozenset()
    """The sentences in which a dataset's own opinion entries stand."""
    nouns: list[bool] = field(init=False, default_factory=list)
    """Of each token whether it can be the noun of a term; empty until that is asked."""
    shades: dict[int, int] | None = field(init=False, default=None)
    """Where phrases that only shade what follows end, by where they begin; None until that is asked."""
    parted: dict[int, bool] | None = field(init=False, default=None)
    """The tokens that no noun phrase reaches across (see `idioms.parted`); None until that is asked."""

    def lemma(self, n: int) -> str:
        """The base form of token `n`."""
        return self.language.lemma(self.forms[n], self.tags[n])


def read(text: str, language: Language) -> Reading:
    """Tokenise, tag and look up a text."""
    return read_many([text], language)[0]


def read_many(texts: Sequence[str], language: Language) -> list[Reading]:
    """Read several texts, which costs less than one by one and gives the same."""
    cuts = [language.cut_text(text) for text in texts]
    forms = [language.forms(tokens.surface) for tokens in cuts]
    tags = _tags(cuts, forms, language)
    found = [_begun(*parts, language) for parts in zip(texts, cuts, forms, tags, strict=True)]
    for reading in found:
        _match(reading)
    for reading in found:
        _mend(reading)
    return found


def _tags(cuts: list[Tokens], forms: list[list[Form]], language: Language) -> list[list[str]]:
    if language.tagger is None:
        return [[_BY_KIND.get(kind, "X") for kind in tokens.kind] for tokens in cuts]
    tags = language.tagger.tag_many(
        ([form.written for form in known], tokens.kind) for known, tokens in zip(forms, cuts, strict=True)
    )
    return [language.settle(given, known) for given, known in zip(tags, forms, strict=True)]


def _begun(text: str, tokens: Tokens, forms: list[Form], tags: list[str], language: Language) -> Reading:
    """A text of which nothing was matched yet."""
    surface = tokens.surface
    sentences = _sentences(text, tokens, language.grammar)
    if language.grammar.comma_ends:
        sentences = [part for whole in sentences for part in _spliced(whole, surface, forms, tags)]
    elif not language.grammar.capital_nouns and _STOPS.isdisjoint(surface):
        sentences = [part for whole in sentences for part in _unstopped(whole, surface, forms, tags, language)]
    words, keys = [form.low for form in forms], [form.keys for form in forms]
    return Reading(text, language, *tokens, forms, words, keys, tags, sentences)


def _match(reading: Reading) -> None:
    """Match the lexicon in a text."""
    reading.opinions, reading.modifiers, reading.covered = _matches(
        reading.forms, reading.keys, reading.tags, reading.sentences, reading.language.grammar
    )


def _mend(reading: Reading) -> None:
    """Work in what the matches of a text do not say: its requests, its headings, and whether it has capitals."""
    language, forms, sentences = reading.language, reading.forms, reading.sentences
    matches = (reading.opinions, reading.modifiers)
    reading.modifiers += requests.found(forms, language, reading.tags, sentences, matches)
    tokens = Tokens(reading.surface, reading.begin, reading.end, reading.kind)
    reading.headings = headings.find(tokens, forms, sentences, language.grammar)
    if reading.headings:
        # A heading judges what stands under it; the words of it judge nothing themselves.
        named = headings.words(reading.headings)
        reading.opinions = [m for m in reading.opinions if named.isdisjoint(range(m.start, m.end))]
        reading.modifiers = [m for m in reading.modifiers if named.isdisjoint(range(m.start, m.end))]
    reading.capitals = language.grammar.capital_nouns and _capitals(reading.surface, forms, sentences)


def _capitals(surface: list[str], forms: list[Form], sentences: list[tuple[int, int]]) -> bool:
    """Whether a text writes nouns with a capital: it begins with one, has some within, and no plain noun without."""
    starts = {start for start, _ in sentences}
    if (
        not surface
        or surface[0][0].islower()
        or not any(n not in starts and word[0].isupper() for n, word in enumerate(surface))
    ):
        return False
    return not any(form.thing and word[0].islower() for word, form in zip(surface, forms, strict=True))


def _sentences(text: str, tokens: Tokens, grammar: Grammar) -> list[tuple[int, int]]:
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


def _matches(
    forms: list[Form],
    keys: list[frozenset[str]],
    tags: list[str],
    sentences: list[tuple[int, int]],
    grammar: Grammar,
) -> tuple[list[Match], list[Match], list[bool]]:
    opinions: list[Match] = []
    modifiers: list[Match] = []
    covered = [False] * len(forms)
    particles = grammar.infinitive_markers
    for start, stop in sentences:
        hidden = start
        modified = {"": start}
        for n in range(start, stop):
            form = forms[n]
            if not form.speaks:
                continue
            goes_on = n + 1 < stop and (GAP in form.seconds or not form.seconds.isdisjoint(keys[n + 1]))
            for _, words, kind, entries in _phrases(form.phrases, keys, n, stop) if goes_on else ():
                # Two or three words that follow each other were found by just these words.
                whole = len(words) <= _FOUND_BY and GAP not in words
                end = n + len(words) if whole else match_phrase(words, keys, n, stop)
                if not end:
                    continue
                if kind == OPINION:
                    if n >= hidden and may_hold(entries, keys, (start, n, end, stop)):
                        opinions.append(Match(n, end, kind, entries))
                        covered[n:end] = [True] * (end - n)
                        hidden = end
                elif end > modified.get(kind, start):
                    modifiers.append(Match(n, end, kind, entries))
                    modified[kind] = end
            if (
                form.opinions
                and n >= hidden
                and (tags[n] not in _CLOSED or any(entry.pos in "*I" for entry in form.opinions))
            ):
                opinions.append(Match(n, n + 1, OPINION, form.opinions))
            elif tags[n] == "NUM" and "/" in form.low and n >= hidden and (n == start or tags[n - 1] not in DATED):
                opinions += [Match(n, n + 1, OPINION, score)] if (score := scored(form.low)) else []
            modifies = form.modifiers and not (form.low in particles and _leads_infinitive(grammar, forms, tags, n))
            for entry in form.modifiers if modifies else ():
                # "our needs" is no wish, though "need" asks for something as a verb.
                if n >= modified.get(entry.kind, start) and not (entry.kind == "wish" and tags[n] == "NOUN"):
                    modifiers.append(Match(n, n + 1, entry.kind, (entry,)))
                    modified[entry.kind] = n + 1
    return opinions, _kept(modifiers, covered), covered


def _kept(modifiers: list[Match], covered: list[bool]) -> list[Match]:
    """The modifiers without those that are only part of a phrase that judges or modifies."""
    kept = [m for m in modifiers if not _inside(m, covered)] if True in covered else modifiers
    long = [m for m in kept if m.end - m.start > 1]
    if long:
        # "ni un solo" negates; the "solo" in it plays nothing down.
        spans = {n: m for m in sorted(long, key=lambda m: m.end - m.start) for n in range(m.start, m.end)}
        kept = [m for m in kept if m.start not in spans or m.end - m.start >= spans[m.start].end - spans[m.start].start]
    return kept


def _leads_infinitive(grammar: Grammar, forms: list[Form], tags: list[str], n: int) -> bool:
    """Whether a particle that can mean "too" does not: "die App zu nutzen", "ich gebe zu, dass", but "zu trocken"."""
    if n + 1 >= len(forms):
        return True
    after = forms[n + 1]
    if any(entry.pos in "AR" for entry in after.opinions):
        return False
    return tags[n + 1] not in {"ADJ", "ADV", "VERB"} or after.low.endswith(grammar.infinitive_ending)


def _phrases(known: tuple[Following, ...], keys: list[frozenset[str]], at: int, stop: int) -> list[Phrase]:
    """Of the `known` phrases, which begin at `at`, those that the next words may go on, the longest first."""
    found: list[Phrase] = []
    for _, following in known:
        for key in keys[at + 1]:
            if key in following:
                ends, goes_on = following[key]
                found += ends
                for word in keys[at + 2] if goes_on and at + 2 < stop else ():
                    if word in goes_on:
                        found += goes_on[word]
        if GAP in following:
            ends, goes_on = following[GAP]
            found += ends
            for word in frozenset().union(*keys[at + 1 : min(stop, at + GAP_WORDS + 2)]):
                if word in goes_on:
                    found += goes_on[word]
    if len(found) > 1:
        found.sort()
    return found


def _inside(match: Match, covered: list[bool]) -> bool:
    """Whether a modifier is part of a judging phrase that already says what the whole means."""
    return (
        (match.kind in NEGATORS or match.kind in _SHADING or match.kind in {"lack", "wish"})
        and covered[match.start]
        and covered[match.end - 1]
    )
