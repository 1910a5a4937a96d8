"""Sending: what becomes of a notification where its receiver fails, redirects, hangs or is gone, and who sends it."""

import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from sqlalchemy import update
from standardwebhooks import Webhook as Verifier

from feedback.processing.deliveries import SHARE, Sender, retry_wait_ms
from feedback.store.tables import deliveries
from tests.builders import Running, make_document, wait_until
from tests.receiver import Receiver, Reply, running_receiver
from tests.webhooks import WEBHOOKS, allow_loopback, announced, delivered, hurry, register, send_due


def test_the_log_says_what_was_delivered(running: Running, receiver: Receiver) -> None:
    webhook = announced(running, receiver)
    pending = delivered(running, webhook)[0]
    assert (pending["state"], pending["attempts"]) == ("PENDING", 0)
    send_due(running)
    done = delivered(running, webhook)[0]
    assert (done["state"], done["attempts"], done["lastStatus"]) == ("DELIVERED", 1, 204)
    assert done["id"] == receiver.received[0].headers["webhook-id"]
    assert "nextAttemptAt" not in done


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
    # Unless it is given up, the answer comes after half a minute.
    assert time.monotonic() - started < 20
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
            thread.join(14)
        assert len(receiver.received) == 1
        release.set()
        for thread in begun:
            thread.join()


def test_a_receiver_slower_than_the_claim_is_asked_once_though_two_send(running: Running, receiver: Receiver) -> None:
    announced(running, receiver, claim_seconds=3)
    answer = threading.Event()
    receiver.replies(Reply(wait=answer))
    senders = [
        Sender(running.settings.model_copy(update={"poll_seconds": poll}), running.engine, name)
        for name, poll in (("one", 60), ("other", 0.05))
    ]
    sending = [threading.Thread(target=sender.run) for sender in senders]
    sending[0].start()
    wait_until(lambda: receiver.received)
    sending[1].start()
    time.sleep(4)
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
