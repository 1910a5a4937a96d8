"""Makes one report, whole: asks, understands, draws, keeps."""

from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from config.definitions import DefinitionError, Problem
from config.report import Report
from feedback.client import Dataset, FeedbackClient
from tasks.reports.archive import keep, write_csvs
from tasks.reports.comments import Comments
from tasks.reports.findings import Findings, find
from tasks.reports.page import render, sentences
from tasks.reports.questions import Answers, ask
from tasks.warehouse import Warehouse

_NAMED = 5
_DATETIME = "Datetime"


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


def _check(report: Report, dataset: Dataset) -> None:
    """Hold the fields a report names to those of its dataset. Raises `DefinitionError` with all that do not fit."""
    types = {f"metadata.{each.code}": each.type for each in dataset.metadata_definitions}
    named = [("score.field", report.score.field), ("date", report.date)]
    for number, question in enumerate(report.questions):
        named.append((f"questions[{number}].field", question.field))
        named += [
            (f"questions[{number}].dimensions[{at}].field", str(each.get("field", "")))
            for at, each in enumerate(question.dimensions)
        ]
    known = ", ".join(types) or "none"
    problems = [
        Problem(path, f"dataset {dataset.name!r} has no {name!r}; its own fields are {known}")
        for path, name in named
        if name.startswith("metadata.") and name not in types
    ]
    if (kind := types.get(report.date, _DATETIME)) != _DATETIME:
        problems.append(Problem("date", f"{report.date} is a {kind}; a report needs a Datetime"))
    if problems:
        raise DefinitionError(f"report {report.name}", problems)


def make_report(
    client: FeedbackClient, warehouse: Warehouse, report: Report, folder: Path, as_of: date | None = None
) -> Made:
    """Make a report about the period that ends with `as_of`, or where the report's `end` says."""
    dataset = client.find_dataset(report.dataset) or _unknown(client, report)
    _check(report, dataset)
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
