"""A synchronous client of the service's interface, for pipelines and scripts; it shares no schema with the server."""

from feedback.client.errors import ClientError, Permanent, Transient
from feedback.client.http import FeedbackClient
from feedback.client.models import (
    Aggregation,
    Dataset,
    Document,
    DocumentError,
    Enrichment,
    Erasure,
    Import,
    MetadataDefinition,
    Page,
    Topic,
    Webhook,
)

__all__ = [
    "Aggregation",
    "ClientError",
    "Dataset",
    "Document",
    "DocumentError",
    "Enrichment",
    "Erasure",
    "FeedbackClient",
    "Import",
    "MetadataDefinition",
    "Page",
    "Permanent",
    "Topic",
    "Transient",
    "Webhook",
]
