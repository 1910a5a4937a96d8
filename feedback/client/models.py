"""What the service replies, read tolerantly: unknown members are ignored, unknown states are plain words."""

from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

COMPLETED = "COMPLETED"
FAILED = "FAILED"
ENDED = frozenset({COMPLETED, FAILED})


class _Reply(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A reply's members are named in camel case."""


class Page(_Reply, Generic[T], frozen=True, kw_only=True):
    """One page of a list; `page` counts from 1."""

    items: list[T]
    total: int = 0
    page: int = 1
    page_size: int = 0


class MetadataDefinition(_Reply, frozen=True, kw_only=True):
    """One metadata field that the dataset declares."""

    code: str
    type: str
    mandatory: bool = False
    personal_data: bool = False
    allowed_values: list[Any] = []
    bounds: dict[str, float] | None = None
    max_length: int | None = None


class Dataset(_Reply, frozen=True, kw_only=True):
    """A dataset as the service keeps it."""

    id: str
    name: str
    lang: str = ""
    type: str = ""
    industry: str = ""
    state: str = ""
    metadata_definitions: list[MetadataDefinition] = []
    created_at: datetime | None = None
    updated_at: datetime | None = None


class DocumentError(_Reply, frozen=True, kw_only=True):
    """Why one document of an import was not taken."""

    code: str = ""
    description: str = ""
    field: str | None = None
    external_id: str | None = None
    index: int | None = None


class Import(_Reply, frozen=True, kw_only=True):
    """An import; a state that is not in `ENDED` means: not yet."""

    id: str
    state: str = ""
    total_documents: int = 0
    processed_documents: int = 0
    failed_documents: int = 0
    superseded_documents: int = 0
    erased_documents: int = 0
    errors: list[DocumentError] = []
    created_at: datetime | None = None
    updated_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether the service has done all it will do with the import."""
        return self.state in ENDED


class Offset(_Reply, frozen=True, kw_only=True):
    """A span in Unicode code points, end exclusive."""

    begin: int
    end: int


class Enrichment(_Reply, frozen=True, kw_only=True):
    """A term of a document, the opinion on it and where it stands."""

    term: str
    opinion: str
    offset: Offset

    @property
    def label(self) -> str:
        """The words of the term: `customer_service__NOUN__1` reads `customer service`."""
        return self.term.rsplit("__", 2)[0].replace("_", " ")


class Topic(_Reply, frozen=True, kw_only=True):
    """A topic that a document speaks about."""

    code: str
    label: str = ""
    opinion: str = ""


class MetadataValue(_Reply, frozen=True, kw_only=True):
    """One metadata value of a document."""

    code: str
    value: Any = None


class Document(_Reply, frozen=True, kw_only=True):
    """An analysed document."""

    id: str
    external_id: str
    content: str = ""
    lang: str = ""
    type: str = ""
    state: str = ""
    metadata: list[MetadataValue] = []
    enrichments: list[Enrichment] = []
    topics: list[Topic] = []
    classifiers: dict[str, Any] = {}
    analysis_version: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_opinion_enrichment: datetime | None = None


class Erasure(_Reply, frozen=True, kw_only=True):
    """A document that was erased, and when."""

    external_id: str
    erased_at: datetime


class Webhook(_Reply, frozen=True, kw_only=True):
    """A registered webhook; the service shows `secret` once, in the reply that made it."""

    id: str
    url: str = ""
    event: str = ""
    dataset_id: str | None = None
    secret: str | None = None


class DimensionValue(_Reply, frozen=True, kw_only=True):
    """The value of one dimension in a combination; `id` and `polarity` only for terms and topics."""

    field: str
    value: str
    id: str | None = None
    polarity: str | None = None


class Figure(_Reply, frozen=True, kw_only=True):
    """One number; None where there was nothing to aggregate. `volume` counts documents."""

    value: float | None = None
    volume: int = 0
    dimensions: list[DimensionValue] = []


class AggregatedPeriod(_Reply, frozen=True, kw_only=True):
    """The figures of one period."""

    period: dict[str, Any] = {}
    total: Figure = Figure()
    values: list[Figure] = []


class Aggregation(_Reply, frozen=True, kw_only=True):
    """The reply to an aggregation request, one element a period."""

    field: str = ""
    type: str = ""
    periods: list[AggregatedPeriod] = []


class Token(msgspec.Struct, frozen=True):
    """An access token and how long it lives, in seconds."""

    access_token: str
    expires_in: float = 3600.0
