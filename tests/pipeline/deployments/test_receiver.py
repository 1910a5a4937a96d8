"""The receiver believes only signed notifications, and whatever it is told changes nothing in the outcome."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import Pool, event
from standardwebhooks import Webhook

from config.settings import Settings
from deployments.receiver import make_app
from feedback.client import Import
from tasks.warehouse import Warehouse, open_warehouse
from tasks.warehouse.ledger import Load, announce, complete, find_import

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Receiver:
    """Posts to a receiver as the service would."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def post(self, content: str | Iterator[bytes], headers: dict[str, str] | None = None) -> int:
        async def send() -> int:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://receiver") as client:
                body = content if isinstance(content, str) else in_parts(content)
                return (await client.post("/events", content=body, headers=headers)).status_code

        return asyncio.run(send())


async def in_parts(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(warehouse_url=f"sqlite:///{tmp_path / 'w.db'}", webhook_secret=SECRET)


@pytest.fixture
def started() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def warehouse(settings: Settings) -> Iterator[Warehouse]:
    """A ledger that knows the import i1 of the dataset d1."""
    opened = open_warehouse(settings.warehouse_url)
    announce(opened, Load("visits", "d1", "v.csv", "hash"), 1, "key", [("a", 2)])
    complete(opened, "key", Import(id="i1", state="STARTED"), timedelta(hours=1))
    yield opened
    opened.close()


@pytest.fixture
def receiver(settings: Settings, warehouse: Warehouse, started: list[tuple[str, str]]) -> Receiver:
    return Receiver(make_app(settings, lambda *ids: started.append(ids)))


def notification(import_id: str = "i1", kind: str = "ENDED_IMPORT") -> str:
    data = {"datasetId": "d1", "importId": import_id, "state": "COMPLETED", "novel": 1}
    return json.dumps({"type": kind, "timestamp": "2026-03-01T00:00:00.000Z", "data": data})


def signed(body: str, secret: str = SECRET, moment: datetime | None = None) -> dict[str, str]:
    now = moment or datetime.now(UTC)
    signature = Webhook(secret).sign("msg_1", now, body)
    return {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}


def test_a_signed_notification_starts_a_collection(receiver: Receiver, started: list[Any]) -> None:
    body = notification()
    assert receiver.post(body, headers=signed(body)) == 204
    assert started == [("d1", "i1")]


def test_a_forged_notification_starts_nothing(receiver: Receiver, started: list[Any]) -> None:
    body = notification()
    forged = signed(body, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    assert receiver.post(body, headers=forged) == 400
    assert receiver.post(body) == 400
    assert started == []


def test_a_notification_that_was_changed_on_its_way_starts_nothing(receiver: Receiver, started: list[Any]) -> None:
    headers = signed(notification("i1"))
    assert receiver.post(notification("i2"), headers=headers) == 400
    assert started == []


def test_an_old_notification_cannot_be_replayed(receiver: Receiver, started: list[Any]) -> None:
    body = notification()
    old = signed(body, moment=datetime.now(UTC) - timedelta(hours=1))
    assert receiver.post(body, headers=old) == 400
    assert started == []


def test_another_event_is_accepted_and_ignored(receiver: Receiver, started: list[Any]) -> None:
    body = notification(kind="SOMETHING_NEW")
    assert receiver.post(body, headers=signed(body)) == 204
    assert started == []


def test_nonsense_with_a_good_signature_is_refused(receiver: Receiver) -> None:
    for body in ("[]", "{}", '{"type": "ENDED_IMPORT", "data": {"importId": 5}}', "not json"):
        assert receiver.post(body, headers=signed(body)) == 400


def test_an_import_of_another_client_starts_nothing(receiver: Receiver, started: list[Any]) -> None:
    body = notification("i2")
    assert receiver.post(body, headers=signed(body)) == 204
    assert started == []


def test_an_import_whose_post_is_not_noted_yet_is_collected(
    receiver: Receiver, warehouse: Warehouse, started: list[Any]
) -> None:
    announce(warehouse, Load("visits", "d1", "w.csv", "other"), 1, "key 2", [("b", 2)])
    body = notification("i2")
    assert receiver.post(body, headers=signed(body)) == 204
    assert started == [("d1", "i2")]


def test_an_import_whose_post_is_noted_while_its_event_is_heard_is_collected(
    receiver: Receiver, warehouse: Warehouse, started: list[Any]
) -> None:
    announce(warehouse, Load("visits", "d1", "w.csv", "other"), 1, "key 2", [("b", 2)])
    answers = [Import(id="i2", state="STARTED")]

    def note_once(*_: Any) -> None:
        if answers:
            complete(warehouse, "key 2", answers.pop(), timedelta(hours=1))

    body = notification("i2")
    event.listen(Pool, "checkin", note_once)
    try:
        assert receiver.post(body, headers=signed(body)) == 204
    finally:
        event.remove(Pool, "checkin", note_once)
    assert started == [("d1", "i2")]


def test_an_event_is_noted_in_the_ledger(receiver: Receiver, warehouse: Warehouse) -> None:
    body = notification()
    receiver.post(body, headers=signed(body))
    entry = find_import(warehouse, "i1")
    assert entry is not None
    assert entry.event_at is not None


@pytest.mark.usefixtures("warehouse")
def test_while_prefect_is_down_the_service_is_told_to_come_back(settings: Settings) -> None:
    def refused(*_: str) -> None:
        raise httpx.ConnectError("connection refused")

    body = notification()
    assert Receiver(make_app(settings, refused)).post(body, headers=signed(body)) == 503


def test_no_more_is_read_of_a_body_than_a_notification_takes(receiver: Receiver) -> None:
    taken: list[bytes] = []

    def endless() -> Iterator[bytes]:
        while len(taken) < 1_000:
            taken.append(b"x" * 10_000)
            yield taken[-1]

    assert receiver.post(endless()) == 413
    assert len(taken) < 10


def test_without_a_secret_nothing_is_believed(tmp_path: Path, started: list[Any]) -> None:
    settings = Settings(warehouse_url=f"sqlite:///{tmp_path / 'w.db'}", webhook_secret_file=tmp_path / "none")
    body = notification()
    receiver = Receiver(make_app(settings, lambda *ids: started.append(ids)))
    assert receiver.post(body, headers=signed(body)) == 503
    assert started == []
