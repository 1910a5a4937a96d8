"""Reads texts that came out of web pages: HTML tags part words or lines, entities are what they stand for."""

import re
from html import unescape
from html.entities import html5
from typing import NamedTuple

# With names and attributes of their own, since "<name>", "<small but cosy>" and "x < y > z" are what somebody wrote.
_BLOCKS = "br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|hr|blockquote|pre"
_INLINE = "b|i|u|s|a|em|strong|span|font|small|big|sub|sup|img|code|center|mark|del|ins"
_ATTRIBUTES = r"\s[^<>=]*=[^<>]*"
_CLOSE = r"\s*(?:/\s*)?"
_TAG = re.compile(
    rf"<!--.{{0,500}}?-->|</?(?:({_BLOCKS})|{_INLINE})(?:{_ATTRIBUTES}|{_CLOSE})>"
    # Some exports escape what was markup already: "&lt;br&gt;".
    rf"|&lt;/?(?:({_BLOCKS})|{_INLINE}){_CLOSE}&gt;",
    re.IGNORECASE | re.DOTALL,
)
_ENTITY = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});|([a-zA-Z]{2,8}\d{0,2};))")


class Plain(NamedTuple):
    """A text without its markup, and where each of its characters begins and ends in the text as it was sent."""

    text: str
    begins: list[int]
    ends: list[int]


def plain(text: str) -> Plain | None:
    """A text as its readers saw it; None where it holds no markup."""
    if "<" not in text and "&" not in text:
        return None
    found = sorted([*_TAG.finditer(text), *_ENTITY.finditer(text)], key=re.Match.start)
    parts: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    at = 0
    for match in found:
        begin, end = match.span()
        # An entity within a tag's address is part of the tag.
        shown = _shown(match) if begin >= at else None
        if shown is None:
            continue
        parts += text[at:begin], shown
        begins += [*range(at, begin), *[begin] * len(shown)]
        ends += [*range(at + 1, begin + 1), *[end] * len(shown)]
        at = end
    if not parts:
        return None
    parts.append(text[at:])
    begins += range(at, len(text))
    ends += range(at + 1, len(text) + 1)
    return Plain("".join(parts), begins, ends)


def _shown(match: re.Match[str]) -> str | None:
    """What stands in a page in the place of some markup; None where there is none."""
    if match.re is _TAG:
        # Two blanks would part "customer <b>service</b>".
        return "\n" if match.lastindex else "" if _beside_blank(match) else " "
    name = match.group(1)
    # `unescape` reads "&notes;" as "¬es;", as browsers do with names that end without a semicolon.
    return html5.get(name) if name else unescape(match.group()) or None


def _beside_blank(match: re.Match[str]) -> bool:
    begin, end = match.span()
    return match.string[begin - 1 : begin].isspace() or match.string[end : end + 1].isspace()
