"""A webhook: an address of a client's own that is told of events, and what became of each notification."""

from enum import StrEnum

import msgspec

MAX_WEBHOOKS = 100
"""How many webhooks an organisation may register."""


class Event(StrEnum):
    """What a webhook can be registered on."""

    ENDED_IMPORT = "ENDED_IMPORT"


class WebhookState(StrEnum):
    """DISABLED: the receiver answered 410, or failed for days; nothing is sent until it is enabled again."""

    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"


class DeliveryState(StrEnum):
    """PENDING until the receiver answers 2xx, or the schedule of retries is exhausted."""

    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"


class Webhook(msgspec.Struct, frozen=True):
    """A registered webhook. Times are epoch milliseconds; `dataset_id` None: all datasets of the organisation."""

    id: str
    dataset_id: str | None
    url: str
    event: Event
    state: WebhookState
    failing_since: int | None
    created_at: int
    updated_at: int


class Delivery(msgspec.Struct, frozen=True):
    """A notification and what became of it; `next_at` says when a PENDING one is tried next."""

    id: str
    webhook_id: str
    import_id: str
    state: DeliveryState
    attempts: int
    next_at: int
    last_status: int | None
    last_error: str | None
    created_at: int
    updated_at: int
    ended_at: int | None
