"""Finds verbs that are spoken of themselves: "returning the car was chaos", "runs large", "crashes all the time"."""

from feedback.analysis.reading import Reading

_REACH = 7
_VERBS = frozenset({"AUX", "VERB"})
_BEFORE_SUBJECT = frozenset({"PUNCT", "CCONJ", "SCONJ"})
_BEFORE_VERB = frozenset({"CCONJ", "ADV", "PUNCT"})


def deed(reading: Reading, n: int, start: int, stop: int) -> int:
    """The verb whose subject is what somebody does, told from token `n` on; 0 if there is none."""
    tags = reading.tags
    if tags[n] != "VERB" or not reading.forms[n].low.endswith(reading.language.grammar.deed_endings):
        return 0
    if n > start and tags[n - 1] not in _BEFORE_SUBJECT:
        return 0
    for k in range(n + 1, min(stop, n + _REACH)):
        if tags[k] in _VERBS and tags[k - 1] != "PART":
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
