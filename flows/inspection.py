"""Shows in a terminal what a feed makes of a file, and drafts feeds; neither speaks to anybody."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table
from rich.text import Text

from config.definitions import DefinitionError, Problem
from config.feed import Feed, Kind, load_feed
from config.settings import load_settings
from tasks.connections import Connections
from tasks.extract.draft import draft_feed
from tasks.extract.profile import FieldProfile, Profile, profile

FREQUENT = 4
SUMMER = datetime(2026, 7, 1)  # noqa: DTZ001 a wall-clock time, to be read in any zone


def check_source(feed: str, source: str) -> None:
    """Print the profile of a file seen through a feed; exit code 1 when a load would stop."""
    connections = Connections(load_settings())
    definition = load_feed(feed, connections.feed_folders)
    path = source or definition.source.path
    if not path:
        raise DefinitionError(feed, [Problem("source.path", "is not set; say which file to check")])
    found = profile(definition, path, connections.settings.work_dir)
    console = Console()
    _show(console, found)
    for told in shifted_days(definition):
        console.print(Text(told, style="yellow"))
    if found.too_many:
        console.print(Text(found.too_many, style="red"))
        raise SystemExit(1)


def shifted_days(feed: Feed) -> list[str]:
    """What to know of days without an hour whose zone makes them begin in the day before."""
    zoned = [
        (code, field.zone or feed.zone)
        for code, field in feed.metadata.items()
        if field.type is Kind.DATETIME and field.format and not any(map(_may_hold_hours, field.format))
    ]
    return [
        f"{code}: reports count days in UTC, where a day in {zone} begins the day before; without a zone it does not"
        for code, zone in zoned
        if (SUMMER.replace(tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()) > timedelta()
    ]


def _may_hold_hours(form: str) -> bool:
    return form in {"iso", "excel"} or "%H" in form or "%I" in form


def draft_source(source: str) -> str:
    """The text of a drafted feed."""
    return draft_feed(source)


def _show(console: Console, found: Profile) -> None:
    extraction = found.extraction
    written = f"{extraction.encoding}, delimiter {extraction.delimiter!r}"
    console.print(f"[bold]{extraction.source}[/bold] ({written}) as feed [bold]{extraction.feed}[/bold]")
    console.print(f"{extraction.rows} rows: {extraction.accepted} documents, {extraction.rejected} rejected")
    if extraction.new_columns:
        console.print(f"New columns: {', '.join(extraction.new_columns)}")
    if extraction.accepted:
        shortest, longest, total = found.lengths
        console.print(f"Texts of {shortest} to {longest} characters, {total / extraction.accepted:.0f} on average")
        languages = ", ".join(f"{lang} {count}" for lang, count in found.languages.most_common(8))
        console.print(f"Languages: {languages}\n")
        console.print(_fields(found))
    for reason, count in extraction.reasons.most_common():
        console.print(Text(f"rejected {count}x: {reason}", style="yellow"))
    for reject in found.examples:
        console.print(Text(f"  line {reject.line}: {reject.reason}", style="dim"), soft_wrap=True)


def _fields(found: Profile) -> Table:
    table = Table("Field", "Type", "Filled", "Values", box=None, header_style="dim")
    for code, each in found.fields.items():
        share = each.filled / found.extraction.accepted
        table.add_row(code, each.type, f"{share:.0%}", _values(each))
    return table


def _values(each: FieldProfile) -> str:
    if not each.filled:
        return "none"
    if each.ranged:
        return f"{each.lowest} to {each.highest}"
    frequent = ", ".join(f"{value} ({count})" for value, count in each.values.most_common(FREQUENT))
    return frequent + (" ..." if len(each.values) > FREQUENT else "")
