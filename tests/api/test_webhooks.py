"""Webhooks: their registration and their secrets, and what a notification says and to whom."""

import json

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from tests.builders import Running, make_document
from tests.receiver import Receiver
from tests.webhooks import WEBHOOKS, Json, allow_loopback, announced, register, send_due


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
