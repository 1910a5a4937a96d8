"""Which values of each dimension the reply shows, in which order, and where the kernel is to count them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.domains import Domain
from feedback.aggregation.figures import tidy
from feedback.aggregation.partial import Ints
from feedback.aggregation.plan import (
    Categories,
    Dimension,
    Identifiers,
    NpsGroups,
    Numbers,
    Polarities,
    Ranges,
    Terms,
)
from feedback.aggregation.rules import NPS_GROUPS, POLARITY_WORDS
from feedback.aggregation.survey import Survey

NEVER = -1


class Item(NamedTuple):
    """One value of a dimension: its place among the groups counted (NEVER where nothing can be), and its words."""

    place: int
    value: str
    id: str | None = None
    polarity: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A dimension's domain for the kernel and its items for the reply."""

    domain: Domain
    items: tuple[Item, ...] = ()


class Chooser:
    """Turns surveys into choices; reads names where values of equal volume must be put in order."""

    def __init__(self, connection: Connection, dictionary: Dictionary) -> None:
        """Reads on the question's own connection."""
        self.connection = connection
        self.dictionary = dictionary

    def choose(self, dimension: Dimension, survey: Survey) -> Choice:
        """The choice for a dimension that was surveyed and is not one of time."""
        match dimension:
            case Categories():
                return _renumbered(self.categories(dimension, survey.counts.astype(np.int64)))
            case Terms():
                return self._terms(dimension, survey)
            case Numbers():
                return _numbers(dimension, survey)
            case Identifiers():
                return _identifiers(survey)
            case Polarities():
                return _polarities(dimension, survey)
            case _:
                return fixed(dimension)

    def categories(self, dimension: Categories, counts: Ints) -> Choice:
        """The largest codes, in places that are the codes themselves."""
        codes = largest(counts, dimension.limit, first=1)
        if dimension.boolean:
            names = {1: "false", 2: "true"}
        else:
            found = self.dictionary.categories(self.connection, dimension.column, codes)
            names = {code: value for code, (value, _) in found.items()}
        ranked = sorted(codes, key=lambda code: (-int(counts[code]), names[code]))[: dimension.limit]
        return Choice(Domain(max(len(counts) - 1, 0)), tuple(Item(code, names[code]) for code in ranked))

    def laid_out(self, dimension: Categories, counts: Ints, codes: Ints | None) -> Choice:
        """The largest of the codes that have a slot each: slot 1 is the first of `codes`, where given."""
        if codes is None:
            return self.categories(dimension, counts)
        by_code = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
        by_code[codes] = counts[1:]
        slot = {code: place for place, code in enumerate(codes.tolist(), 1)}
        found = self.categories(dimension, by_code)
        return Choice(found.domain, tuple(Item(slot[item.place], item.value) for item in found.items))

    def _terms(self, dimension: Terms, survey: Survey) -> Choice:
        totals = survey.by_term(dimension.opinions)
        codes = largest(totals, dimension.limit)
        if dimension.column == "TERMS":
            names = self.dictionary.terms(self.connection, codes)
        else:
            names = self.dictionary.categories(self.connection, dimension.column, codes)
        best = sorted(codes, key=lambda c: (-int(totals[c]), names[c][1], names[c][0]))[: dimension.limit]
        if not dimension.apart:
            chosen, place = _numbered(best)
            return Choice(
                Domain(len(best), chosen=chosen), tuple(Item(place[c], names[c][1], names[c][0]) for c in best)
            )
        keys = [c * 3 + o for c in best for o in dimension.opinions if survey.counts[c * 3 + o]]
        chosen, place = _numbered(keys)
        keys.sort(key=lambda k: (-int(survey.counts[k]), names[k // 3][1], names[k // 3][0], POLARITY_WORDS[k % 3]))
        items = (Item(place[k], names[k // 3][1], names[k // 3][0], POLARITY_WORDS[k % 3]) for k in keys)
        return Choice(Domain(len(keys), chosen=chosen), tuple(items))


def largest(counts: Ints, limit: int, first: int = 0) -> list[int]:
    """The codes from `first` that may be among the `limit` largest; all those that tie for the last place."""
    present = np.flatnonzero(counts[first:]) + first
    if len(present) > limit:
        held = counts[present]
        least = np.partition(held, len(held) - limit)[len(held) - limit]
        present = present[held >= least]
    return [int(code) for code in present]


def _numbered(codes: Sequence[int]) -> tuple[Ints, dict[int, int]]:
    """The codes in order, and the place of each."""
    ordered = sorted(codes)
    return np.array(ordered, np.int64), {code: place for place, code in enumerate(ordered)}


def _renumbered(choice: Choice) -> Choice:
    """The same choice with places 1 to n for the chosen codes alone."""
    chosen = np.sort(np.array([item.place for item in choice.items], np.int64))
    place = {int(code): slot for slot, code in enumerate(chosen.tolist(), 1)}
    items = tuple(Item(place[item.place], item.value) for item in choice.items)
    return Choice(Domain(len(items), chosen=chosen), items)


def _numbers(dimension: Numbers, survey: Survey) -> Choice:
    numbers, counts = survey.by_number()
    found = np.array(largest(counts, dimension.limit), np.int64)
    best = found[np.argsort(-counts[found], kind="stable")][: dimension.limit]
    chosen = tuple(numbers[best].tolist())
    items = tuple(Item(slot, str(tidy(number))) for slot, number in enumerate(chosen, 1))
    return Choice(Domain(len(chosen), numbers=chosen), items)


def stored_items(choice: Choice, base: int, scale: int) -> tuple[Item, ...]:
    """The items of a choice of numbers, each at the place that is its stored value."""
    power = 10**scale
    stored = [round(number * power) - base + 1 for number in choice.domain.numbers]
    return tuple(item._replace(place=stored[item.place - 1]) for item in choice.items)


def _identifiers(survey: Survey) -> Choice:
    items = tuple(Item(slot, text.decode()) for slot, text in enumerate(survey.texts, 1))
    return Choice(Domain(len(items), texts=tuple(survey.texts)), items)


def _polarities(dimension: Polarities, survey: Survey) -> Choice:
    words = [(opinion, POLARITY_WORDS[opinion].upper()) for opinion in dimension.opinions]
    if len(words) > 1:
        words.sort(key=lambda word: (-int(survey.counts[word[0]]), word[1]))
    items = [Item(dimension.opinions.index(opinion), word) for opinion, word in words]
    return Choice(Domain(len(dimension.opinions)), tuple(items[: dimension.limit]))


def fixed(dimension: Dimension) -> Choice:
    """The choice for a dimension whose values stand in the request or in the rules."""
    match dimension:
        case Ranges():
            first = 0 if overlap(dimension) else 1
            items = [Item(place, span.name) for place, span in enumerate(dimension.spans, first)]
            return Choice(Domain(len(items)), tuple(items[: dimension.limit]))
        case NpsGroups():
            items = [Item(place, name) for place, name in enumerate(NPS_GROUPS, 1)]
            return Choice(Domain(len(items)), tuple(items[: dimension.limit]))
        case _:
            message = f"{dimension!r} has no fixed values"
            raise TypeError(message)


def overlap(dimension: Ranges) -> bool:
    """Whether a number may lie in two of the ranges."""
    spans = sorted(dimension.spans, key=lambda s: -np.inf if s.low is None else s.low)
    for left, right in pairwise(spans):
        if left.high is None or right.low is None or right.low < left.high or (left.closed and right.low == left.high):
            return True
    return False
