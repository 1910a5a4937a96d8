"""Decides of single words whether they are nouns here, mending the tagger on rough text, and how they are called."""

from feedback.analysis import places
from feedback.analysis.adjectives import is_plain
from feedback.analysis.numbered import is_number
from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS
from feedback.domain.masking import PLACEHOLDERS

_MAYBE_NOUN = frozenset({"VERB", "ADJ", "X", "ADV", "INTJ", "AUX"})
_POSSIBLE = NOUNS | _MAYBE_NOUN
_BEFORE_NAME = frozenset({"PUNCT", "DET", "CCONJ", "ADP"})
_SHORTEST_DEED = 2
_MASKED = frozenset(name.strip("[]") for name in PLACEHOLDERS)


def is_noun(reading: Reading, n: int) -> bool:
    """Whether token `n` can be the noun of a term."""
    return (reading.nouns or nouns(reading))[n]


def nouns(reading: Reading) -> list[bool]:
    """Of each token whether it can be the noun of a term."""
    if not reading.nouns:
        # Asked of a token and again of its neighbours: each is looked at once.
        reading.nouns = [
            (tag in _POSSIBLE if kind == "w" else kind in "hu") and _may_name(reading, k)
            for k, (kind, tag) in enumerate(zip(reading.kind, reading.tags, strict=True))
        ]
    return reading.nouns


def _may_name(reading: Reading, n: int) -> bool:
    tag, form = reading.tags[n], reading.forms[n]
    if reading.kind[n] != "w":
        return (reading.kind[n] == "h" and len(reading.surface[n]) > 1) or is_handle(reading, n)
    if form.amount or is_masked(reading, n):
        return False
    if form.shades and not form.noun:
        # "Het geheel was heerlijk", but "geheel nieuw".
        return tag == "NOUN" and form.low in reading.language.grammar.terms_if_judged
    if tag == "VERB" and reading.language.grammar.courses and _is_measured(reading, n):
        return True
    if reading.language.knows_deeds and reading.language.is_deed(form, tag, reading.tags[n - 1] if n else ""):
        return False
    if (reading.capitals and reading.surface[n][0].islower()) or _only_shades(reading, n):
        return False
    if tag in NOUNS:
        # A judging adjective that was tagged a noun ("quiet place") would swallow the term.
        return form.noun or not (places.beside_noun(reading, n) if form.adjective else places.done(reading, n))
    if tag == "VERB" and n and places.only_verb(reading, n):
        return False
    if tag == "VERB" and _listed_noun(reading, n):
        return True
    if tag == "ADJ" and reading.tags[n + 1 : n + 2] == ["NOUN"] and is_plain(reading, n):
        # "Los primeros tacos" are no first course.
        return False
    if tag == "X" and (form.noun or places.is_listed(reading, n)) and "NOUN" in reading.language.lexical(form.low):
        return True
    if form.noun:
        names = n + 1 < len(reading.tags) and (n == 0 or reading.kind[n - 1] == "p") and places.opens(reading, n)
        named = (
            names
            or not form.opinions
            or places.is_subject(reading, n)
            or places.placed(reading, n)
            or places.described(reading, n)
        )
        return tag in _MAYBE_NOUN and named and not form.modifiers
    return tag in {"ADJ", "VERB", "X", "ADV"} and (
        places.stranded(reading, n) or places.begins(reading, n) or is_number(form)
    )


def _only_shades(reading: Reading, n: int) -> bool:
    """Whether a word without a noun's capital is the adverb spelled alike: "bus mal wieder voll", "SERVICE TOP"."""
    surface = reading.surface[n]
    plain = reading.language.grammar.capital_nouns and (surface[0].islower() or surface.isupper())
    return plain and any(entry.pos == "R" for entry in reading.forms[n].opinions)


def _is_measured(reading: Reading, n: int) -> bool:
    """Whether a verb is part of what its course is judged by: "排队时间很长", but not "花时间"."""
    tags, form = reading.tags, reading.forms[n]
    if n + 2 >= len(tags) or len(form.low) < _SHORTEST_DEED or any(abs(e.weight) > 1 for e in form.opinions):
        return False
    judged = tags[n + 2] == "ADJ" or tags[n + 2 : n + 4] == ["ADV", "ADJ"]
    return judged and tags[n + 1] == "NOUN" and reading.forms[n + 1].low in reading.language.grammar.courses


def _listed_noun(reading: Reading, n: int) -> bool:
    """Whether a word tagged a verb is known as nothing but a noun, and stands where one may: "Tastiera con luci"."""
    before, form, language = reading.tags[n - 1] if n else "PUNCT", reading.forms[n], reading.language
    if before not in _BEFORE_NAME or language.lexical(form.low) != "NOUN":
        return False
    return not language.inflects(form.low, language.lemma(form, "VERB"), "VERB")


def is_masked(reading: Reading, n: int) -> bool:
    """Whether token `n` stands for personal data that was taken out: "call me at [PHONE]"."""
    return reading.surface[n] in _MASKED and n > 0 and reading.surface[n - 1] == "["


def is_handle(reading: Reading, n: int) -> bool:
    """Whether token `n` is the name of an account: "@northernrail"."""
    return reading.kind[n] == "u" and reading.surface[n][0] == "@"


def noun_tag(reading: Reading, n: int) -> str:
    """NOUN or PROPN: what a noun of a term counts as, whatever the tagger made of it here."""
    if reading.tags[n] != "PROPN":
        return "NOUN"
    form = reading.forms[n]
    common = form.noun or reading.surface[n].islower()
    return "NOUN" if common or "NOUN" in reading.language.lexical(form.low).split("|") else "PROPN"


def noun_lemma(reading: Reading, n: int) -> str:
    """The base form of a noun of a term."""
    form = reading.forms[n]
    if reading.tags[n] != "PROPN" and "NOUN" in form.lemma:
        return form.lemma["NOUN"]
    return reading.language.lemma(form, noun_tag(reading, n))


def verdict(reading: Reading, start: int, stop: int) -> int:
    """The noun among tokens `start`..`stop` that is itself a judgement or that a taxonomy knows; -1 if none is."""
    for n in range(stop - 1, start - 1, -1):
        form = reading.forms[n]
        if reading.tags[n] in NOUNS:
            led = n > 0 and reading.tags[n - 1] == "ADP"
            judges = not led and any(entry.weight and entry.pos in "N*" for entry in form.opinions)
            return n if form.noun or judges else -1
    return -1
