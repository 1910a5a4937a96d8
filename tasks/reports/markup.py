"""Shows comments that came out of web pages as their readers saw them; the warehouse keeps them as they were sent."""

import re
from html import unescape
from html.entities import html5

# As the service reads them, with names of their own: "<name>" and "x < y > z" are what somebody wrote.
_BLOCKS = "br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|hr|blockquote|pre"
_INLINE = "b|i|u|s|a|em|strong|span|font|small|big|sub|sup|img|code|center|mark|del|ins"
_CLOSE = r"\s*(?:/\s*)?"
_NAMES = rf"(?:(?P<block>{_BLOCKS})|{_INLINE})"
_ESCAPED = _NAMES.replace("block", "escaped")
_MARKUP = re.compile(
    rf"<!--.{{0,500}}?-->|</?{_NAMES}(?:\s[^<>=]*=[^<>]*|{_CLOSE})>|&lt;/?{_ESCAPED}{_CLOSE}&gt;"
    r"|(?P<entity>&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});|(?P<name>[a-zA-Z]{2,8}\d{0,2};)))",
    re.IGNORECASE | re.DOTALL,
)


def shown(text: str) -> list[str]:
    """What a reader saw in the place of each character: offsets of the text as sent stay those of this list."""
    seen = list(text)
    for match in _MARKUP.finditer(text):
        begin, end = match.span()
        seen[begin:end] = [_shown(match), *[""] * (end - begin - 1)]
    return seen


def _shown(match: re.Match[str]) -> str:
    if name := match["name"]:
        # `unescape` reads "&notes;" as "¬es;", as browsers do with names that end without a semicolon.
        return html5.get(name, match.group())
    if match["entity"]:
        return unescape(match.group())
    return " " if match["block"] or match["escaped"] else ""
