"""Makes one report, whole: asks, understands, draws, keeps."""

from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from config.definitions import DefinitionError, Problem
from config.report import Report
from feedback.client import FeedbackClient
from tasks.reports.archive import keep, write_csvs
from tasks.reports.comments import Comments
from tasks.reports.findings import Findings, find
from tasks.reports.page import render, sentences
from tasks.reports.questions import Answers, ask
from tasks.warehouse import Warehouse

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Made:
    """A report that was made: where its page and its CSVs lie, and what it says."""

    id: str
    page: Path
    csvs: list[Path]
    answers: Answers
    findings: Findings
    sentences: list[str]


def _unknown(client: FeedbackClient, report: Report) -> NoReturn:
    """Say which datasets there are, those first whose names are most like the one a report asks for."""
    names = sorted(dataset.name for dataset in client.datasets())
    like = dict.fromkeys([*get_close_matches(report.dataset, names, n=_NAMED), *names])
    there = f"there are {', '.join(map(repr, list(like)[:_NAMED]))}" if like else "there is none"
    more = f" and {len(like) - _NAMED} more" if len(like) > _NAMED else ""
    message = f"there is no dataset named {report.dataset!r} ({there}{more}); load a feed into it first"
    raise DefinitionError(f"report {report.name}", [Problem("dataset", message)])


def make_report(
    client: FeedbackClient, warehouse: Warehouse, report: Report, folder: Path, as_of: date | None = None
) -> Made:
    """Make a report about the period that ends with `as_of`, or where the report's `end` says."""
    dataset = client.find_dataset(report.dataset) or _unknown(client, report)
    answers = ask(client, report, dataset, as_of)
    findings = find(answers)
    comments = Comments(warehouse, dataset.id, answers.spans.current, report.date, report.score.field)
    place = folder / f"{report.name}-{answers.spans.current.last.isoformat()}"
    csvs = write_csvs(answers, place)
    page = place / "index.html"
    partial = page.with_suffix(".partial")
    partial.write_text(render(answers, findings, comments), encoding="utf-8")
    partial.replace(page)
    told = sentences(answers, findings)
    return Made(keep(warehouse, answers, page, told), page, csvs, answers, findings, told)
