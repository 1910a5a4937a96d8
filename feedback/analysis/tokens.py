"""Cuts a text into tokens that remember where they stand, so that `text[begin:end]` is always the surface form."""

import re
from functools import cache
from typing import NamedTuple

WORD, NUMBER, PUNCT, EMOJI, LINK, HASHTAG = "wnpeuh"
"""The kinds of token; a document's kinds make one string, so that a pattern over them is cheap."""


class Tokens(NamedTuple):
    """The tokens of a text as parallel lists; offsets are code points, end exclusive."""

    surface: list[str]
    begin: list[int]
    end: list[int]
    kind: list[str]


# Marks that belong to the letter before them (accents, vowel signs): `\w` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a3c-\u0a4d\u0b3c-\u0b4d\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbc-\u0ccd"
    "\u0d3e-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1dc0-\u1dff\u20d0-\u20ff"
)
_LETTER = rf"(?:[^\W\d_][{_MARKS}]*)"
_LETTERS = rf"{_LETTER}+"
_HAN = r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_KANA = r"[\u3041-\u309f]+|[\u30a0-\u30ff\uff66-\uff9f]+"
_EMOJI = (
    r"(?:[\U0001F1E6-\U0001F1FF]{2}"
    r"|(?:[\U0001F300-\U0001FAFF\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u2328\u23cf-\u23f3\u25b6\u25c0\u203c\u2049]"
    r"[\ufe0e\ufe0f\U0001F3FB-\U0001F3FF]*(?:\u200d[\U0001F300-\U0001FAFF\u2600-\u27bf][\ufe0f\U0001F3FB-\U0001F3FF]*){0,4}))"
)
_EMOTICON = (
    r"(?:(?<![\w:;=])[<>]?[:;=8xX][\-o*'^]?[)\](\[dDpP/\\|3*]+(?![\w/])"
    r"|<3+|</3|(?<!\w)\^_*\^|(?<!\w)-_+-|(?<!\w)[oO]_[oO](?!\w)|¯\\_\(ツ\)_/¯)"
)
_LINK = r"(?:https?://[^\s<>]+|www\.[^\s<>]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|@\w+)"
# "#12345" is the number of an order.
_HASHTAG = r"#(?=\w*[^\W\d_])\w+"
_NUMBER = (
    r"[$€£¥]?\d+(?:[.,:/]\d+)*(?:[%‰€$£¥°]|(?:st|nd|rd|th|er|ère|ème|eme|e|º|ª|o|a|h|am|pm|km|kg|gb|mb|min)(?!\w))?"
)
# Letters and digits in one: "5G", "iPhone15", "WLAN-Stick", "gr8".
_MIXED = rf"(?:{_LETTER}|\d)+"
_COMPOUND = rf"{_MIXED}(?:[-\u2010\u2011'’]{_MIXED})*"

_APOSTROPHE = "['’`´]"
_ELISIONS = {
    "fr": rf"(?:[ldjmtscnç]|qu|jusqu|lorsqu|puisqu|quoiqu|presqu|entr){_APOSTROPHE}(?=\w)",
    "it": (
        rf"(?:[dlcmtsvn]|un|gl|de?ll|ne?ll|a?ll|da?ll|su?ll|coll|quell|quest|bell|sant|nient|senz|quant|com|dov|anch|tutt|mezz|ciascun|nessun|qualcun|alcun|vent|trent|(?:quar|cinqu|sess|sett|ott|nov)ant){_APOSTROPHE}(?=\w)"
    ),
    "pt": rf"d{_APOSTROPHE}(?=\w)",
}
# The auxiliaries that "didn t" may begin with, which is how "didn't" is left where apostrophes were lost.
_AUXILIARIES = "do|does|did|is|are|was|were|has|have|had|would|could|should|ca|wo|must|need"
_CLITICS = {
    "en": (
        rf"(?i:n{_APOSTROPHE}t\b|{_APOSTROPHE}(?:s|re|ve|ll|d|m)\b|(?<=[a-z])n t\b)"
        rf"|(?i:{_LETTERS}?(?=n{_APOSTROPHE}t\b))|(?i:can(?=not\b))|(?i:\b(?:{_AUXILIARIES})(?=n t\b))"
    ),
    "fr": r"(?i:-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce|moi|toi|les?|la|lui|leur|y|en|là|ci)\b(?!-\w))",
}
# In English the word stops before an apostrophe clitic; in French before a hyphenated pronoun.
_WORDS = {
    "en": rf"{_MIXED}(?:-{_MIXED})*(?:['’](?!(?i:s|re|ve|ll|d|m|t)\b){_MIXED})*",
    "fr": (
        rf"(?i:aujourd['’]hui|peut-être|rendez-vous|sav(?:ez|ons)-vous)|{_MIXED}"
        rf"(?:[-\u2010\u2011](?!(?:t-)?(?i:je|tu|ils?|elles?|on|nous|vous|ce|moi|toi|les?|la|lui|leur|y|en)\b(?!-\w)){_MIXED})*"
    ),
    "it": rf"{_MIXED}(?:-{_MIXED})*(?:['’](?!\w))?",
    "nl": rf"['’](?:s|t|n|k)\b|{_COMPOUND}",
}


@cache
def _pattern(family: str) -> tuple[re.Pattern[str], list[str]]:
    """One expression a language family, with a group a kind of token, and the kinds by the number of their group."""
    word = "|".join(part for part in (_ELISIONS.get(family), _CLITICS.get(family)) if part)
    word = (f"(?i:{word})|" if word else "") + _WORDS.get(family, _COMPOUND)
    whole = r"(?!(?<=[nN])\ [tT]\b)" if family == "en" else ""
    parts = (
        # Most tokens are plain words between blanks; they need not be tried as links, numbers and faces first.
        (
            WORD,
            (
                r"(?<![\w'’@#./-])(?![xX]D+\b|(?i:cannot|www|https?)\b)"
                rf"[A-Za-zÀ-ÖØ-öø-ɏ]+{whole}(?=[\s,;!?)]|\.(?:\s|$)|$)"
            ),
        ),
        (LINK, _LINK),
        (HASHTAG, _HASHTAG),
        (EMOJI, f"{_EMOTICON}|{_EMOJI}"),
        (NUMBER, _NUMBER + r"(?![^\W_])"),
        (WORD, f"{_HAN}+|{_KANA}|{word}"),
        (PUNCT, r"\.{2,}|…|[!?¡¿！？]+|[^\w\s]|_+"),
    )
    # Blanks are taken first and never given back, so that no kind is tried on one.
    return re.compile(r"\s*+(?:" + "|".join(f"({part})" for _, part in parts) + ")"), ["", *(kind for kind, _ in parts)]


def cut(text: str, family: str = "") -> Tokens:
    """The tokens of `text` by the rules of a language family (a language code, or "" for the general rules)."""
    surface: list[str] = []
    begin: list[int] = []
    end: list[int] = []
    kind: list[str] = []
    pattern, kinds = _pattern(family if family in _WORDS or family in _ELISIONS else "")
    for match in pattern.finditer(text.rstrip()):
        group = match.lastindex or 0
        start, stop = match.span(group)
        if start < stop:
            surface.append(match[group])
            begin.append(start)
            end.append(stop)
            kind.append(kinds[group])
    return Tokens(surface, begin, end, kind)
