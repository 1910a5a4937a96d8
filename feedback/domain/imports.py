"""An import: a batch of documents on its way through the analysis, and what became of each."""

from enum import StrEnum

import msgspec

MAX_SHOWN_ERRORS = 1000
"""How many errors the import record itself shows; the list of errors pages all of them."""


class ImportState(StrEnum):
    """STARTED until the last document is dealt with; FAILED where the import as a whole could not be processed."""

    STARTED = "STARTED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


class ImportKind(StrEnum):
    """DOCUMENTS brings documents; REANALYSIS analyses those that are there once more."""

    DOCUMENTS = "DOCUMENTS"
    REANALYSIS = "REANALYSIS"


class DocumentError(msgspec.Struct, frozen=True, rename="camel"):
    """Why one document of an import was not analysed. `index` is its place in the import, from 0."""

    code: str
    description: str
    field: str | None
    external_id: str | None
    index: int


class Import(msgspec.Struct, frozen=True):
    """The record of an import. Times are epoch milliseconds.

    processed = analysed + failed + superseded + erased, at any time; it equals total at the end.
    """

    id: str
    dataset_id: str
    seq: int
    state: ImportState
    total: int
    processed: int
    failed: int
    superseded: int
    erased: int
    created_at: int
    updated_at: int
    ended_at: int | None = None
    failure: str | None = None
    kind: ImportKind = ImportKind.DOCUMENTS

    @property
    def listed(self) -> int:
        """How many documents the import's list holds."""
        return self.processed - self.failed - self.superseded - self.erased
