"""Webhooks, from their registration to what reaches a real receiver."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from sqlalchemy import update
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from feedback.processing.deliveries import SHARE, Sender, retry_wait_ms
from feedback.store.tables import deliveries
from tests.builders import Running, make_document, wait_until
from tests.receiver import Receiver, Reply, running_receiver

WEBHOOKS = "/v1/management/webhooks"
Json = dict[str, Any]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as receiver:
        yield receiver


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


def test_an_ended_import_is_told_to_a_webhook_signed_and_without_results(running: Running, receiver: Receiver) -> None:
    allow_loopback(running)
    webhook = register(running, receiver)
    dataset_id = running.dataset()
    batch = running.load(dataset_id, make_document(), make_document(metadata=[{"code": "nps", "value": 99}]))
    assert send_due(running) == 1
    sent = receiver.received[0]
    assert Verifier(webhook["secret"]).verify(sent.body, sent.headers) == {
        "type": "ENDED_IMPORT",
        "timestamp": batch["endedAt"],
        "data": {
            "datasetId": dataset_id,
            "importId": batch["id"],
            "state": "COMPLETED",
            "totalDocuments": 2,
            "processedDocuments": 2,
        },
    }


def test_the_log_says_what_was_delivered(running: Running, receiver: Receiver) -> None:
    webhook = announced(running, receiver)
    pending = delivered(running, webhook)[0]
    assert (pending["state"], pending["attempts"]) == ("PENDING", 0)
    send_due(running)
    done = delivered(running, webhook)[0]
    assert (done["state"], done["attempts"], done["lastStatus"]) == ("DELIVERED", 1, 204)
    assert done["id"] == receiver.received[0].headers["webhook-id"]
    assert "nextAttemptAt" not in done


def test_a_body_that_was_tampered_with_does_not_verify(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    send_due(on_sqlite)
    sent = receiver.received[0]
    with pytest.raises(WebhookVerificationError):
        Verifier(webhook["secret"]).verify(sent.body + b" ", sent.headers)


def test_an_import_without_documents_is_announced_too(on_sqlite: Running, receiver: Receiver) -> None:
    allow_loopback(on_sqlite)
    register(on_sqlite, receiver)
    on_sqlite.send(on_sqlite.dataset())
    send_due(on_sqlite)
    assert json.loads(receiver.received[0].body)["data"]["totalDocuments"] == 0


def test_a_webhook_of_one_dataset_hears_of_that_dataset_alone(on_sqlite: Running, receiver: Receiver) -> None:
    allow_loopback(on_sqlite)
    mine, other = on_sqlite.dataset(), on_sqlite.dataset()
    register(on_sqlite, receiver, datasetId=mine)
    on_sqlite.load(other, make_document())
    on_sqlite.load(mine, make_document())
    send_due(on_sqlite)
    assert [json.loads(sent.body)["data"]["datasetId"] for sent in receiver.received] == [mine]


def test_a_webhook_hears_nothing_of_other_organisations(on_sqlite: Running, receiver: Receiver) -> None:
    announced(on_sqlite, receiver)
    send_due(on_sqlite)
    on_sqlite.login("Globex")
    on_sqlite.load(on_sqlite.dataset(), make_document())
    assert send_due(on_sqlite) == 0


def test_a_failed_attempt_is_repeated_under_the_same_id_until_it_succeeds(running: Running, receiver: Receiver) -> None:
    webhook = announced(running, receiver)
    receiver.replies(Reply(500), Reply(503), Reply(200))
    while delivered(running, webhook)[0]["state"] == "PENDING":
        hurry(running)
        send_due(running)
    assert delivered(running, webhook)[0]["attempts"] == 3
    assert len({sent.headers["webhook-id"] for sent in receiver.received}) == 1
    for sent in receiver.received:
        Verifier(webhook["secret"]).verify(sent.body, sent.headers)


def test_when_the_schedule_is_exhausted_the_delivery_has_failed(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    receiver.replies(Reply(500))
    for _ in range(6):
        hurry(on_sqlite)
        send_due(on_sqlite)
    failed = delivered(on_sqlite, webhook)[0]
    assert (failed["state"], failed["attempts"], failed["lastStatus"]) == ("FAILED", 4, 500)
    assert len(receiver.received) == 4


def test_a_redirect_is_a_failure_and_is_not_followed(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    receiver.replies(Reply(302, {"Location": receiver.url + "/elsewhere"}))
    send_due(on_sqlite)
    assert [sent.path for sent in receiver.received] == ["/events"]
    assert "redirects are not followed" in delivered(on_sqlite, webhook)[0]["lastError"]


def test_a_receiver_that_is_gone_is_never_asked_again(running: Running, receiver: Receiver) -> None:
    webhook = announced(running, receiver)
    receiver.replies(Reply(410))
    send_due(running)
    running.load(running.dataset(), make_document())
    hurry(running)
    assert send_due(running) == 0
    assert running.http.get(f"{WEBHOOKS}/{webhook['id']}").json()["state"] == "DISABLED"
    assert [delivery["state"] for delivery in delivered(running, webhook)] == ["FAILED"]


def test_a_receiver_that_fails_for_too_long_is_disabled(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver, webhook_disable_seconds=0.05)
    receiver.replies(Reply(500))
    send_due(on_sqlite)
    assert on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").json()["state"] == "ACTIVE"
    time.sleep(0.06)
    hurry(on_sqlite)
    send_due(on_sqlite)
    assert on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").json()["state"] == "DISABLED"


def test_one_success_ends_the_time_of_failing(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    receiver.replies(Reply(500), Reply(200))
    send_due(on_sqlite)
    assert on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").json()["failingSince"]
    hurry(on_sqlite)
    send_due(on_sqlite)
    assert on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").json()["failingSince"] is None


def test_a_disabled_webhook_can_be_enabled_and_its_failed_deliveries_sent_again(
    on_sqlite: Running, receiver: Receiver
) -> None:
    webhook = announced(on_sqlite, receiver)
    receiver.replies(Reply(410), Reply(200))
    send_due(on_sqlite)
    delivery = delivered(on_sqlite, webhook)[0]
    again = f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver"
    assert on_sqlite.http.post(again).status_code == 409
    assert on_sqlite.http.post(f"{WEBHOOKS}/{webhook['id']}/enable").json()["state"] == "ACTIVE"
    assert on_sqlite.http.post(again).json()["state"] == "PENDING"
    assert send_due(on_sqlite) == 1
    assert delivered(on_sqlite, webhook)[0]["state"] == "DELIVERED"


def test_a_delivered_notification_can_be_sent_again_under_its_id(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    send_due(on_sqlite)
    delivery = delivered(on_sqlite, webhook)[0]
    reply = on_sqlite.http.post(f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver")
    assert reply.status_code == 202
    send_due(on_sqlite)
    assert [sent.headers["webhook-id"] for sent in receiver.received] == [delivery["id"]] * 2


def test_what_the_receiver_asks_for_in_retry_after_is_kept(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    receiver.replies(Reply(503, {"Retry-After": "120"}))
    send_due(on_sqlite)
    waits = datetime.fromisoformat(delivered(on_sqlite, webhook)[0]["nextAttemptAt"]) - datetime.now(UTC)
    assert timedelta(seconds=110) < waits <= timedelta(seconds=120)


def test_a_retry_after_may_be_a_date(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    moment = datetime.now(UTC) + timedelta(hours=2)
    receiver.replies(Reply(429, {"Retry-After": format_datetime(moment, usegmt=True)}))
    send_due(on_sqlite)
    waits = datetime.fromisoformat(delivered(on_sqlite, webhook)[0]["nextAttemptAt"]) - datetime.now(UTC)
    assert timedelta(minutes=119) < waits <= timedelta(hours=2)


def test_the_schedule_is_spread_by_a_tenth_and_ends() -> None:
    schedule = (5.0, 300.0)
    assert retry_wait_ms(schedule, 0, None, lambda low, _: low) == 4500
    assert retry_wait_ms(schedule, 1, None, lambda _, high: high) == 330_000
    assert retry_wait_ms(schedule, 1, 400_000, lambda low, _: low) == 400_000
    assert retry_wait_ms(schedule, 2, None) is None


def test_a_receiver_that_does_not_answer_in_time_has_failed(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver, webhook_timeout_seconds=0.2)
    release = threading.Event()
    receiver.replies(Reply(200, wait=release))
    started = time.monotonic()
    send_due(on_sqlite)
    assert time.monotonic() - started < 5
    release.set()
    assert delivered(on_sqlite, webhook)[0]["lastError"] == "no answer within 0.2 seconds"


def test_a_slow_receiver_holds_up_no_other(on_sqlite: Running, receiver: Receiver) -> None:
    with running_receiver() as slow:
        release = threading.Event()
        slow.replies(Reply(200, wait=release))
        allow_loopback(on_sqlite)
        dataset_id = on_sqlite.dataset()
        register(on_sqlite, slow)
        for _ in range(12):
            on_sqlite.send(dataset_id)
        register(on_sqlite, receiver)
        on_sqlite.send(dataset_id)
        sender = Sender(on_sqlite.settings, on_sqlite.engine, "sender")
        begun = sender.turn() + sender.turn()
        for thread in begun[-1:]:
            thread.join(5)
        assert len(receiver.received) == 1
        release.set()
        for thread in begun:
            thread.join()


def test_a_receiver_slower_than_the_claim_is_asked_once_though_two_send(running: Running, receiver: Receiver) -> None:
    announced(running, receiver, claim_seconds=0.6, poll_seconds=0.05)
    answer = threading.Event()
    receiver.replies(Reply(wait=answer))
    senders = [Sender(running.settings, running.engine, name) for name in ("one", "other")]
    sending = [threading.Thread(target=sender.run) for sender in senders]
    for thread in sending:
        thread.start()
    time.sleep(2.0)
    answer.set()
    for sender in senders:
        sender.stop()
    for thread in sending:
        thread.join()
    assert len(receiver.received) == 1


def test_a_sender_goes_on_as_soon_as_it_has_an_answer(on_sqlite: Running, receiver: Receiver) -> None:
    allow_loopback(on_sqlite, poll_seconds=60)
    register(on_sqlite, receiver)
    dataset_id = on_sqlite.dataset()
    for _ in range(4 * SHARE):
        on_sqlite.send(dataset_id)
    sender = Sender(on_sqlite.settings, on_sqlite.engine, "sender")
    sending = threading.Thread(target=sender.run)
    sending.start()
    wait_until(lambda: len(receiver.received) == 4 * SHARE)
    sender.stop()
    sending.join()


def test_a_sender_that_died_loses_nothing(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    with on_sqlite.engine.begin() as connection:
        connection.execute(update(deliveries).values(claimed_by="dead", claim_until=2**50))
    assert send_due(on_sqlite) == 0
    with on_sqlite.engine.begin() as connection:
        connection.execute(update(deliveries).values(claim_until=1))
    assert send_due(on_sqlite) == 1
    assert delivered(on_sqlite, webhook)[0]["state"] == "DELIVERED"


def test_during_a_rotation_both_secrets_verify_and_afterwards_only_the_new_one(
    running: Running, receiver: Receiver
) -> None:
    webhook = announced(running, receiver, webhook_overlap_seconds=3600)
    fresh = running.http.post(f"{WEBHOOKS}/{webhook['id']}/secret").json()["secret"]
    send_due(running)
    for secret in (webhook["secret"], fresh):
        Verifier(secret).verify(receiver.received[0].body, receiver.received[0].headers)
    allow_loopback(running, webhook_overlap_seconds=0)
    newest = running.http.post(f"{WEBHOOKS}/{webhook['id']}/secret").json()["secret"]
    running.load(running.dataset(), make_document())
    send_due(running)
    Verifier(newest).verify(receiver.received[1].body, receiver.received[1].headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(fresh).verify(receiver.received[1].body, receiver.received[1].headers)


def test_a_secret_is_shown_only_when_it_is_new(on_sqlite: Running, receiver: Receiver) -> None:
    allow_loopback(on_sqlite)
    webhook = register(on_sqlite, receiver)
    assert webhook["secret"].startswith("whsec_")
    shown = on_sqlite.http.get(WEBHOOKS).json()["items"] + [on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").json()]
    assert [record["id"] for record in shown] == [webhook["id"]] * 2
    assert not any("secret" in record for record in shown)


def test_a_deleted_webhook_hears_no_more(on_sqlite: Running, receiver: Receiver) -> None:
    webhook = announced(on_sqlite, receiver)
    assert on_sqlite.http.delete(f"{WEBHOOKS}/{webhook['id']}").status_code == 204
    assert send_due(on_sqlite) == 0
    assert on_sqlite.http.get(f"{WEBHOOKS}/{webhook['id']}").status_code == 404


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"url": None}, "required", "url"),
        ({"url": "ftp://example.com/"}, "invalid_value", "url"),
        ({"url": "https://"}, "invalid_value", "url"),
        ({"url": "https://user:secret@example.com/"}, "invalid_value", "url"),
        ({"url": "https://93.184.215.14:99999/"}, "invalid_value", "url"),
        ({"url": "https://93.184.215.14/#part"}, "invalid_value", "url"),
        ({"url": "http://127.0.0.1:80/"}, "forbidden_target", "url"),
        ({"url": "http://localhost/"}, "forbidden_target", "url"),
        ({"url": "http://[::1]/"}, "forbidden_target", "url"),
        ({"url": "http://2130706433/"}, "forbidden_target", "url"),
        ({"url": "http://0x7f.1/"}, "forbidden_target", "url"),
        ({"url": "http://169.254.169.254/latest/meta-data"}, "forbidden_target", "url"),
        ({"event": "STARTED_IMPORT"}, "invalid_value", "event"),
        ({"event": 3}, "wrong_type", "event"),
        ({"name": "mine"}, "unknown_field", "name"),
    ],
)
def test_a_registration_that_breaks_a_rule_is_refused(on_sqlite: Running, change: Json, code: str, field: str) -> None:
    body = {"url": "https://93.184.215.14/events", "event": "ENDED_IMPORT"} | change
    reply = on_sqlite.http.post(WEBHOOKS, json=body)
    assert reply.status_code == 422
    assert [(error["code"], error["field"]) for error in reply.json()["errors"]] == [(code, field)]


def test_a_public_address_can_be_registered(on_sqlite: Running) -> None:
    reply = on_sqlite.http.post(WEBHOOKS, json={"url": "https://93.184.215.14/events", "event": "ENDED_IMPORT"})
    assert (reply.status_code, reply.json()["state"]) == (201, "ACTIVE")


def test_a_webhook_on_a_dataset_of_another_organisation_is_refused_as_unknown(
    on_sqlite: Running, receiver: Receiver
) -> None:
    allow_loopback(on_sqlite)
    dataset_id = on_sqlite.dataset()
    on_sqlite.login("Globex")
    body = {"url": receiver.url, "event": "ENDED_IMPORT", "datasetId": dataset_id}
    assert on_sqlite.http.post(WEBHOOKS, json=body).status_code == 404


def test_a_dataset_that_is_not_there_is_named_with_all_else_that_is_wrong(on_sqlite: Running) -> None:
    body = {"url": "http://localhost/", "event": "STARTED_IMPORT", "datasetId": "f" * 24}
    reply = on_sqlite.http.post(WEBHOOKS, json=body)
    assert reply.status_code == 422
    assert {error["field"]: error["code"] for error in reply.json()["errors"]} == {
        "url": "forbidden_target",
        "event": "invalid_value",
        "datasetId": "not_found",
    }
