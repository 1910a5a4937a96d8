"""Renders a report as one HTML page that needs nothing else: no network, no fonts, no server."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from config.report import Chart
from tasks.reports import charts
from tasks.reports.comments import Comments
from tasks.reports.findings import REPEATED, Findings, Headline
from tasks.reports.insights import Driver
from tasks.reports.questions import Answer, Answers, Cell

FOLDER = Path(__file__).parent
QUOTED = 3


@dataclass(slots=True)
class Section:
    """One question on the page. `specs` are charts; the rest is what its kind of chart shows."""

    name: str
    title: str
    chart: Chart
    kind: str
    specs: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    thin: list[Cell] = field(default_factory=list)
    columns: list[tuple[str, str, list[Any]]] = field(default_factory=list)
    note: str = ""
    when: str = ""
    pace: str = ""
    least: int = REPEATED
    about: str = ""


def render(answers: Answers, findings: Findings, comments: Comments) -> str:
    """The page of a report."""
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=answers.report,
            spans=answers.spans,
            period=answers.period,
            headline=findings.headline,
            sentences=sentences(answers, findings),
            sections=[section(answers, findings, comments, question) for question in answers.report.questions],
            made=datetime.now(UTC),
            style=Markup((FOLDER / "page.css").read_text()),  # noqa: S704 our own file
            script=Markup(_bundle()),  # noqa: S704 vl_convert's own text
        )
    )


def section(answers: Answers, findings: Findings, comments: Comments, question: Any) -> Section:
    """What the page shows of one question."""
    made = Section(question.name, question.title, question.chart, question.type)
    report, answer = answers.report, answers.asked.get(question.name)
    limit = report.comments
    period = answers.spans.asked(question.span)[0]
    if period != answers.spans.current:
        made.when, comments = period.words, comments.within(period)
    if question.chart is Chart.TREND and answer:
        made.specs = charts.trend(answer, answers.spans, report.minimum_volume, question.type)
        grain = str(question.dimensions[0].get("group", "MONTH"))
        made.pace = f"{grain.capitalize()} by {grain.lower()}"
        made.note = (
            f"Hollow points stand on fewer than {report.minimum_volume} answers."
            if _some_thin(answer, report.minimum_volume)
            else ""
        )
    elif question.chart is Chart.DRIVERS:
        made.specs = charts.drivers(findings.drivers, report.score.name)
        made.rows = [
            (driver, comments.about(report.about, driver.id, driver.opinion, limit))
            for driver in _outer(findings.drivers)
        ]
    elif question.chart is Chart.OPINIONS:
        made.about = question.field
        kinds = (("positive", "What they praise", findings.praised), ("negative", "What they blame", findings.blamed))
        made.columns = [
            (kind, title, [(term, comments.about(question.field, term.id, kind, limit)) for term in terms])
            for kind, title, terms in kinds
        ]
    elif question.chart is Chart.CHANGES:
        made.rows = [
            (change, comments.about(report.about, change.id, change.opinion, limit)) for change in findings.changes
        ]
    elif question.chart is Chart.RANKING and answer:
        made.rows, made.thin = _ranked(answer, report.minimum_volume)
    elif answer:
        made.rows = answer.cells
    return made


def sentences(answers: Answers, findings: Findings) -> list[str]:
    """The page in a few sentences, for who reads no further."""
    told = [_standing(answers, findings.headline)]
    name = answers.report.score.name
    lifting = [each.label for each in findings.drivers if each.opinion == "positive" and each.impact > 0]
    pulling = [each.label for each in findings.drivers if each.opinion == "negative" and each.impact < 0]
    if pulling:
        told.append(f"What pulls the {name} down most is criticism of {_listed(pulling[:3])}.")
    if lifting:
        told.append(f"What lifts it most is praise of {_listed(lifting[:3])}.")
    for better, word in ((True, "better"), (False, "worse")):
        labels = [each.label for each in findings.changes if each.clear and each.good == better]
        if labels:
            told.append(f"Clearly {word} than before: {_listed(list(dict.fromkeys(labels))[:3])}.")
    return told


def _standing(answers: Answers, headline: Headline) -> str:
    name, kind, period = answers.report.score.name, answers.report.score.type, answers.report.period
    if not headline.comments:
        return f"There are no comments from {answers.spans.current.words}."
    if headline.current is None:
        return f"There are too few answers from {answers.spans.current.words} to speak of a score."
    standing = f"The {name} stands at {score_text(headline.current.mean, kind)}"
    if headline.change is None:
        return f"{standing}; there are too few answers from the {period} before to compare it with."
    points = score_text(abs(headline.change.value), kind)
    if not float(points):
        return f"{standing}, as in the {period} before."
    way = "above" if headline.change.value > 0 else "below"
    sure = "more than chance explains" if headline.change.clear else "which may be chance"
    return f"{standing}, {points} points {way} the {period} before, {sure}."


def score_text(value: float, kind: str) -> str:
    """A score as people read it: an NPS in whole points, a mean with one decimal."""
    return (f"{value:.0f}" if kind == "NPS" else f"{value:.1f}").replace("-", "\N{MINUS SIGN}")


def signed(value: float, digits: int) -> str:
    """A difference with its sign, none where it is nothing in so many digits."""
    sign = "" if not round(abs(value), digits) else "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(value):.{digits}f}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _some_thin(answer: Answer, minimum: int) -> bool:
    return any(0 < cell.volume < minimum for cell in answer.cells)


def _outer(drivers: list[Driver]) -> list[Driver]:
    """The strongest of either kind, for which the page has room to quote: what lifts, then what pulls down."""
    return [
        driver
        for opinion in ("positive", "negative")
        for driver in [each for each in drivers if each.opinion == opinion][:QUOTED]
    ]


def _ranked(answer: Answer, minimum: int) -> tuple[list[tuple[Cell, Cell | None]], list[Cell]]:
    """Each value of the period, best first, with the same of the period before; then those of too few comments."""
    before = {cell.values: cell for cell in answer.cells if cell.period == 1}
    now = [cell for cell in answer.cells if cell.period == 0]
    enough = [cell for cell in now if cell.value is not None and cell.volume >= minimum]
    enough.sort(key=lambda cell: (-(cell.value or 0), cell.values))
    thin = sorted((cell for cell in now if cell not in enough), key=lambda cell: (-cell.volume, cell.values))
    return [(cell, before.get(cell.values)) for cell in enough], thin


@cache
def _bundle() -> str:
    return vl_convert.javascript_bundle("window.vegaEmbed=vegaEmbed;").replace("</script", "<\\/script")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "spec": _embedded,
        "score": score_text,
        "signed": signed,
        "share": "{:.0%}".format,
        "sum_counts": lambda counts: sum(counts.values()),
    }
    environment.filters.update(filters)
    return environment


def _embedded(spec: dict[str, Any]) -> Markup:
    """A chart as JSON that cannot close the script it stands in: comments and labels are strangers' words."""
    return Markup(json.dumps(spec).replace("<", "\\u003c"))  # noqa: S704 escaped here
