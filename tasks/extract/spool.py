"""Batches on their way to the service, as the very bytes that are posted: a repeated post is the same post."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Batch:
    """One import to be: its number from 1, the file of its body, the body's hash, and how many documents it holds."""

    number: int
    path: Path
    body_hash: str
    documents: int


class Spool:
    """Writes documents into batch files of a given size."""

    def __init__(self, folder: Path, batch_size: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._batch_size = batch_size
        self._bodies: list[bytes] = []
        self._manifest: list[tuple[str, int]] = []
        self._batches: list[Batch] = []

    def add(self, documents: list[dict[str, Any]], lines: list[int]) -> None:
        """Add documents, each with the line it came from."""
        for document, line in zip(documents, lines, strict=True):
            self._bodies.append(msgspec.json.encode(document))
            self._manifest.append((document["externalId"], line))
            if len(self._bodies) == self._batch_size:
                self._flush()

    def close(self) -> list[Batch]:
        """Write what is left; all batches in order."""
        if self._bodies:
            self._flush()
        return self._batches

    def _flush(self) -> None:
        number = len(self._batches) + 1
        body = b'{"documents":[' + b",".join(self._bodies) + b"]}"
        path = self._folder / f"{number:06}.json"
        path.write_bytes(body)
        path.with_suffix(".manifest").write_bytes(msgspec.json.encode(self._manifest))
        self._batches.append(Batch(number, path, hashlib.sha256(body).hexdigest(), len(self._bodies)))
        self._bodies, self._manifest = [], []
