"""Finds the headings under which customers list what they liked and what not: "Pros: screen. Cons: price, weight."."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feedback.analysis.form import Form
from feedback.analysis.grammar import Grammar
from feedback.analysis.tokens import Tokens

COLONS = frozenset({":", "："})
_LONGEST = 4
_SIGNS = {"+": 1, "++": 1, "-": -1, "--": -1, "–": -1, "−": -1}


class Heading(NamedTuple):
    """A heading at tokens `start`..`end` (its colon included), what it covers up to `stop`, and 1 or -1."""

    start: int
    end: int
    stop: int
    sign: int


def find(
    tokens: Tokens, forms: Sequence[Form], sentences: Sequence[tuple[int, int]], grammar: Grammar
) -> list[Heading]:
    """The headings of a text in order."""
    if listed := _signed_lines(tokens, sentences):
        return listed
    if COLONS.isdisjoint(tokens.surface) or not (grammar.praise_headings or grammar.blame_headings):
        return []
    found: list[Heading] = []
    ends = [stop for _, stop in sentences]
    for n, (word, kind) in enumerate(zip(tokens.surface, tokens.kind, strict=True)):
        if kind != "p" or word not in COLONS:
            continue
        for start in range(max(0, n - _LONGEST), n):
            parts = [form.low for form in forms[start:n]]
            spellings = {" ".join(parts), "".join(parts)}
            sign = (not spellings.isdisjoint(grammar.praise_headings)) - (
                not spellings.isdisjoint(grammar.blame_headings)
            )
            if sign:
                if found:
                    found[-1] = found[-1]._replace(stop=min(found[-1].stop, start))
                found.append(Heading(start, n + 1, ends[bisect_right(ends, n)], sign))
                break
    return found


def words(titles: Iterable[Heading]) -> frozenset[int]:
    """The tokens that headings themselves are made of."""
    return frozenset(n for title in titles for n in range(title.start, title.end))


def over(titles: Sequence[Heading], places: Sequence[int]) -> list[Heading | None]:
    """For each of some tokens the heading that it is listed under."""
    ends = [title.end for title in titles]
    nearest = [bisect_right(ends, n) - 1 for n in places]
    return [titles[k] if k >= 0 and n < titles[k].stop else None for k, n in zip(nearest, places, strict=True)]


def _signed_lines(tokens: Tokens, sentences: Sequence[tuple[int, int]]) -> list[Heading]:
    """Lines that begin with a plus or a minus, where a text has both."""
    if len(sentences) == 1:
        return []
    signs = [_SIGNS.get(tokens.surface[start], 0) for start, _ in sentences]
    if not {1, -1}.issubset(signs):
        return []
    return [Heading(start, start + 1, stop, sign) for (start, stop), sign in zip(sentences, signs, strict=True) if sign]
