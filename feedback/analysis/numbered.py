"""Tells words written with a number: the number of a thing ("rb51"), or an amount and what it counts ("45minutes")."""

from feedback.analysis.form import Form
from feedback.analysis.reading import Reading

_SHORTEST_DECADE = 2


def is_number(form: Form) -> bool:
    """Whether a word is the number of a thing: "rb51", "s1", but not "gr8"."""
    low = form.low
    return low[-1].isdecimal() and low[0].isalpha() and low == form.spelled and not form.opinions and not form.modifiers


def is_amount(reading: Reading, form: Form) -> bool:
    """Whether a word is a number and what it counts, or a decade: "45minutes", "5ft", "the 1990s", but "5G", "4K"."""
    if not form.low[0].isdecimal():
        return False
    unit = form.low.lstrip("0123456789")
    if len(unit) == 1:
        return unit == "s" and len(form.low) > _SHORTEST_DECADE
    stops = reading.language.stopterms
    return unit in stops or reading.language.lemmas.lemma(unit, "NOUN") in stops
