"""External ids that are unique in a file and the same on every load, with a memory that does not grow with the file."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

KEY_BYTES = 16
CACHE_KIB = 16_384
MAX_ID_BYTES = 512


def content_hash(cells: Sequence[str]) -> str:
    """An id made of some cells of a row: 24 hex characters; where one cell ends and the next begins matters."""
    digest = hashlib.blake2b(digest_size=12)
    for cell in cells:
        encoded = cell.strip().encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def numbered(made: str, occurrence: int) -> str:
    """The id of the nth row with the same hash: the first keeps the bare hash, twins get -2, -3 and so on."""
    return made if occurrence == 1 else f"{made}-{occurrence}"


class Occurrences:
    """Counts how often each key came, on disk: 24 bytes a key, a fixed cache, dropped at the end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        path.unlink(missing_ok=True)
        self._db = sqlite3.connect(path, isolation_level=None)
        # What is counted here can be counted again from the file, so nothing has to survive a crash.
        self._db.executescript(
            f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{CACHE_KIB};"
            "CREATE TABLE seen (key BLOB PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID;"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()
        self._path.unlink(missing_ok=True)

    def count(self, keys: Sequence[str]) -> list[int]:
        """For each key in turn, the how-manieth of its kind it is, from 1."""
        digests = [
            hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest() for key in keys
        ]
        self._db.execute("BEGIN")
        try:
            found = [self._next(digest) for digest in digests]
        finally:
            self._db.execute("COMMIT")
        return found

    def _next(self, digest: bytes) -> int:
        sql = "INSERT INTO seen VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET times = times + 1 RETURNING times"
        return int(self._db.execute(sql, (digest,)).fetchone()[0])
