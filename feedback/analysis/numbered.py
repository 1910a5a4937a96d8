"""Tells words written with a number: the number of a thing ("rb51"), or an amount and what it counts ("45minutes")."""

from typing import TYPE_CHECKING

from feedback.analysis.form import Form

if TYPE_CHECKING:
    from feedback.analysis.language import Language

_SHORTEST_DECADE = 2


def is_number(form: Form) -> bool:
    """Whether a word is the number of a thing: "rb51", "s1", but not "gr8"."""
    low = form.low
    return low[-1].isdecimal() and low[0].isalpha() and low == form.spelled and not form.opinions and not form.modifiers


def is_amount(language: "Language", low: str) -> bool:
    """Whether a word is a number and what it counts, or a decade: "45minutes", "5ft", "the 1990s", but "5G", "4K"."""
    if not low[0].isdecimal():
        return False
    unit = low.lstrip("0123456789")
    if len(unit) <= 1:
        return unit == "s" and len(low) > _SHORTEST_DECADE
    return unit in language.stopterms or language.lemmas.lemma(unit, "NOUN") in language.stopterms
