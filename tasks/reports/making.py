"""Makes one report, whole: asks, understands, draws, keeps."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from config.definitions import DefinitionError, Problem
from config.report import Report
from feedback.client import FeedbackClient
from tasks.reports.archive import keep, write_csvs
from tasks.reports.comments import Comments
from tasks.reports.findings import Findings, find
from tasks.reports.page import render, sentences
from tasks.reports.questions import Answers, ask
from tasks.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class Made:
    """A report that was made: where its page and its CSVs lie, and what it says."""

    id: str
    page: Path
    csvs: list[Path]
    answers: Answers
    findings: Findings
    sentences: list[str]


def make_report(
    client: FeedbackClient, warehouse: Warehouse, report: Report, folder: Path, as_of: date | None = None
) -> Made:
    """Make a report about the period that ends with `as_of`, or where the report's `end` says."""
    dataset = client.find_dataset(report.dataset)
    if dataset is None:
        message = f"there is no dataset named {report.dataset!r}; load a feed into it first"
        raise DefinitionError(f"report {report.name}", [Problem("dataset", message)])
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
