"""What the answers mean: the score and its change, what moves it, what people praise and blame, what is new."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from config.report import Chart
from tasks.reports.questions import Answer, Answers, Cell
from tasks.reports.spread import SURE, Difference, Spread, difference, shares_differ, spread

LISTED = 8
CURRENT, PREVIOUS = 0, 1


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
    """A term and how often it was spoken of, in the period and before; None: too rarely to be in the answer."""

    id: str
    label: str
    now: dict[str, int]
    before: dict[str, int] | None = None

    def count(self, opinion: str) -> int:
        """Comments with that opinion on it, in the period."""
        return self.now.get(opinion, 0)


@dataclass(frozen=True, slots=True)
class Driver:
    """A term: the score of comments that speak of it against the others, and its pull on the total."""

    id: str
    label: str
    volume: int
    score: float
    gap: Difference
    impact: float


@dataclass(frozen=True, slots=True)
class Change:
    """A term whose praise or blame became more or less common; shares are of all comments."""

    id: str
    label: str
    opinion: str
    share: float
    share_before: float
    count: int
    count_before: int
    deviation: float

    @property
    def good(self) -> bool:
        """Whether it is a change for the better."""
        return (self.share > self.share_before) == (self.opinion == "positive")

    @property
    def clear(self) -> bool:
        """Whether chance alone does not explain it."""
        return abs(self.deviation) > SURE


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
    by_term = answers.asked.get("opinions_by_term")
    asked = (each for each in answers.all() if each.question and each.question.chart is Chart.OPINIONS)
    spoken = next(asked, by_term)
    terms = _terms(spoken) if spoken else []
    praised = _ranked(terms, "positive", "negative")
    blamed = _ranked(terms, "negative", "positive")
    return Findings(
        headline,
        praised[:LISTED],
        blamed[:LISTED],
        _drivers(answers, headline),
        _changes(answers.report.minimum_volume, headline, _terms(by_term) if by_term else []),
    )


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
    """Terms more often of this opinion than of its opposite; a word that one comment says is no finding."""
    found = [term for term in terms if term.count(opinion) >= max(2, term.count(opposite) + 1)]
    return sorted(found, key=_most(opinion))


def _most(opinion: str) -> Callable[[Term], tuple[int, str]]:
    return lambda term: (-term.count(opinion), term.label)


def _terms(answer: Answer) -> list[Term]:
    """The terms of the period, each with its counts before: 0 when the list of then is whole and lacks it."""
    labels: dict[str, str] = {}
    counts: list[dict[str, dict[str, int]]] = [defaultdict(dict), defaultdict(dict)]
    for cell in answer.cells:
        key = (cell.ids[0] if cell.ids else None) or cell.values[0]
        labels[key] = cell.values[0]
        counts[cell.period][key][cell.polarity or "neutral"] = cell.volume
    limit = answer.question.dimensions[0].get("limit", 20) if answer.question else 20
    whole = [len(each) < limit for each in counts]
    found = []
    for key, label in labels.items():
        if key not in counts[CURRENT] and not whole[CURRENT]:
            continue
        before = counts[PREVIOUS].get(key, {} if whole[PREVIOUS] else None)
        found.append(Term(key, label, counts[CURRENT].get(key, {}), before))
    return found


def _drivers(answers: Answers, headline: Headline) -> list[Driver]:
    answer = answers.asked.get("score_by_term")
    if answer is None or headline.current is None:
        return []
    kind = answers.report.score.type
    everyone = _counts(answers.asked["distribution"], CURRENT)
    total = spread(everyone, kind)
    found = []
    for key, cells in _by_term(answer.cells).items():
        counts = {float(cell.values[1]): int(cell.value or 0) for cell in cells}
        others = {value: count - counts.get(value, 0) for value, count in everyone.items()}
        speaking, silent = spread(counts, kind), spread(others, kind)
        if min(speaking.answers, silent.answers) < answers.report.minimum_volume:
            continue
        gap, impact = difference(speaking, silent), total.mean - silent.mean
        found.append(Driver(key, cells[0].values[0], speaking.answers, speaking.mean, gap, impact))
    clear = [driver for driver in found if driver.gap.clear]
    strongest = sorted(clear, key=lambda driver: (-abs(driver.impact), driver.label))[: LISTED + 4]
    return sorted(strongest, key=lambda driver: -driver.impact)


def _by_term(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        found[(cell.ids[0] if cell.ids else None) or cell.values[0]].append(cell)
    return found


def _changes(minimum: int, headline: Headline, terms: list[Term]) -> list[Change]:
    if min(headline.comments, headline.comments_before) < minimum:
        return []
    found = []
    for term in terms:
        if term.before is None:
            continue
        changes = [
            _change(headline, term, opinion, term.before.get(opinion, 0)) for opinion in ("positive", "negative")
        ]
        strongest = max(changes, key=lambda change: abs(change.deviation))
        if strongest.count + strongest.count_before >= minimum and strongest.clear:
            found.append(strongest)
    return sorted(found, key=lambda change: (-abs(change.deviation), change.label))[:LISTED]


def _change(headline: Headline, term: Term, opinion: str, before: int) -> Change:
    now, all_now, all_before = term.count(opinion), headline.comments, headline.comments_before
    deviation = shares_differ(now, all_now, before, all_before)
    return Change(term.id, term.label, opinion, now / all_now, before / all_before, now, before, deviation)
