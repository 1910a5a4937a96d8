"""Webhooks as tests use them: registered for a receiver on loopback, and sent to when a test says so."""

from typing import Any

from sqlalchemy import update

from feedback.processing.deliveries import Sender
from feedback.store.tables import deliveries
from tests.builders import Running, make_document
from tests.receiver import Receiver

WEBHOOKS = "/v1/management/webhooks"
Json = dict[str, Any]


def allow_loopback(running: Running, **changes: Any) -> None:
    running.configure(**{"webhook_allowed_hosts": ("127.0.0.1",), "webhook_retry_seconds": (60.0,) * 3} | changes)


def register(running: Running, receiver: Receiver, **changes: Any) -> Json:
    reply = running.http.post(WEBHOOKS, json={"url": receiver.url, "event": "ENDED_IMPORT"} | changes)
    assert reply.status_code == 201, reply.text
    record: Json = reply.json()
    return record


def send_due(running: Running, **settings: Any) -> int:
    sender = Sender(running.settings.model_copy(update=settings), running.engine, "sender")
    return sender.send_due()


def delivered(running: Running, webhook: Json) -> list[Json]:
    items: list[Json] = running.http.get(f"{WEBHOOKS}/{webhook['id']}/deliveries").json()["items"]
    return items


def announced(running: Running, receiver: Receiver, **settings: Any) -> Json:
    """A webhook for which one import has ended, and which nothing was sent to yet."""
    allow_loopback(running, **settings)
    webhook = register(running, receiver)
    running.load(running.dataset(), make_document())
    return webhook


def hurry(running: Running) -> None:
    """Makes everything that waits due now."""
    with running.engine.begin() as connection:
        connection.execute(update(deliveries).values(next_at=0))
