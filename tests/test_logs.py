"""What the service says of itself while it works: JSON for machines, metrics of the worker, no customer's words."""

import json
import socket
from pathlib import Path

import httpx
import pytest

from tests.builders import NPS, make_dataset, make_definition, wait_until
from tests.receiver import Reply, running_receiver
from tests.served import Served

pytestmark = pytest.mark.slow
SECRETS = ("Xylophone", "Bartholomew", "customer-4711", "10.99")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_logs_are_json_and_hold_nothing_a_customer_wrote(tmp_path: Path) -> None:
    log, port = tmp_path / "log", free_port()
    environment = {
        "FEEDBACK_LOG_FORMAT": "json",
        "FEEDBACK_WEBHOOK_ALLOWED_HOSTS": "127.0.0.1",
        "FEEDBACK_WEBHOOK_RETRY_SECONDS": "0.1,0.1",
        "FEEDBACK_WORKER_METRICS_PORT": str(port),
    }
    with running_receiver() as receiver:
        receiver.replies(Reply(500), Reply(204))
        served = Served(tmp_path / "data", log, **environment)
        try:
            import_everything(served, receiver.url)
            wait_until(lambda: len(receiver.received) >= 2)
            wait_until(lambda: 'attempts_total{outcome="delivered"} 1.0' in worker_metrics(port))
            told = worker_metrics(port)
        finally:
            served.end()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = {line["event"] for line in lines}
    assert {"request", "worker starts", "notification fails", "notification delivered", "worker ends"} <= events
    assert [secret for secret in SECRETS if secret in log.read_text()] == []
    assert "feedback_chunk_documents_total 2.0" in told


def import_everything(served: Served, url: str) -> None:
    """Documents good and bad, a look-up that fails, and a search, each with words that are nobody else's business."""
    definitions = [NPS, make_definition("name", "STRING", personalData=True)]
    dataset_id = served.http.post("/v1/management/datasets", json=make_dataset(metadataDefinitions=definitions)).json()[
        "id"
    ]
    served.http.post("/v1/management/webhooks", json={"url": url, "event": "ENDED_IMPORT"})
    good = {
        "externalId": "customer-4711",
        "content": "Xylophone broken",
        "metadata": [{"code": "name", "value": "Bartholomew"}],
    }
    bad = {"externalId": "customer-4711b", "content": "Xylophone", "metadata": [{"code": "nps", "value": 10.99}]}
    import_id = served.send(dataset_id, [good, bad])
    wait_until(lambda: served.state(dataset_id, import_id)["state"] == "COMPLETED")
    served.http.get(f"/v1/management/datasets/{dataset_id}/documents/customer-4711")
    served.http.get(f"/v1/management/datasets/{dataset_id}/documents/customer-4711x")
    served.http.post(f"/v1/search/datasets/{dataset_id}/terms", params={"q": "Xylophone"})
    served.http.post(f"/v1/management/datasets/{dataset_id}/imports", content=b'{"documents": [{"Xylophone')


def worker_metrics(port: int) -> str:
    return httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
