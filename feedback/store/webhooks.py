"""Webhooks of an organisation, and the notifications that are written in the transaction of what they tell."""

import base64
import secrets

import msgspec
from sqlalchemy import Connection, delete, func, insert, or_, select, update

from feedback.domain.identifiers import is_id, new_id
from feedback.domain.imports import ImportState
from feedback.domain.timestamps import now_ms, to_iso
from feedback.domain.webhook import MAX_WEBHOOKS, Delivery, DeliveryState, Event, Webhook, WebhookState
from feedback.errors import Code, Conflict, NotFound
from feedback.store.engine import AnyRow
from feedback.store.tables import datasets, deliveries, imports, webhooks

_WEBHOOK = [webhooks.c[name] for name in Webhook.__struct_fields__]
_DELIVERY = [deliveries.c[name] for name in Delivery.__struct_fields__]
_encode = msgspec.json.Encoder().encode


def new_signing_secret() -> str:
    """A secret in the form of Standard Webhooks: `whsec_` and 256 bits in base64."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def create_webhook(
    connection: Connection, organisation_id: str, url: str, event: Event, dataset_id: str | None
) -> tuple[Webhook, str]:
    """Registers a webhook; returns it with the secret that signs its notifications."""
    own = webhooks.c.organisation_id == organisation_id
    if (connection.scalar(select(func.count()).select_from(webhooks).where(own)) or 0) >= MAX_WEBHOOKS:
        message = f"an organisation has at most {MAX_WEBHOOKS} webhooks; delete one first"
        raise Conflict(message, code=Code.TOO_MANY)
    now, secret = now_ms(), new_signing_secret()
    webhook = Webhook(new_id(), dataset_id, url, event, WebhookState.ACTIVE, None, now, now)
    values = msgspec.structs.asdict(webhook) | {"organisation_id": organisation_id, "secret": secret}
    connection.execute(insert(webhooks).values(values))
    return webhook, secret


def get_webhook(connection: Connection, organisation_id: str, webhook_id: str) -> Webhook:
    """One webhook of an organisation; NotFound where there is none, or it belongs to another."""
    if is_id(webhook_id):
        own = (webhooks.c.id == webhook_id) & (webhooks.c.organisation_id == organisation_id)
        row = connection.execute(select(*_WEBHOOK).where(own)).first()
        if row is not None:
            return _webhook(row)
    message = f"there is no webhook {webhook_id}"
    raise NotFound(message)


def list_webhooks(connection: Connection, organisation_id: str, offset: int, limit: int) -> tuple[int, list[Webhook]]:
    """How many webhooks an organisation has, and a page of them, oldest first."""
    own = webhooks.c.organisation_id == organisation_id
    total = connection.scalar(select(func.count()).select_from(webhooks).where(own)) or 0
    page = select(*_WEBHOOK).where(own).order_by(webhooks.c.created_at, webhooks.c.id).offset(offset).limit(limit)
    return total, [_webhook(row) for row in connection.execute(page)]


def delete_webhook(connection: Connection, webhook: Webhook) -> None:
    """Ends a webhook, with what was still to be sent."""
    connection.execute(delete(webhooks).where(webhooks.c.id == webhook.id))


def rotate_signing_secret(connection: Connection, webhook: Webhook, overlap_ms: int) -> str:
    """Gives a webhook a new secret; for the overlap the old one signs as well, so that a receiver can change over."""
    now, secret = now_ms(), new_signing_secret()
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == webhook.id)
        .values(
            secret=secret, previous_secret=webhooks.c.secret, previous_secret_until=now + overlap_ms, updated_at=now
        )
    )
    return secret


def enable_webhook(connection: Connection, webhook: Webhook) -> Webhook:
    """Lets a disabled webhook be told of events again, from now on."""
    values = {"state": WebhookState.ACTIVE, "failing_since": None, "updated_at": now_ms()}
    connection.execute(update(webhooks).where(webhooks.c.id == webhook.id).values(values))
    return msgspec.structs.replace(webhook, **values)


def list_deliveries(
    connection: Connection, webhook_id: str, state: DeliveryState | None, offset: int, limit: int
) -> tuple[int, list[Delivery]]:
    """How many deliveries a webhook has, all or those in a state, and a page of them, newest first."""
    own = deliveries.c.webhook_id == webhook_id
    if state is not None:
        own &= deliveries.c.state == state
    total = connection.scalar(select(func.count()).select_from(deliveries).where(own)) or 0
    newest = (deliveries.c.created_at.desc(), deliveries.c.id)
    page = select(*_DELIVERY).where(own).order_by(*newest).offset(offset).limit(limit)
    return total, [_delivery(row) for row in connection.execute(page)]


def redeliver(connection: Connection, webhook: Webhook, delivery_id: str) -> Delivery:
    """Has a notification sent again at once, under the same `webhook-id`, with the whole schedule before it."""
    if webhook.state is not WebhookState.ACTIVE:
        message = "the webhook is disabled; enable it first"
        raise Conflict(message, code=Code.ILLEGAL_COMBINATION)
    now = now_ms()
    if is_id(delivery_id):
        row = connection.execute(
            update(deliveries)
            .where(deliveries.c.id == delivery_id, deliveries.c.webhook_id == webhook.id)
            .values(state=DeliveryState.PENDING, attempts=0, next_at=now, updated_at=now, ended_at=None)
            .returning(*_DELIVERY)
        ).first()
        if row is not None:
            return _delivery(row)
    message = f"there is no delivery {delivery_id} of this webhook"
    raise NotFound(message)


def announce_end(connection: Connection, import_id: str) -> None:
    """Writes a delivery for every webhook that waits for an import's end, in the transaction that ends it."""
    ended = connection.execute(
        select(imports.c.state, imports.c.total, imports.c.processed, imports.c.ended_at, datasets.c.id)
        .add_columns(datasets.c.organisation_id)
        .join(datasets)
        .where(imports.c.id == import_id, imports.c.state != ImportState.STARTED)
    ).one()
    listening = connection.scalars(
        select(webhooks.c.id).where(
            webhooks.c.organisation_id == ended.organisation_id,
            webhooks.c.event == Event.ENDED_IMPORT,
            webhooks.c.state == WebhookState.ACTIVE,
            or_(webhooks.c.dataset_id.is_(None), webhooks.c.dataset_id == ended.id),
        )
    ).all()
    if listening:
        body = _encode(_notification(ended, import_id))
        connection.execute(insert(deliveries), [_due(webhook_id, import_id, body) for webhook_id in listening])


def _notification(ended: AnyRow, import_id: str) -> dict[str, object]:
    data = {
        "datasetId": ended.id,
        "importId": import_id,
        "state": ended.state,
        "totalDocuments": ended.total,
        "processedDocuments": ended.processed,
    }
    return {"type": Event.ENDED_IMPORT, "timestamp": to_iso(ended.ended_at), "data": data}


def _due(webhook_id: str, import_id: str, body: bytes) -> dict[str, object]:
    now = now_ms()
    return {
        "id": new_id(),
        "webhook_id": webhook_id,
        "import_id": import_id,
        "body": body,
        "state": DeliveryState.PENDING,
        "next_at": now,
        "created_at": now,
        "updated_at": now,
    }


def _webhook(row: AnyRow) -> Webhook:
    return msgspec.convert(row._mapping, Webhook)  # noqa: SLF001  SQLAlchemy's documented access to a row as a mapping.


def _delivery(row: AnyRow) -> Delivery:
    return msgspec.convert(row._mapping, Delivery)  # noqa: SLF001  As above.
