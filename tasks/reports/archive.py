"""Keeps a report's answers: as rows in the warehouse, as a CSV a question, and beside them the page."""

import csv
import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from tasks.reports.questions import Answer, Answers, Cell
from tasks.warehouse import Warehouse
from tasks.warehouse.tables import report_values, reports

HEADER = (
    "period_from",
    "period_to",
    "dimension_1",
    "dimension_2",
    "dimension_3",
    "dimension_4",
    "polarity",
    "value",
    "volume",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report_id(answers: Answers) -> str:
    """The same for the same report about the same period: making it again replaces it."""
    current = answers.spans.current
    said = "\x1f".join([answers.report.name, answers.dataset.id, str(current.first), str(current.last)])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def keep(warehouse: Warehouse, answers: Answers, page: Path, sentences: list[str]) -> str:
    """Write the answers to the warehouse, in one transaction; the report's id."""
    key, current = report_id(answers), answers.spans.current
    head = {
        "id": key,
        "report": answers.report.name,
        "title": answers.report.title,
        "dataset_id": answers.dataset.id,
        "as_of": current.end,
        "period_from": current.start,
        "period_to": current.end,
        "page": str(page),
        "made_at": datetime.now(UTC),
        "sentences": "\n".join(sentences),
    }
    rows = [
        {"report_id": key, "question": answer.name, "position": position} | row
        for answer in answers.all()
        for position, row in enumerate(_rows(answer))
    ]
    with warehouse.write() as connection:
        connection.execute(delete(report_values).where(report_values.c.report_id == key))
        warehouse.upsert(connection, reports, [head])
        if rows:
            connection.execute(report_values.insert(), rows)
    return key


def write_csvs(answers: Answers, folder: Path) -> list[Path]:
    """A CSV a question; a text that a spreadsheet would run as a formula is quoted with an apostrophe."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for answer in answers.all():
        path = folder / f"{answer.name}.csv"
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(HEADER)
            table.writerows(_cells(row) for row in _rows(answer))
        written.append(path)
    return written


def _rows(answer: Answer) -> Iterator[dict[str, Any]]:
    cells: Iterable[Cell] = [*answer.totals, *answer.cells]
    for cell in cells:
        period = answer.periods[cell.period]
        values = [*cell.values, None, None, None, None][:4]
        yield {
            "period_from": period.start,
            "period_to": period.end,
            **{f"dimension_{number}": value for number, value in enumerate(values, start=1)},
            "polarity": cell.polarity,
            "value": cell.value,
            "volume": cell.volume,
        }


def _cells(row: dict[str, Any]) -> list[Any]:
    return [_harmless(row[name]) for name in HEADER]


def _harmless(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
