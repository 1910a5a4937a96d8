"""How far a negator or a lack reaches: "without internet and terrible service" does not praise the service."""

from collections.abc import Mapping

from feedback.analysis.lexicon import Match
from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS, VERBS

_DETERMINERS = frozenset({"DET", "ADP", "PRON"})
_LISTING = frozenset({"NOUN", "PROPN", "ADP", "DET", "ADJ", "CCONJ"})
_OPENING, _SUBJECTS = frozenset({"AUX", "DET"}), frozenset({"DET", "PRON"})
_GRADED = frozenset({"ADJ", "ADV", "DET"})
_PHRASE = NOUNS | {"ADJ", "ADV"}
_COMMAS = frozenset({",", "，", "、"})
_DATIVE = ("en", "em")
_LIST = 12


def reaches(reading: Reading, mark: Match, start: int) -> bool:
    """Whether a negator before the judging word at token `start` turns it.

    A preposition ("without") and a determiner ("no") deny their own noun and what is listed barely with it, not what
    follows a conjunction; nor does a preposition deny the verb after its noun. No negator denies a statement that
    begins after it.
    """
    tags = reading.tags
    sort = tags[mark.start]
    if not _OPENING.isdisjoint(tags[mark.end : start + 1]) and _states_anew(reading, mark, start):
        return False
    if sort not in _DETERMINERS or mark.end - mark.start > 1:
        return True
    noun = next((k for k in range(mark.end, start) if tags[k] in NOUNS), -1)
    if noun < 0:
        return True
    if sort == "ADP" and not VERBS.isdisjoint(tags[noun : start + 1]):
        return False
    joined = next((k for k in range(start - 1, noun, -1) if tags[k] == "CCONJ"), -1)
    if joined < 0 or not VERBS.isdisjoint(tags[noun:joined]):
        return True
    return joined == start - 1 and tags[start] in NOUNS


def _states_anew(reading: Reading, mark: Match, start: int) -> bool:
    """Whether a statement of its own begins between a negator and the judging word at token `start`.

    So it does with a verb after a conjunction ("not too wide and is flattering"), and with a subject after a bare
    answer ("Nothing really it was good", not "nothing she did was good").
    """
    tags, between = reading.tags, range(mark.end, start)
    if tags[mark.start] not in _DETERMINERS:
        return any(tags[k : k + 2] == ["CCONJ", "AUX"] for k in between)
    subject = next((k for k in between if tags[k] != "ADV"), start)
    if not _answers(reading, mark, subject):
        return False
    # "No food was good" denies the food.
    bare = tags[mark.start] == "PRON"
    if tags[subject] not in (NOUNS | _SUBJECTS if bare else _SUBJECTS):
        return False
    verb = tags.index("AUX", mark.end) if "AUX" in tags[mark.end : start + 1] else start
    if tags[verb] != "AUX" and not (bare and _noted(reading, mark, subject, start)):
        return False
    return verb >= subject and _PHRASE.issuperset(tags[subject + 1 : verb])


def _answers(reading: Reading, mark: Match, subject: int) -> bool:
    """Whether a negator is a whole answer, behind which the word at token `subject` may begin a statement.

    "Nothing the room was great" answers what one disliked; "aucun des plats", "keines unserer Zimmer" and "no way" deny
    what follows.
    """
    grammar, word = reading.language.grammar, reading.forms[subject].low
    if mark.end - mark.start > 1 or reading.forms[mark.start].low not in grammar.answers:
        return False
    return not any(word in tied for tied in (grammar.linkers, grammar.genitives, grammar.relatives))


def _noted(reading: Reading, mark: Match, subject: int, start: int) -> bool:
    """Whether a note without a verb follows a bare answer: "Nothing really the room a bit small"."""
    tags = reading.tags
    first = not mark.start or tags[mark.start - 1] == "PUNCT"
    said = tags[subject] == "DET" and tags[start] in _GRADED
    return first and said and not NOUNS.isdisjoint(tags[subject:start])


def toward(reading: Reading, mark: Match, n: int) -> bool:
    """Whether a word for "too" before the adjective at token `n` is the preposition: "zu wirklich guten Preisen"."""
    tags = reading.tags
    if not reading.language.grammar.capital_nouns or tags[mark.start] != "ADP":
        return False
    if tags[n] == "ADJ" and reading.surface[n][0].isupper():
        # "Zu Deutsche Glasfaser gewechselt".
        return True
    if mark.start and tags[mark.start - 1] in _DETERMINERS:
        return False
    while n + 1 < len(tags) and tags[n] in {"ADV", "ADJ"} and tags[n + 1] in {"ADV", "ADJ"}:
        n += 1
    return tags[n + 1 : n + 2] in (["NOUN"], ["PROPN"]) and reading.forms[n].low.endswith(_DATIVE)


def never_such(reading: Reading, mark: Match, start: int) -> bool:
    """Whether a negator tells of the best or worst ever: "never had such good pizza", "nunca un servicio tan malo"."""
    grammar = reading.language.grammar
    if not grammar.such or grammar.never.isdisjoint(reading.forms[k].low for k in range(mark.start, mark.end)):
        return False
    return any(reading.forms[k].low in grammar.such for k in range(mark.end, start))


def never_better(reading: Reading, mark: Match, start: int, *, compared: bool) -> bool:
    """Whether what is denied is that anything better exists: "no better tent", "mai mangiato una pizza migliore".

    What `compared` says of the judging word at token `start` must hold, and it must stand beside its noun.
    """
    tags, grammar = reading.tags, reading.language.grammar
    if not compared or tags[start] != "ADJ":
        return False
    after, before = tags[start + 1 : start + 2], tags[start - 1 : start]
    if not (NOUNS.intersection(after) or (grammar.adjective_after and NOUNS.intersection(before))):
        return False
    if not grammar.never.isdisjoint(reading.forms[k].low for k in range(mark.start, mark.end)):
        return True
    # French denies behind the verb: "on ne trouve pas de meilleure pizza".
    first = mark.start - (grammar.verb_negator_after and mark.start > 0)
    verbs = [k for k in range(first, start) if tags[k] in VERBS]
    if not verbs:
        return tags[mark.start] == "DET"
    # "The phone has no better screen" complains of the screen.
    return tags[verbs[-1]] == "VERB" and reading.lemma(verbs[-1]) not in grammar.possession


def listed(reading: Reading, marks: Mapping[int, list[Match]], start: int, floor: int) -> Match | None:
    """The lack that names a judging noun among others, itself not next to it: "manque de propreté, de confort"."""
    tags = reading.tags
    if tags[start] not in NOUNS:
        return None
    parted = False
    for k in range(start - 1, max(floor, start - _LIST) - 1, -1):
        found = next((m for m in marks.get(k, ()) if m.kind == "lack" and m.end <= start), None)
        if found is not None:
            return found if parted else None
        if tags[k] not in _LISTING and reading.surface[k] not in _COMMAS:
            return None
        parted = parted or tags[k] not in {"ADP", "DET", "ADJ"}
    return None
