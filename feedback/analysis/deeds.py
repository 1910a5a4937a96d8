"""Finds verbs that are spoken of themselves: "returning the car was chaos", "runs large", "crashes all the time"."""

from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS, VERBS

_REACH = 7
_BEFORE_SUBJECT = frozenset({"PUNCT", "CCONJ", "SCONJ"})
_BEFORE_VERB = frozenset({"CCONJ", "ADV", "PUNCT"})
_SHADES = frozenset({"ADV", "PART"})
_LEADS = frozenset({"PART", "ADP", "SCONJ"})
_ENDS = frozenset({"PUNCT", "CCONJ"})
_PARTICLES = frozenset({"ADP", "PART"})
_BETWEEN = frozenset({"ADV", "AUX", "PART", "VERB"})


def deed(reading: Reading, n: int, start: int, stop: int) -> int:
    """The verb whose subject is what somebody does, told from token `n` on; 0 if there is none."""
    tags = reading.tags
    if tags[n] != "VERB" or not reading.forms[n].low.endswith(reading.language.grammar.deed_endings):
        return 0
    if n > start and tags[n - 1] not in _BEFORE_SUBJECT:
        return 0
    for k in range(n + 1, min(stop, n + _REACH)):
        if tags[k] in VERBS and tags[k - 1] != "PART":
            return k
        if tags[k] in _BEFORE_SUBJECT:
            return 0
    return 0


def subjectless(reading: Reading, start: int, stop: int) -> int:
    """The verb that opens a stretch of tokens where its subject would stand; -1 if none does."""
    n = start
    while n < stop and reading.tags[n] in _BEFORE_VERB:
        n += 1
    if n == stop or reading.tags[n] != "VERB":
        return -1
    low = reading.forms[n].low
    return n if low.endswith(reading.language.grammar.subjectless_ending) and reading.lemma(n) != low else -1


def eased(reading: Reading, start: int, stop: int) -> tuple[int, int]:
    """The verb, with its particle, that is called easy or hard from token `start` on ("easy to set up"), or (0, 0)."""
    ease, tags = reading.language.grammar.ease, reading.tags
    for n in range(start, stop - 2):
        if tags[n] not in _SHADES and tags[n] != "ADJ":
            break
        if reading.lemma(n) in ease and tags[n + 1] in _LEADS and tags[n + 2] == "VERB":
            last = n + 3
            closes = last < stop and (last + 1 == stop or tags[last + 1] in _ENDS)
            particle = closes and tags[last] == "ADP" and not reading.forms[last].modifiers
            return n + 2, last + particle
    return 0, 0


def property_verb(reading: Reading, start: int, stop: int, floor: int) -> int:
    """The verb that names the property a judgement at tokens `start`..`stop` is on ("fits well"); -1 if none does.

    It stands in the judgement or before it, from token `floor` on.
    """
    grammar, tags = reading.language.grammar, reading.tags
    n = start + tags[start:stop].index("VERB") if "VERB" in tags[start:stop] else start - 1
    while n > floor and n < start and tags[n] in _SHADES:
        n -= 1
    if n < floor or tags[n] != "VERB" or (lemma := reading.lemma(n)) not in grammar.property_verbs:
        return -1
    # "Looks after us", "ran out": with its particle it is another verb.
    if n + 1 < stop and tags[n + 1] in _PARTICLES:
        return -1
    subject = n - 1
    while subject > floor and tags[subject] in _BETWEEN:
        subject -= 1
    if subject < floor:
        return n
    # "I feel cheated" and "I was made to feel special" tell of the customer, "the fabric feels cheap" of the fabric.
    customer = reading.forms[subject].low in grammar.first_person
    return -1 if customer or (lemma in grammar.copulas and tags[subject] in NOUNS) else n


def verb_of(reading: Reading, start: int, stop: int) -> int:
    """The word that names what a judging phrase is about where nothing else does: "does not work"; -1 if none does."""
    for tag in ("VERB", "ADJ"):
        for n in range(stop - 1, start - 1, -1):
            if reading.tags[n] == tag:
                return n
    return -1
