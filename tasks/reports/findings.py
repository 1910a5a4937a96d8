"""What the answers mean: the score and its change, what moves it, what people praise and blame, what is new."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from config.report import Chart
from tasks.reports.insights import Change, Driver
from tasks.reports.questions import Answer, Answers
from tasks.reports.spread import Difference, Spread, difference, spread

LISTED = 8
ENOUGH = 4
REPEATED = 3
WITHIN = 0.8
CURRENT, PREVIOUS = 0, 1
PRONOUNS = frozenset({"it", "they", "he", "she"})
"""Terms of comments that name nothing they judge: they are counted, and no finding."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The score of the period and of the one before; None where there are too few answers to speak of one."""

    comments: int
    comments_before: int
    current: Spread | None
    previous: Spread | None
    groups: dict[str, int]

    @property
    def change(self) -> Difference | None:
        """How the score moved."""
        return difference(self.current, self.previous) if self.current and self.previous else None


@dataclass(frozen=True, slots=True)
class Term:
    """A term and how often it was spoken of, by opinion."""

    id: str
    label: str
    now: dict[str, int]

    def count(self, opinion: str) -> int:
        """Comments with that opinion on it, in the period."""
        return self.now.get(opinion, 0)


T = TypeVar("T", Term, Driver, Change)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the page tells."""

    headline: Headline
    praised: list[Term] = field(default_factory=list)
    blamed: list[Term] = field(default_factory=list)
    drivers: list[Driver] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def find(answers: Answers) -> Findings:
    """What the answers mean."""
    headline = _headline(answers)
    asked = (each for each in answers.all() if each.question and each.question.chart is Chart.OPINIONS)
    spoken = next(asked, None)
    omitted = PRONOUNS | {word.casefold() for word in answers.report.omit}
    terms = _without(omitted, _terms(spoken) if spoken else [])
    praised = _ranked(terms, "positive", "negative")
    blamed = _ranked(terms, "negative", "positive")
    # The surest changes; one that chance may explain is shown as such, where nothing surer takes its place.
    moved = [change for change in _without(omitted, answers.changes) if change.share != change.share_before]
    sure = [change for change in moved if change.clear]
    return Findings(
        headline,
        praised[:LISTED],
        blamed[:LISTED],
        [driver for driver in _without(omitted, answers.drivers) if driver.clear],
        sure[:LISTED] if len(sure) >= ENOUGH else moved[:ENOUGH],
    )


def _without(words: Collection[str], found: Iterable[T]) -> list[T]:
    return [each for each in found if each.label.casefold() not in words]


def _headline(answers: Answers) -> Headline:
    counts = [_counts(answers.asked["distribution"], period) for period in (CURRENT, PREVIOUS)]
    spreads = [spread(each, answers.report.score.type) for each in counts]
    enough = [each if each.answers >= answers.report.minimum_volume else None for each in spreads]
    totals = answers.asked["score"].totals
    groups = {
        "promoters": sum(count for value, count in counts[CURRENT].items() if value >= 9),
        "neutrals": sum(count for value, count in counts[CURRENT].items() if 7 <= value < 9),
        "detractors": sum(count for value, count in counts[CURRENT].items() if value < 7),
    }
    is_nps = answers.report.score.type == "NPS"
    return Headline(totals[CURRENT].volume, totals[PREVIOUS].volume, enough[0], enough[1], groups if is_nps else {})


def _counts(answer: Answer, period: int) -> dict[float, int]:
    return {float(cell.values[0]): int(cell.value or 0) for cell in answer.cells if cell.period == period}


def _ranked(terms: list[Term], opinion: str, opposite: str) -> list[Term]:
    """Terms more often of this opinion than of its opposite; a word that two comments say is no finding."""
    found = [term for term in terms if term.count(opinion) >= max(REPEATED, term.count(opposite) + 1)]
    return sorted(_outermost(found, opinion), key=_most(opinion))


def _outermost(terms: list[Term], opinion: str) -> list[Term]:
    """Terms without those that are nearly always said within a longer one: "customer service" stands for "service"."""
    inner: dict[str, int] = {}
    for term in terms:
        words = term.label.split()
        for size in range(1, len(words)):
            for start in range(len(words) - size + 1):
                part = " ".join(words[start : start + size])
                inner[part] = max(inner.get(part, 0), term.count(opinion))
    return [term for term in terms if inner.get(term.label, 0) < WITHIN * term.count(opinion)]


def _most(opinion: str) -> Callable[[Term], tuple[int, str]]:
    return lambda term: (-term.count(opinion), term.label)


def _terms(answer: Answer) -> list[Term]:
    """The terms of the period."""
    labels: dict[str, str] = {}
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for cell in answer.cells:
        if cell.period == CURRENT:
            key = (cell.ids[0] if cell.ids else None) or cell.values[0]
            labels[key] = cell.values[0]
            counts[key][cell.polarity or "neutral"] = cell.volume
    return [Term(key, label, counts[key]) for key, label in labels.items()]
