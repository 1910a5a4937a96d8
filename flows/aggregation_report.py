"""Makes a report: asks the service, keeps the answers in the warehouse, writes the page people read."""

from datetime import date
from pathlib import Path
from typing import Annotated

from prefect import flow
from pydantic import BaseModel, Field

from config.definitions import check_definition
from config.report import Report, load_report
from config.settings import load_settings
from flows.artifacts import publish_report
from flows.delivery import deliver, load_block
from tasks.connections import open_connections
from tasks.steps import write_report


class ReportSummary(BaseModel):
    """Where a report lies, and what it says in a few sentences."""

    report: str
    period: str
    comments: int
    sentences: list[str]
    trend: dict[str, float | None] = {}
    praised: dict[str, int] = {}
    blamed: dict[str, int] = {}
    page: Path
    csvs: list[Path]
    id: str


@flow(name="aggregation-report", validate_parameters=True)
def aggregation_report(
    report: Annotated[str, Field(description="Name of a report, or the path of its YAML file.")],
    *,
    as_of: Annotated[date | None, Field(description="The period's last day; as the report says if empty.")] = None,
    period: Annotated[str, Field(description="Another length, such as `4 weeks`; the report's own if empty.")] = "",
    notify: Annotated[
        str, Field(description="A notification block that is told, such as `slack-webhook/monday`; nobody if empty.")
    ] = "",
) -> ReportSummary:
    """Make one report."""
    # A block that is not there is told before the work, not after it.
    block = load_block(notify) if notify else None
    settings = load_settings()
    with open_connections(settings) as connections:
        definition = load_report(report, connections.report_folders)
        if period:
            definition = check_definition("--period", definition.model_dump() | {"period": period}, Report)
        made = write_report(connections, definition, as_of)
    trend = next((each for each in made.answers.all() if each.question and each.question.chart == "trend"), None)
    summary = ReportSummary(
        report=definition.name,
        id=made.id,
        page=made.page.resolve(),
        csvs=made.csvs,
        period=made.answers.period,
        comments=made.findings.headline.comments,
        sentences=made.sentences,
        trend={cell.values[0]: cell.value for cell in trend.cells} if trend else {},
        praised={term.label: term.count("positive") for term in made.findings.praised},
        blamed={term.label: term.count("negative") for term in made.findings.blamed},
    )
    publish_report(summary.report, definition.title, summary.page.as_uri())
    if block:
        deliver(block, definition.title, summary, settings.reports_url)
    return summary
