"""A text as read: its tokens with forms and tags, its sentences, and the lexicon's matches in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from feedback.analysis import headings, requests
from feedback.analysis.form import Form
from feedback.analysis.headings import Heading
from feedback.analysis.language import Language
from feedback.analysis.lexicon import Match
from feedback.analysis.matching import matched
from feedback.analysis.sentences import sentences_of
from feedback.analysis.tokens import Tokens

_BY_KIND = {"w": "NOUN", "n": "NUM", "p": "PUNCT"}
"""What tokens count as in a language without a tagger."""


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
    sentences = sentences_of(text, tokens, forms, tags, language)
    words, keys = [form.low for form in forms], [form.keys for form in forms]
    return Reading(text, language, *tokens, forms, words, keys, tags, sentences)


def _match(reading: Reading) -> None:
    """Match the lexicon in a text."""
    reading.opinions, reading.modifiers, reading.covered = matched(
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
