"""`python -m flows`: every flow by hand, and the tools to write a feed."""

import logging
import signal
import sys
from datetime import date
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from config.definitions import DefinitionError
from feedback.client import ClientError

app = typer.Typer(
    name="python -m flows",
    help="Load feedback, collect what was analysed, report on it: the flows by hand, without a Prefect server.",
    epilog="Start with: python -m flows demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

INDENT, LINE = 13, 107

FeedName = Annotated[str, typer.Argument(help="Name of a feed in config/feeds, or the path of its YAML file.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print the summary as one line of JSON.")]


class Waiting(StrEnum):
    """What happens after sending."""

    NONE = "none"
    POLL = "poll"
    WEBHOOK = "webhook"


class Graining(StrEnum):
    """How long a partition is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


def _flow(module: str, name: str) -> Any:
    """A flow, imported when it is needed: Prefect takes two seconds, and `--help` shall not."""
    return getattr(import_module(f"flows.{module}"), name)


def _show(summary: Any, *, as_json: bool) -> None:
    if as_json:
        typer.echo(summary.model_dump_json())
        return
    for name, value in summary.model_dump(mode="json").items():
        if lines := _lines(value):
            typer.echo(f"{name.replace('_', ' '):{INDENT}}{lines[0]}")
            for line in lines[1:]:
                typer.echo(" " * INDENT + line)


def _lines(value: Any) -> list[str]:
    """A value of a summary as lines to read; none for what says nothing."""
    if isinstance(value, dict):
        told = [f"{key}\xa0{_plain(each)}" for key, each in value.items() if each is not None]
        return [line.replace("\xa0", " ") for line in wrap(", ".join(told), LINE)]
    if isinstance(value, list):
        return [line for each in value for line in _lines(each)]
    return [] if value is None or value is False or value == "" else [_plain(value)]


def _plain(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo keeps everything it writes.")] = Path("demo"),
) -> None:
    """Show the whole story on the bundled sample: service, load, warehouse, report. Takes half a minute."""
    _flow("demonstration", "run_demo")(folder)


@app.command()
def check(
    feed: FeedName,
    source: Annotated[str, typer.Argument(help="The file; the feed's own path when not given.")] = "",
) -> None:
    """Look at a file through a feed and send nothing: rows, rejects by reason, fields, languages, dates."""
    _flow("inspection", "check_source")(feed, source)


@app.command()
def draft(source: Annotated[str, typer.Argument(help="A CSV nobody has written a feed for.")]) -> None:
    """Draft a feed from a file, to be read and edited by a person.

    python -m flows draft reviews.csv > config/feeds/reviews.yaml
    """
    typer.echo(_flow("inspection", "draft_source")(source), nl=False)


@app.command()
def load(
    feed: FeedName,
    *,
    source: Annotated[str, typer.Option(help="The file to load; the feed's own path when not given.")] = "",
    partition: Annotated[str, typer.Option(help="Stands for {partition} in the feed's path.")] = "",
    wait: Annotated[
        Waiting, typer.Option(help="After sending: nothing, poll, or leave it to the webhook.")
    ] = Waiting.POLL,
    batch_size: Annotated[int | None, typer.Option(help="Documents an import.", min=1)] = None,
    generation: Annotated[int, typer.Option(help="A higher number loads a file again that was loaded.", min=0)] = 0,
    replay: Annotated[str, typer.Option(help="A quarantine file whose rows were mended.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and quarantine only; send nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Load a file of feedback and bring the analysed documents into the warehouse.

    python -m flows load hotels --source reviews.csv
    """
    run = _flow("load_feedback", "load_feedback")
    options = {"partition": partition, "wait": wait.value, "batch_size": batch_size, "generation": generation}
    _show(run(feed, source=replay or source, dry_run=dry_run, **options), as_json=as_json)


@app.command()
def collect(dataset_id: str, import_id: str, *, as_json: JsonFlag = False) -> None:
    """Bring one import that has ended into the warehouse. Safe to repeat."""
    _show(_flow("collect_import", "collect_import")(dataset_id, import_id), as_json=as_json)


@app.command()
def sweep(
    older_than: Annotated[
        int, typer.Option(help="Seconds since the post; younger imports are left alone.", min=0)
    ] = 60,
    *,
    as_json: JsonFlag = False,
) -> None:
    """Settle what is open: imports whose notification was lost, overdue ones, erasures to follow."""
    _show(_flow("sweep_imports", "sweep_imports")(older_than=older_than), as_json=as_json)


@app.command()
def report(
    name: Annotated[str, typer.Argument(help="Name of a report in config/reports, or the path of its YAML file.")],
    as_of: Annotated[str, typer.Option(help="The period's last day, as 2026-10-31.")] = "",
    period: Annotated[str, typer.Option(help="Another length, such as `4 weeks`.")] = "",
    notify: Annotated[
        str, typer.Option(help="A Prefect notification block to tell, such as `slack-webhook/monday`.")
    ] = "",
    *,
    as_json: JsonFlag = False,
) -> None:
    """Make a report: a page to read, a CSV a question, the same as rows in the warehouse."""
    day = _day(as_of) if as_of else None
    _show(
        _flow("aggregation_report", "aggregation_report")(name, as_of=day, period=period, notify=notify),
        as_json=as_json,
    )


@app.command()
def backfill(
    feed: FeedName,
    start: Annotated[str, typer.Argument(help="The first day, as 2026-01-01.")],
    end: Annotated[str, typer.Argument(help="The last day.")],
    *,
    grain: Annotated[Graining, typer.Option(help="How long a partition is.")] = Graining.MONTH,
    max_parallel: Annotated[int, typer.Option(help="Partitions loaded at the same time.", min=1, max=16)] = 1,
    generation: Annotated[int, typer.Option(help="A higher number loads again what was loaded.", min=0)] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Load the past of a feed whose path holds {partition}; what was loaded before is skipped."""
    days = _day(start), _day(end)
    options = {"grain": grain.value, "max_parallel": max_parallel, "generation": generation, "dry_run": dry_run}
    _show(_flow("backfill", "backfill")(feed, *days, **options), as_json=as_json)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day; write it as 2026-10-31") from None


def main() -> None:
    """Run a command; what a user can mend is told in sentences, not in a traceback."""
    # Without a handler of SIGTERM, Prefect's temporary server and the demo's service would outlive this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for runs in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(runs).addFilter(unlike_told)
    try:
        app()
    except DefinitionError as error:
        typer.secho(str(error), err=True, fg="red")
        raise SystemExit(2) from None
    except Exception as error:
        if not isinstance(error, _told()):
            raise
        # Of a database's error only its own words: the statement around them says nothing to who runs a load.
        typer.secho(f"{getattr(error, 'orig', None) or error}{advice_on(error)}", err=True, fg="red")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        typer.secho("Stopped.", err=True)
        raise SystemExit(130) from None


def unlike_told(record: logging.LogRecord) -> bool:
    """Whether a record says more than the sentence at the end; Prefect logs what ends a run with a traceback."""
    return not (record.exc_info and isinstance(record.exc_info[1], _told()))


def advice_on(error: Exception) -> str:
    """What to look at, where the client cannot know the names of the settings that lead to the service."""
    if not isinstance(error, ClientError):
        return ""
    if any(code in {"invalid_client", "invalid_token"} for code in error.codes):
        return "\nFEEDBACK_PIPELINE_CLIENT_ID and FEEDBACK_PIPELINE_CLIENT_SECRET name the client of this service."
    if "forbidden_target" in error.codes:
        return "\nFEEDBACK_WEBHOOK_ALLOWED_HOSTS, set for the service, names private hosts that it may notify."
    return (
        "" if error.status else "\nIs the service running? FEEDBACK_PIPELINE_SERVICE_URL says where it is looked for."
    )


def _told() -> tuple[type[Exception], ...]:
    """The errors whose message is meant for the user."""
    names = {
        "sqlalchemy.exc": ["DBAPIError"],
        "tasks.extract.dialect": ["UnreadableSource"],
        "tasks.extract.extraction": ["TooManyRejected"],
        "tasks.collect": ["ImportFailed", "NotYetEnded", "UnknownImport", "Unreconciled"],
        "tasks.wait": ["ImportOverdue"],
        "tasks.warehouse.database": ["NewerWarehouse", "UnusableWarehouse"],
        "flows.service": ["ServiceDown"],
        "flows.sweep_imports": ["Unsettled"],
        "flows.backfill": ["Incomplete"],
    }
    told = [getattr(import_module(module), name) for module, found in names.items() for name in found]
    return DefinitionError, ClientError, *told


if __name__ == "__main__":
    main()
