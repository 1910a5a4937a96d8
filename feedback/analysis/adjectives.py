"""Decides of single words whether they are adjectives here, and whether they tell a kind and so belong to a term."""

from feedback.analysis.reading import Reading

_MAYBE_ADJECTIVE = frozenset({"NOUN", "PROPN", "ADV", "VERB", "X", "INTJ"})


def is_adjective(reading: Reading, n: int) -> bool:
    """Whether token `n` is used as an adjective."""
    tag = reading.tags[n]
    return tag == "ADJ" or (tag in _MAYBE_ADJECTIVE and reading.forms[n].adjective)


def is_relational(reading: Reading, n: int) -> bool:
    """Whether an adjective tells a kind ("Italian food") and so belongs to the term, as "24hour" does not."""
    return not _judging(reading, n) and not is_plain(reading, n) and not reading.forms[n].amount


def _judging(reading: Reading, n: int) -> bool:
    form = reading.forms[n]
    return any(not e.learnt for e in form.opinions) or bool(form.modifiers) or reading.covered[n]


def is_plain(reading: Reading, n: int) -> bool:
    """Whether an adjective tells no kind of thing, and is no part of a term: "first", "new", "other"."""
    plain = reading.language.grammar.plain_adjectives
    return reading.lemma(n) in plain or reading.forms[n].low in plain


def is_kind(reading: Reading, n: int, noun: int) -> bool:
    """Whether an adjective tells a kind of this noun though it judges others: "hard drive", "small print"."""
    form = reading.forms[n]
    grammar = reading.language.grammar
    if reading.tags[n] != "ADJ" or form.modifiers or reading.covered[n] or form.low in grammar.plain_adjectives:
        return False
    beside = reading.forms[noun].keys
    # Behind its noun even a mild one is said of it: "chargeur absent".
    mild = 0 if grammar.adjective_after else 1
    return bool(form.opinions) and not any(
        abs(entry.weight) > mild and (not entry.only or entry.only & beside) and not entry.never & beside
        for entry in form.opinions
    )
