"""Reads files for tests, and shows what came of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from config.feed import Feed
from tasks.extract.extraction import Extraction, Place, extract, read_batch
from tasks.extract.quarantine import Rejected, read_quarantine

MakeFeed = Callable[..., Feed]
HEADER = "id,text,score,day\n"


class Reading:
    """Reads files in a folder and shows what came of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, content: str | bytes, name: str = "visits.csv") -> str:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def read(self, feed: Feed, content: str | bytes, name: str = "visits.csv") -> Extraction:
        return self.load(feed, self.write(content, name))

    def load(self, feed: Feed, path: str, **given: Any) -> Extraction:
        return extract(feed, path, Place(self.folder / "work", self.folder / "quarantine"), **given)

    def documents(self, extraction: Extraction) -> list[dict[str, Any]]:
        return [each for batch in extraction.batches for each in json.loads(read_batch(batch)[0])["documents"]]

    def lines(self, extraction: Extraction) -> dict[str, int]:
        return dict(pair for batch in extraction.batches for pair in read_batch(batch)[1])

    def rejects(self, extraction: Extraction) -> list[Rejected]:
        return list(read_quarantine(extraction.quarantine)) if extraction.quarantine else []


def metadata_of(document: dict[str, Any]) -> dict[str, Any]:
    return {each["code"]: each["value"] for each in document["metadata"]}
