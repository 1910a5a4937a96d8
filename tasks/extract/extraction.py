"""Reads a whole file once: batches ready to send on one side, quarantine on the other, before anything is sent."""

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import msgspec

from config.feed import Feed, Kind, Metadata
from tasks.extract.columns import Layout, resolve_columns
from tasks.extract.dialect import Dialect, UnreadableSource, inspect_source, open_text
from tasks.extract.documents import DocumentMaker, Outcome
from tasks.extract.identity import Occurrences
from tasks.extract.quarantine import Quarantine, Rejected, read_quarantine
from tasks.extract.rows import Row, Table, in_chunks, read_table
from tasks.extract.spool import Batch, Spool

REMAINS_SECONDS = 7 * 24 * 3600.0
"""How long the batches of a run that was killed may lie about; a load that takes longer than this is not foreseen."""


class TooManyRejected(Exception):
    """More rows were rejected than the feed allows; nothing was sent."""


@dataclass(slots=True)
class Extraction:
    """What came of a file. Every row is either in a batch or in quarantine: `rows == accepted + rejected`.

    `origin` is the file whose lines are counted: the source, or of a replay the file that its rows came from.
    """

    feed: str
    source: str
    file_hash: str
    encoding: str
    delimiter: str
    origin: str
    rows: int = 0
    rejected: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    batches: list[Batch] = field(default_factory=list)
    quarantine: Path | None = None
    new_columns: list[str] = field(default_factory=list)
    evolved: dict[str, Metadata] = field(default_factory=dict)

    @property
    def accepted(self) -> int:
        """Rows that became documents."""
        return self.rows - self.rejected


@dataclass(frozen=True, slots=True)
class Place:
    """Where an extraction leaves its files."""

    work: Path
    quarantine: Path


def extract(
    feed: Feed,
    source: str,
    place: Place,
    *,
    batch_size: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Extraction:
    """Read a file, or replay a quarantine file (`*.jsonl`).

    Raises `TooManyRejected`, `UnreadableSource` and `DefinitionError`; in each case nothing is left to send.
    """
    with ExitStack() as stack:
        reading = stack.enter_context(_open(feed, source))
        dialect = reading.dialect
        result = Extraction(
            feed.name, source, dialect.file_hash, dialect.encoding, dialect.delimiter, reading.origin or source
        )
        folder = _own_folder(place.work, feed.name)
        stack.enter_context(_removed_on_failure(folder))
        result.new_columns = reading.layout.new
        occurrences = stack.enter_context(Occurrences(folder / "ids.db"))
        maker = DocumentMaker(feed, reading.layout, occurrences)
        result.evolved = _evolve(feed, maker, reading.layout)
        path = place.quarantine / f"{feed.name}-{PurePath(source).stem}-{result.file_hash[:8]}.jsonl"
        quarantine = stack.enter_context(Quarantine(path, result.origin, reading.layout.header, result.delimiter))
        spool = Spool(folder, batch_size or feed.batch_size)
        for chunk in in_chunks(reading.table.rows):
            _take(maker.make(chunk), len(chunk), result, quarantine, spool)
            progress(result.rows)
        result.batches = spool.close()
        result.quarantine = path if result.rejected else None
    _refuse_if_too_many(feed, result, folder)
    return result


def _own_folder(work: Path, feed: str) -> Path:
    """A new folder for this run alone, so two loads of one file do not disturb each other; old remains are removed.

    What a killed run left is of no use to the next, which reads the file again and comes to the same batches.
    """
    work.mkdir(parents=True, exist_ok=True)
    for left in work.glob(f"{feed}-*"):
        with suppress(OSError):  # Another run may have removed it just now.
            if time.time() - left.stat().st_mtime > REMAINS_SECONDS:
                shutil.rmtree(left)
    return Path(tempfile.mkdtemp(prefix=f"{feed}-", dir=work))


@contextmanager
def _removed_on_failure(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _take(outcome: Outcome, rows: int, result: Extraction, quarantine: Quarantine, spool: Spool) -> None:
    result.rows += rows
    result.rejected += len(outcome.rejects)
    result.reasons.update(_summary(reject) for reject in outcome.rejects)
    quarantine.write(outcome.rejects)
    spool.add(outcome.documents, outcome.lines)


def _summary(reject: Rejected) -> str:
    return f"{reject.code} ({reject.column})" if reject.column else reject.code


def _refuse_if_too_many(feed: Feed, result: Extraction, folder: Path) -> None:
    # Of a quarantine file every row was rejected once: what was mended is sent, whatever else is still to be mended.
    share = result.rejected / result.rows if result.rows else 0.0
    if share <= feed.max_rejected_share or is_replay(result.source):
        return
    shutil.rmtree(folder, ignore_errors=True)
    reasons = ", ".join(f"{reason} {count}x" for reason, count in result.reasons.most_common(5))
    raise TooManyRejected(
        f"{result.rejected} of {result.rows} rows of {result.source} were rejected, more than the "
        f"{feed.max_rejected_share:.0%} that the feed allows (max_rejected_share); nothing was sent. "
        f"Reasons: {reasons}. The rows are in {result.quarantine}"
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    dialect: Dialect
    layout: Layout
    table: Table
    origin: str = ""


def is_replay(source: str) -> bool:
    """Whether a source is a quarantine file."""
    return source.endswith(".jsonl")


@contextmanager
def _open(feed: Feed, source: str) -> Iterator[_Reading]:
    dialect = inspect_source(source, feed.source)
    if is_replay(source):
        yield _replay(feed, Path(source), dialect)
        return
    with open_text(source, dialect.encoding) as lines:
        table = read_table(lines, feed.source, dialect.delimiter)
        if not table.header:
            raise UnreadableSource(f"{source}: the file is empty, it does not even name its columns")
        yield _Reading(dialect, resolve_columns(feed, table.header), table)


def _replay(feed: Feed, path: Path, dialect: Dialect) -> _Reading:
    first = next(read_quarantine(path), None)
    header, delimiter = (list(first.header), first.delimiter) if first else ([], dialect.delimiter)
    table = Table(header, (_replayed(feed, reject) for reject in read_quarantine(path)))
    written = Dialect("utf-8", delimiter, dialect.file_hash, dialect.size)
    return _Reading(written, resolve_columns(feed, header), table, first.file if first else "")


def _replayed(feed: Feed, reject: Rejected) -> Row:
    """The row of a quarantine record, perhaps mended by hand, with the line it had in its own file."""
    plain = feed.source.model_copy(update={"header": False, "columns": list(reject.header), "skip_rows": 0})
    rows = list(read_table(reject.raw.splitlines(keepends=True), plain, reject.delimiter).rows)
    refused = reject.external_id if reject.code == "duplicate_external_id" else None
    if len(rows) != 1:
        return Row([], reject.line, reject.raw, rows[0].fault if rows else "the row is empty")
    return Row(rows[0].cells, reject.line, reject.raw, rows[0].fault, reject.occurrence, refused)


def _evolve(feed: Feed, maker: DocumentMaker, layout: Layout) -> dict[str, Metadata]:
    """Columns the feed does not know, as String metadata, when it says that it evolves."""
    if feed.on_new_column != "evolve":
        return {}
    found = {}
    for name in layout.new:
        code = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name.lower())[:64]
        found[code] = Metadata(type=Kind.STRING, column=[name], max_length=1000)
        layout.position[name] = layout.header.index(name)
    maker.metadata.update(found)
    return found


def read_batch(batch: Batch) -> tuple[bytes, list[tuple[str, int]]]:
    """The body of a batch as it is sent, and the external id and line of each of its documents."""
    manifest = msgspec.json.decode(batch.path.with_suffix(".manifest").read_bytes(), type=list[tuple[str, int]])
    return batch.path.read_bytes(), manifest
