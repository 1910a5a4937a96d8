"""The whole story on the bundled sample: service, load, collect, report, in one process and under ./demo."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from config.settings import PREFIX
from flows.service import Service, running_service

FEED = "store_reviews"
SAMPLE = Path(__file__).parents[1] / "samples" / "store_reviews.csv"
STAGES = {"read": "Reading the file", "sent": "Sending", "analysed": "Analysing", "collected": "Collecting"}
HIGHEST = 100.0
BAR = 16
INDENT = (0, 0, 0, 2)
WORDS = 8


def run_demo(folder: Path) -> None:
    """Load the sample, collect it, report on it, and say where everything lies. Safe to run twice."""
    console = Console()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    console.print("[bold]Feedback demo[/bold]: one CSV of comments, from file to report\n")
    with console.status("Starting the service ..."), running_service(folder / "service", "demo") as service:
        _point_to(service, folder)
        console.print(f"[green]✓[/green] The service runs at {service.url}")
        with console.status("Starting Prefect (its temporary server needs 10 to 15 seconds) ..."):
            flows = _flows(console)
        _tell_story(console, flows, started)


def _point_to(service: Service, folder: Path) -> None:
    chosen = {
        "SERVICE_URL": service.url,
        "CLIENT_ID": service.client_id,
        "CLIENT_SECRET": service.client_secret,
        "WAREHOUSE_URL": f"sqlite:///{folder / 'warehouse.db'}",
        "QUARANTINE_DIR": str(folder / "quarantine"),
        "REPORTS_DIR": str(folder / "reports"),
        "WORK_DIR": str(folder / "work"),
    }
    os.environ.update({PREFIX + name: value for name, value in chosen.items()})
    # The demo shall touch nobody's Prefect: its own home, its own temporary server, no words but warnings.
    os.environ["PREFECT_HOME"] = str((folder / "prefect").resolve())
    os.environ.pop("PREFECT_API_URL", None)
    os.environ["PREFECT_SERVER_ALLOW_EPHEMERAL_MODE"] = "true"
    os.environ["PREFECT_LOGGING_LEVEL"] = "WARNING"


def _flows(console: Console) -> tuple[Any, Any]:
    """The flows, imported only now that Prefect's settings stand, with Prefect's words on our console."""
    from prefect.logging.configuration import setup_logging  # noqa: PLC0415 the reason stands above

    from flows.aggregation_report import aggregation_report  # noqa: PLC0415
    from flows.load_feedback import load_feedback  # noqa: PLC0415

    setup_logging()
    for logger in (logging.getLogger(), logging.getLogger("prefect")):
        for handler in logger.handlers:
            if hasattr(handler, "console"):
                handler.console = console
    return load_feedback, aggregation_report


def _tell_story(console: Console, flows: tuple[Any, Any], started: float) -> None:
    load_feedback, aggregation_report = flows
    with _shown_progress(console):
        load = load_feedback(FEED, source=str(SAMPLE))
    again = " (loaded before, so nothing was sent)" if load.skipped else ""
    console.print(f"[green]✓[/green] {load.rows} rows: {load.accepted} documents, {load.rejected} rejected{again}")
    with console.status("Asking for figures and drawing the report ..."):
        report = aggregation_report(FEED)
    console.print(f"[green]✓[/green] Report on {report.period}, {report.comments} comments\n")
    _summarise(console, load, report)
    console.print(f"\nDone in {time.monotonic() - started:.0f} seconds; nothing is left running.")


@contextmanager
def _shown_progress(console: Console) -> Iterator[None]:
    from tasks.progress import heard_by  # noqa: PLC0415 beside the flows

    columns = (SpinnerColumn(finished_text="[green]✓[/green]"), TextColumn("{task.description}"), BarColumn(24))
    with Progress(*columns, MofNCompleteColumn(), console=console, transient=True) as bars:
        known: dict[str, TaskID] = {}
        totals: dict[str, int] = {}

        def listen(stage: str, done: int, total: int | None) -> None:
            if total:
                totals["sent"] = total
            if stage not in known:
                known[stage] = bars.add_task(STAGES.get(stage, stage), total=total)
            bars.update(known[stage], completed=done, total=total or totals.get("sent") or None)

        with heard_by(listen):
            yield


def _summarise(console: Console, load: Any, report: Any) -> None:
    for sentence in report.sentences:
        console.print(Padding(Text(sentence), INDENT))
    console.print()
    months = Table("Month", "NPS", "", box=None, pad_edge=False, header_style="dim")
    for month, value in report.trend.items():
        months.add_row(month, "–" if value is None else f"{value:+.0f}", _bar(value))
    words = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("Most praised in all of them", "", "  ", "Most blamed", ""):
        words.add_column(heading, no_wrap=True)
    praised, blamed = list(report.praised.items())[:WORDS], list(report.blamed.items())[:WORDS]
    for row in range(max(len(praised), len(blamed))):
        good = praised[row] if row < len(praised) else ("", "")
        bad = blamed[row] if row < len(blamed) else ("", "")
        words.add_row(good[0], str(good[1]), "", bad[0], str(bad[1]))
    # One below the other: beside the months the words would read as each month's own.
    for table in (months, words):
        console.print(Padding(table, INDENT))
        console.print()
    if load.reasons:
        told = ", ".join(f"{reason} {count}×" for reason, count in load.reasons.items())
        console.print(Padding(Text(f"Rejected rows by reason: {told}", style="dim"), INDENT))
        console.print()
    _place(console, "Documents", f"{load.accepted} in the warehouse's view {load.view}")
    _place(console, "Warehouse", os.environ[f"{PREFIX}WAREHOUSE_URL"])
    if load.quarantine:
        _place(console, "Quarantine", _nearby(load.quarantine))
    _place(console, "Report", _nearby(report.page), style="bold")


def _place(console: Console, name: str, value: str, style: str = "") -> None:
    # A path is copied, so it is never broken into lines.
    console.print(Text(f"  {name:12}").append(value, style), soft_wrap=True)


def _nearby(path: str | Path) -> str:
    """A path as one would type it here: relative where it lies below."""
    found, here = Path(path).resolve(), Path.cwd()
    return str(found.relative_to(here) if found.is_relative_to(here) else found)


def _bar(value: float | None) -> Text:
    if value is None:
        return Text("")
    filled = round(abs(value) / HIGHEST * BAR)
    bar = "█" * filled or "▏"
    # Where there is no colour, in a file or a pipe, the side tells the sign: to the left is below zero.
    return Text(f"{bar:>{BAR}}" if value < 0 else " " * BAR + bar, style="green" if value >= 0 else "red")
