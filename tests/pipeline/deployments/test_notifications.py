"""Notifications in time, doubled, forged, late, and told to nobody: all end in the same warehouse."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from standardwebhooks import Webhook

from tasks.collect import collect
from tasks.wait import wait_for_import
from tasks.warehouse.ledger import Load, announce, complete
from tasks.warehouse.tables import documents, import_ledger
from tests.pipeline.deployments.conftest import Deployed, Started
from tests.pipeline.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
FORGER = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def notify(deployed: Deployed, dataset_id: str, import_id: str, *, secret: str = "") -> int:
    """Tell the receiver of an import's end as the service does; its answer."""
    now = datetime.now(UTC)
    body = json.dumps({"type": "ENDED_IMPORT", "data": {"datasetId": dataset_id, "importId": import_id}})
    signature = Webhook(secret or (deployed.folder / "webhook-secret").read_text()).sign("msg_1", now, body)
    stamp = str(int(now.timestamp()))
    headers = {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}
    return httpx.post(f"{deployed.ear}/events", content=body, headers=headers).status_code


def rows_of(deployed: Deployed, feed: str) -> list[Any]:
    with deployed.warehouse.read() as connection:
        return list(connection.execute(select(documents).where(documents.c.feed == feed)))


@pytest.fixture(scope="module")
def heard(deployed: Deployed, started: Started) -> tuple[str, str]:
    """The dataset and the import of the load that left its collection to the webhook."""
    assert deployed.ended(started.heard)["type"] == "COMPLETED"
    query = select(import_ledger.c.dataset_id, import_ledger.c.import_id).where(import_ledger.c.feed == "heard")
    with deployed.warehouse.read() as connection:
        found = connection.execute(query).one()
    until(lambda: deployed.collected("heard") == 30, 300)
    return found[0], found[1]


@contextmanager
def outage(deployed: Deployed) -> Iterator[None]:
    """Within the block neither Prefect's server nor the receiver runs: both were killed. Then they start again."""
    deployed.prefect.kill()
    deployed.receiver.kill()
    yield
    deployed.receiver.start()
    until(lambda: httpx.get(f"{deployed.ear}/livez").is_success, 60)
    deployed.prefect.start()
    deployed.prefect.wait()


def send(deployed: Deployed, feed: str, count: int) -> tuple[str, str]:
    """Post documents with a row in the ledger; their dataset and their import, which has ended."""
    sent = [{"externalId": f"v{number}", "content": "The staff was friendly."} for number in range(count)]
    with deployed.client() as client:
        dataset = {"name": feed, "lang": "en", "type": "PRODUCT_REVIEW", "industry": "RETAIL_B2C"}
        load = Load(feed, client.create_dataset(dataset).id, f"{feed}.csv", "hash")
        key = load.key(1, "body")
        announce(deployed.warehouse, load, 1, key, [(each["externalId"], 2) for each in sent])
        answer = client.create_import(load.dataset_id, sent, idempotency_key=key)
        complete(deployed.warehouse, key, answer, timedelta(hours=1))
        wait_for_import(client, load.dataset_id, answer.id, patience=60)
    return load.dataset_id, answer.id


def test_a_load_that_waits_for_the_webhook_is_collected_by_one_run(deployed: Deployed, heard: tuple[str, str]) -> None:
    (run,) = deployed.collections_of(heard[1])
    assert deployed.ended(run)["type"] == "COMPLETED"


def test_a_notification_told_twice_starts_no_second_run(deployed: Deployed, heard: tuple[str, str]) -> None:
    assert notify(deployed, *heard) == 204
    assert len(deployed.collections_of(heard[1])) == 1


def test_a_forged_notification_starts_no_run(deployed: Deployed, heard: tuple[str, str]) -> None:
    forged = "f" * 24
    assert notify(deployed, heard[0], forged, secret=FORGER) == 400
    assert deployed.collections_of(forged) == []


def test_what_ended_while_nobody_listened_is_collected_and_what_was_collected_stays_as_it_was(
    deployed: Deployed, heard: tuple[str, str]
) -> None:
    with outage(deployed):
        _, unheard = send(deployed, "unheard", 7)
        dataset_id, late = send(deployed, "late", 5)
        with deployed.client() as client:
            collect(client, deployed.warehouse, dataset_id, late)
        before = rows_of(deployed, "late")
    for import_id in (unheard, late):
        (run,) = until(partial(deployed.collections_of, import_id), 300)
        assert deployed.ended(run)["type"] == "COMPLETED"
    assert deployed.collected("unheard") == 7
    assert rows_of(deployed, "late") == before
