"""Webhooks and their notifications."""

from typing import Literal

from pydantic import Field

from feedback.api.schemas.common import Identifier, Model, Timestamp


class WebhookBody(Model):
    """An address to be told of an event; without `datasetId`, of that event in every dataset."""

    url: str = Field(max_length=2048, description="http:// or https://, outside private and special ranges.")
    event: Literal["ENDED_IMPORT"]
    dataset_id: Identifier | None = None


class WebhookRecord(Model):
    """A registered webhook."""

    id: Identifier
    url: str
    event: Literal["ENDED_IMPORT"]
    dataset_id: Identifier | None
    state: Literal["ACTIVE", "DISABLED"]
    failing_since: Timestamp | None = Field(description="Of the first failed attempt since one succeeded.")
    created_at: Timestamp
    updated_at: Timestamp


class WebhookWithSecret(WebhookRecord):
    """A webhook with the secret that signs its notifications, which is shown this once."""

    secret: str = Field(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])


class DeliveryRecord(Model):
    """A notification and what became of it. `id` is its `webhook-id`, the same in every attempt."""

    id: Identifier
    webhook_id: Identifier
    import_id: Identifier
    state: Literal["PENDING", "DELIVERED", "FAILED"]
    attempts: int
    last_status: int | None = Field(description="The status of the receiver's last answer; null: none came.")
    last_error: str | None
    created_at: Timestamp
    updated_at: Timestamp
    next_attempt_at: Timestamp | None = Field(None, description="Absent once the notification has ended.")
    ended_at: Timestamp | None = Field(None, description="Absent until the notification has ended.")
