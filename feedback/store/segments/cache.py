"""Decoded segments in a local directory, memory-mapped and shared by the processes of a machine."""

import fcntl
import mmap
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from sqlalchemy import Connection, LargeBinary, func, select

from feedback.store.segments.bitmaps import MOST, bitmaps_of
from feedback.store.segments.decode import Segment
from feedback.store.segments.encode import decompress
from feedback.store.segments.layout import Outline, outline_in, pack, unpack
from feedback.store.segments.periods import periods_of
from feedback.store.tables import instance, segments

SUFFIX = ".segment"
# Part of a file's name, so that files with other arrays in them are made anew.
FORMAT = 4
BATCH = 16
# Outlines asked for at once, and bytes enough for one of fifty columns.
OUTLINES, HEAD = 1_000, 4_096
# A temporary file as old as this was left behind by a process that died.
ABANDONED_SECONDS = 3_600
# How often files are compared with the segments that there are, and how young one may be news of which a reader does
# not know yet.
TIDY_SECONDS, NEWS_SECONDS = 3_600, 60


class SegmentGone(LookupError):
    """Compaction has replaced a segment since the snapshot that named it; a newer snapshot knows what by."""


class SegmentCache:
    """Loads segments from the directory, else from the database, of which it then keeps a file each.

    A file is written aside, flushed to disk, and renamed to a name that says which database, segment and content it is;
    it is never changed afterwards. Files not used for longest go first when the directory outgrows its budget; those of
    segments that are no more go when `tidy` finds them.
    """

    def __init__(self, directory: Path | None, budget: int, bitmaps: int = MOST) -> None:
        """Without a directory, decoded segments are held in memory. `bitmaps`: at most so many a column."""
        self.directory = directory
        self.budget = budget
        self.bitmaps = bitmaps
        self._prefix: str | None = None
        self._tidied = float("-inf")
        self._publisher = ThreadPoolExecutor(1, "segment-cache")
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)

    def load(
        self,
        connection: Connection,
        wanted: Sequence[tuple[int, str]],
        load_all: Callable[..., Iterable[Segment]] = map,
    ) -> dict[int, Segment]:
        """The wanted (id, checksum) segments by id."""
        found: dict[int, Segment] = {}
        missing = []
        for identifier, checksum in wanted:
            segment = self._mapped(connection, identifier, checksum)
            if segment is None:
                missing.append((identifier, checksum))
            else:
                found[identifier] = segment
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            payloads = dict(self._payloads(connection, [identifier for identifier, _ in batch]))
            if len(payloads) < len(batch):
                raise SegmentGone(sorted({identifier for identifier, _ in batch} - payloads.keys()))
            jobs = [(identifier, checksum, payloads[identifier]) for identifier, checksum in batch]
            found |= {segment.id: segment for segment in load_all(self._decode, jobs)}
        if missing and self.directory is not None:
            with suppress(OSError):
                self._evict(self.directory)
            # What is new often takes the place of something.
            self._tidied = float("-inf")
        self.tidy(connection)
        return found

    def tidy(self, connection: Connection) -> None:
        """Remove the files of segments that were merged or deleted, as they may hold what was erased; once an hour.

        Those that an earlier version made go as well.
        """
        if self.directory is None or time.monotonic() - self._tidied < TIDY_SECONDS:
            return
        self._tidied = time.monotonic()
        prefix = f"{self._database(connection)}-"
        present = frozenset(connection.execute(select(segments.c.id)).scalars())
        newest = max(present, default=0)
        with suppress(OSError):
            for path in self.directory.glob(f"{prefix}*{SUFFIX}"):
                identifier = path.name.removeprefix(prefix).partition("-")[0]
                ours = path.name.endswith(f"-{FORMAT}{SUFFIX}")
                if not identifier.isdigit() or (ours and int(identifier) in present):
                    continue
                if int(identifier) < newest or time.time() - path.stat().st_mtime > NEWS_SECONDS:
                    path.unlink(missing_ok=True)

    def outlines(self, connection: Connection, wanted: Sequence[int]) -> dict[int, Outline]:
        """What the wanted segments say of themselves, by id: the first bytes of each are read, and nothing is kept."""
        found: dict[int, Outline] = {}
        head = func.substr(segments.c.payload, 1, HEAD, type_=LargeBinary)
        for start in range(0, len(wanted), OUTLINES):
            mine = segments.c.id.in_(wanted[start : start + OUTLINES])
            for identifier, data in connection.execute(select(segments.c.id, head).where(mine)):
                outline = outline_in(data)
                found[identifier] = outline or self._outline(connection, identifier)
        if len(found) < len(wanted):
            raise SegmentGone(sorted(set(wanted) - found.keys()))
        return found

    def _outline(self, connection: Connection, identifier: int) -> Outline:
        """The outline of a segment of many columns, or of one that an earlier version wrote."""
        _, payload = next(self._payloads(connection, [identifier]))
        return outline_in(payload) or Segment(identifier, decompress(payload)).outline

    def _payloads(self, connection: Connection, wanted: list[int]) -> Iterator[tuple[int, bytes]]:
        rows = connection.execute(select(segments.c.id, segments.c.payload).where(segments.c.id.in_(wanted)))
        yield from ((row.id, row.payload) for row in rows)

    def _decode(self, job: tuple[int, str, bytes]) -> Segment:
        identifier, checksum, payload = job
        data = prepared(decompress(payload), self.bitmaps)
        path = self._path(identifier, checksum)
        if path is None:
            return Segment(identifier, data)
        return Segment(identifier, self._store(path, data))

    def _path(self, identifier: int, checksum: str) -> Path | None:
        if self.directory is None or self._prefix is None:
            return None
        return self.directory / f"{self._prefix}-{identifier}-{checksum}-{FORMAT}{SUFFIX}"

    def _database(self, connection: Connection) -> str | None:
        if self._prefix is None:
            self._prefix = connection.execute(select(instance.c.id)).scalar()
        return self._prefix

    def _mapped(self, connection: Connection, identifier: int, checksum: str) -> Segment | None:
        if self.directory is None:
            return None
        self._database(connection)
        path = self._path(identifier, checksum)
        if path is None:
            return None
        try:
            return Segment(identifier, _map(path))
        except (OSError, ValueError):
            return None

    def _store(self, path: Path, data: bytes) -> bytes | memoryview:
        """Write the file and map it. Flushing to disk goes on behind, since the map is good before it ends."""
        try:
            with NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
                file.write(data)
                file.flush()
                mapped = _map(Path(file.name))
        except OSError:
            # A full or read-only disk costs the cache, never the answer.
            return data
        self._publisher.submit(_publish, Path(file.name), path)
        return mapped

    def _evict(self, directory: Path) -> None:
        with _locked(directory / "lock") as mine:
            if not mine:
                return
            for left in directory.glob("*.tmp"):
                if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                    left.unlink(missing_ok=True)
            files = [(path.stat(), path) for path in directory.glob(f"*{SUFFIX}")]
            used = sum(stat.st_size for stat, _ in files)
            for stat, path in sorted(files, key=lambda f: max(f[0].st_atime, f[0].st_mtime)):
                if used <= self.budget:
                    break
                # Processes that have the file mapped keep its content; only the name goes.
                path.unlink(missing_ok=True)
                used -= stat.st_size


def prepared(data: bytes, bitmaps: int = MOST) -> bytes:
    """A segment's bytes with what questions are answered faster by, and what the database need not hold."""
    header, arrays = unpack(data)
    made = periods_of(header, arrays) | bitmaps_of(header, arrays, bitmaps)
    return pack(header.documents, header.columns, arrays | made)


def _map(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _publish(temporary: Path, path: Path) -> None:
    try:
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.rename(path)
    except OSError:
        temporary.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether this process holds the directory's lock; another that does is already clearing up."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
