"""Asks a report's questions of the service, each once, and keeps the answers as plain rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from config.report import Chart, Question, Report
from feedback.client import Aggregation, Dataset, FeedbackClient
from tasks.reports.insights import Asking, Change, Driver
from tasks.reports.periods import Period, Spans, last_complete_day, spans

SCORE_VALUES = 100


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of an answer; `values`, `ids` and `polarity` say which combination it is, `period` counts from 0."""

    period: int
    values: tuple[str, ...]
    value: float | None
    volume: int
    ids: tuple[str | None, ...] = ()
    polarity: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: totals and cells of each of its periods."""

    name: str
    question: Question | None
    periods: list[Period]
    totals: list[Cell]
    cells: list[Cell]


@dataclass(slots=True)
class Answers:
    """All that a report was told; the answer named `distribution` counts each value of the score."""

    report: Report
    dataset: Dataset
    spans: Spans
    asked: dict[str, Answer] = field(default_factory=dict)
    drivers: list[Driver] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    latest: date | None = None

    @property
    def period(self) -> str:
        """The period in words, with the last day that comments are from where it ends before the period does."""
        current = self.spans.current
        if self.latest is None or not current.first <= self.latest < current.last:
            return current.words
        return f"{current.words} (data up to {self.latest.day} {self.latest:%B %Y})"

    def all(self) -> Iterator[Answer]:
        """Every answer in the order it was asked."""
        yield from self.asked.values()


def ask(client: FeedbackClient, report: Report, dataset: Dataset, as_of: date | None) -> Answers:
    """Ask everything a report needs. An empty dataset gives empty answers about the month of `as_of` or today."""
    latest = _latest_day(client, report, dataset)
    last = as_of or (latest if report.end == "latest" else None)
    stretch = spans(report, last or last_complete_day(report, datetime.now(UTC).date()))
    answers = Answers(report, dataset, stretch, latest=latest)
    for question in _own(report):
        answers.asked[question.name] = _answer(client, answers, question)
    asking = Asking(client, dataset.id, report.about, report.minimum_volume, report.query)
    for question in report.questions:
        if question.chart is Chart.DRIVERS:
            answers.asked[question.name] = _ask_drivers(asking, answers, question)
        elif question.chart is Chart.CHANGES:
            answers.asked[question.name] = _ask_changes(asking, answers, question)
        else:
            answers.asked[question.name] = _answer(client, answers, question)
    return answers


def _own(report: Report) -> list[Question]:
    score = report.score
    values = [{"field": score.field, "group": "DISTINCT", "limit": SCORE_VALUES}]
    return [
        Question(name="score", title="Score", span="both", type=score.type, field=score.field),
        Question(name="distribution", title="Answers", span="both", field=score.field, dimensions=values),
    ]


def _ask_drivers(asking: Asking, answers: Answers, question: Question) -> Answer:
    period, report = answers.spans.asked(question.span)[0], answers.report
    answers.drivers = asking.drivers(report.score.field, period.request(report.date))
    cells = [Cell(0, (each.label,), each.difference, each.volume, (each.id,), each.opinion) for each in answers.drivers]
    return Answer(question.name, question, [period], [], cells)


def _ask_changes(asking: Asking, answers: Answers, question: Question) -> Answer:
    now, before = answers.spans.current, answers.spans.previous
    date_field = answers.report.date
    answers.changes = asking.changes(before.request(date_field), now.request(date_field))
    cells = [
        Cell(period, (each.label,), share, count, (each.id,), each.opinion)
        for each in answers.changes
        for period, share, count in ((0, each.share, each.count), (1, each.share_before, each.count_before))
    ]
    return Answer(question.name, question, [now, before], [], cells)


def _answer(client: FeedbackClient, answers: Answers, question: Question) -> Answer:
    periods = answers.spans.asked(question.span)
    request: dict[str, Any] = {
        "field": question.field,
        "type": question.type,
        "dimensions": question.dimensions,
        "periods": [period.request(answers.report.date) for period in periods],
    }
    if query := _both(answers.report.query, question.query):
        request["query"] = query
    return _read(question, periods, client.aggregate(answers.dataset.id, request))


def _both(first: dict[str, Any] | None, second: dict[str, Any] | None) -> dict[str, Any] | None:
    return {"operator": "AND", "criteria": [first, second]} if first and second else first or second


def _read(question: Question, periods: list[Period], reply: Aggregation) -> Answer:
    totals = [Cell(number, (), each.total.value, each.total.volume) for number, each in enumerate(reply.periods)]
    cells = [
        Cell(
            number,
            tuple(dimension.value for dimension in figure.dimensions),
            figure.value,
            figure.volume,
            tuple(dimension.id for dimension in figure.dimensions),
            next((dimension.polarity for dimension in figure.dimensions if dimension.polarity), None),
        )
        for number, each in enumerate(reply.periods)
        for figure in each.values
    ]
    return Answer(question.name, question, periods, totals, cells)


def _latest_day(client: FeedbackClient, report: Report, dataset: Dataset) -> date | None:
    reply = client.aggregate(dataset.id, {"field": report.date, "type": "MAX"})
    latest = reply.periods[0].total.value if reply.periods else None
    return datetime.fromtimestamp(latest / 1000, UTC).date() if latest is not None else None
