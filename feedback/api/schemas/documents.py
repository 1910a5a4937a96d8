"""Documents as sent and as analysed, and what is left of those that were erased."""

from typing import Literal

from pydantic import Field

from feedback.api.schemas.common import Identifier, Model, Opinion, Timestamp, Value


class MetadataBody(Model):
    """A metadata value of a document."""

    code: str
    value: Value


class DocumentBody(Model):
    """A document as sent; `lang` and `type` default to the dataset's."""

    external_id: str = Field(description="1 to 512 bytes, unique in the dataset.")
    content: str = Field(max_length=100_000)
    lang: str | None = None
    type: str | None = None
    metadata: list[MetadataBody] = Field(default=[])


class OffsetRecord(Model):
    """A span in Unicode code points, end exclusive."""

    begin: int
    end: int


class EnrichmentRecord(Model):
    """A term found in a text."""

    term: str = Field(examples=["customer_service__NOUN__1"])
    opinion: Opinion
    offset: OffsetRecord


class TopicRecord(Model):
    """A topic a text speaks about."""

    code: str
    label: str
    opinion: Opinion


class DocumentRecord(Model):
    """An analysed document."""

    id: Identifier
    external_id: str
    lang: str
    type: str
    content: str
    metadata: list[MetadataBody]
    state: Literal["ANALYZED"]
    enrichments: list[EnrichmentRecord]
    topics: list[TopicRecord]
    classifiers: dict[str, str]
    analysis_version: str
    created_at: Timestamp
    updated_at: Timestamp
    last_opinion_enrichment: Timestamp


class ErasureRecord(Model):
    """An erased external id."""

    external_id: str
    erased_at: Timestamp
