"""Imports, the errors of their documents, and what a re-analysis changed."""

from typing import Literal

from pydantic import Field

from feedback.api.schemas.common import Identifier, Model, Timestamp
from feedback.api.schemas.documents import DocumentBody


class ImportBody(Model):
    """A batch of any number of documents."""

    documents: list[DocumentBody]


class DocumentErrorRecord(Model):
    """Why a document of an import was not analysed."""

    code: str
    description: str
    field: str | None
    external_id: str | None
    index: int | None = Field(description="Place of the document in the import, from 0; null: the import as a whole.")


class ImportRecord(Model):
    """An import. processed = listed + failed + superseded + erased; at COMPLETED it equals totalDocuments."""

    id: Identifier
    created_at: Timestamp
    updated_at: Timestamp
    ended_at: Timestamp | None = Field(None, description="Absent until the import has ended.")
    state: Literal["STARTED", "COMPLETED", "FAILED"]
    kind: Literal["REANALYSIS"] | None = Field(None, description="Absent for an import of documents.")
    total_documents: int
    processed_documents: int
    failed_documents: int
    superseded_documents: int
    erased_documents: int
    errors: list[DocumentErrorRecord] = Field(description="The first 1,000; GET .../errors pages all.")


class ChangeRecord(Model):
    """Something that a re-analysis found otherwise, and how often."""

    change: Literal[
        "TERM_GAINED",
        "TERM_LOST",
        "OPINION_GAINED",
        "OPINION_LOST",
        "OPINION_FLIPPED",
        "TOPIC_GAINED",
        "TOPIC_LOST",
        "TOPIC_OPINION_GAINED",
        "TOPIC_OPINION_LOST",
        "TOPIC_OPINION_FLIPPED",
        "CLASSIFIER_CHANGED",
    ]
    value: str = Field(description="The term, or the code of the topic or classifier.")
    before: str | None = Field(description="The opinion on it, or the classifier's value; null: there was none.")
    after: str | None
    count: int
