"""Builders the analysis tests share."""

from feedback.analysis import Profile, analyse
from feedback.domain.document import Analysis


def make_analysis(text: str, lang: str = "en", **profile: object) -> Analysis:
    """What the analysis finds in a text."""
    return analyse(text, Profile(lang=lang, **profile))  # type: ignore[arg-type]


def opinions_of(text: str, lang: str = "en", **profile: object) -> dict[str, str]:
    """The opinion on each term of a text, by its surface form."""
    return {text[e.offset.begin : e.offset.end]: e.opinion for e in make_analysis(text, lang, **profile).enrichments}
