"""Turns raw documents into an accepted import: packed aside first, so that the database is locked only briefly."""

import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, Engine

from feedback.domain.imports import Import, ImportKind
from feedback.store.blocks import packed
from feedback.store.imports import accept_import

IN_MEMORY = 1024 * 1024
_HEAD = struct.Struct("<II")

Within = Callable[[Connection, Import], None]
"""What else belongs into the transaction that accepts the import."""


def accept(
    engine: Engine,
    documents: Iterable[bytes],
    *,
    dataset_id: str,
    client_id: str | None,
    spool_dir: Path,
    within: Within | None = None,
    kind: ImportKind = ImportKind.DOCUMENTS,
) -> Import:
    """Stores an import of the documents in one transaction, after all of them were read without a fault.

    What a re-analysis brings is the external ids of the documents that it is about.
    """
    with tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(spool_dir)) as file:
        total = 0
        for count, payload in packed(documents):
            file.write(_HEAD.pack(count, len(payload)))
            file.write(payload)
            total += count
        file.seek(0)
        with engine.begin() as connection:
            batch = accept_import(connection, dataset_id, client_id, total, _blocks(file), kind=kind)
            if within is not None:
                within(connection, batch)
    return batch


def _blocks(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    while head := file.read(_HEAD.size):
        count, size = _HEAD.unpack(head)
        yield count, file.read(size)
