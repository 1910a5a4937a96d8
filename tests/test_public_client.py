"""A client written from the text of the interface alone, run unchanged against the service as a process."""

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from standardwebhooks import Webhook as Verifier

from tests.receiver import Receiver, running_receiver
from tests.served import Served

pytestmark = pytest.mark.slow
Json = dict[str, Any]

DATASET = {
    "name": "Shop survey",
    "lang": "en",
    "type": "SATISFACTION_SURVEY_RESPONSE",
    "industry": "RETAIL_B2C",
    "metadataDefinitions": [
        {"code": "nps", "type": "NPS", "mandatory": True},
        {"code": "store", "type": "STRING", "mandatory": False, "allowedValues": ["Lyon", "Paris"]},
        {"code": "comment", "type": "STRING", "mandatory": False},
        {"code": "spent", "type": "Number", "mandatory": False},
        {"code": "visit", "type": "Datetime", "mandatory": False},
    ],
}
SENT = [
    ("order/1", "The staff was friendly and the delivery was fast.", 10, "Paris", 35.5, "2026-01-05T10:00:00.000Z"),
    ("order/2", "The delivery was late and the box was broken.", 2, "Paris", 12, "2026-01-20T10:00:00.000Z"),
    ("order/3", "Nothing special about the delivery.", 8, "Lyon", 99.99, "2026-02-01T10:00:00.000Z"),
    ("order/4", "Great prices, friendly staff!", 9, "Lyon", 20, "2026-02-03T10:00:00.000Z"),
]


class PublicClient:
    """What somebody would write who has read the interface and nothing else."""

    def __init__(self, base_url: str, client_id: str, client_secret: str) -> None:
        self.http = httpx.Client(base_url=f"{base_url.rstrip('/')}/v1", trust_env=False, timeout=30)
        reply = self.http.post("/token", json={"clientId": client_id, "clientSecret": client_secret})
        self.http.headers["Authorization"] = f"Bearer {reply.raise_for_status().json()['access_token']}"

    def post(self, path: str, body: Json | None = None, **params: Any) -> Json:
        options: Json = {} if body is None else {"json": body}
        reply = self.http.post(path, params=params, **options)
        answer: Json = reply.raise_for_status().json()
        return answer

    def get(self, path: str, **params: Any) -> Json:
        answer: Json = self.http.get(path, params=params).raise_for_status().json()
        return answer

    def wait_for(self, dataset_id: str, import_id: str) -> Json:
        deadline = time.monotonic() + 150
        while time.monotonic() < deadline:
            record = self.get(f"/management/datasets/{dataset_id}/imports/{import_id}")
            if record["state"] == "COMPLETED":
                return record
            time.sleep(0.1)
        pytest.fail("the import was not completed")


class Walk:
    """The client's way through the interface up to the end of its first import."""

    def __init__(self, client: PublicClient, receiver: Receiver) -> None:
        self.client = client
        self.receiver = receiver
        self.dataset = client.post("/management/datasets", DATASET)
        self.id = self.dataset["id"]
        self.webhook = client.post("/management/webhooks", {"url": receiver.url, "event": "ENDED_IMPORT"})
        self.started = client.post(f"/management/datasets/{self.id}/imports", {"documents": documents()})
        self.ended = client.wait_for(self.id, self.started["id"])

    def aggregate(self, body: Json, **params: Any) -> Json:
        return self.client.post(f"/aggregation/datasets/{self.id}/documents", body, **params)


def documents() -> list[Json]:
    return [
        {
            "lang": "en",
            "type": "SATISFACTION_SURVEY_RESPONSE",
            "content": content,
            "externalId": external_id,
            "metadata": [
                {"code": "nps", "value": nps},
                {"code": "store", "value": store},
                {"code": "spent", "value": spent},
                {"code": "visit", "value": visit},
            ],
        }
        for external_id, content, nps, store, spent, visit in SENT
    ]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    served = Served(tmp_path_factory.mktemp("public"), FEEDBACK_WEBHOOK_ALLOWED_HOSTS="127.0.0.1")
    try:
        with running_receiver() as receiver:
            credentials = served.credentials
            client = PublicClient(str(served.http.base_url), credentials["clientId"], credentials["clientSecret"])
            yield Walk(client, receiver)
            client.http.close()
    finally:
        served.end()


def test_a_created_dataset_has_the_documented_defaults(walk: Walk) -> None:
    dataset = walk.dataset
    assert (dataset["state"], dataset["monthlyImportedDocuments"]) == ("ACTIVE", [])
    assert dataset["createdAt"] == dataset["updatedAt"]
    nps, store, comment, spent, visit = dataset["metadataDefinitions"]
    assert nps == {
        "code": "nps",
        "type": "NPS",
        "mandatory": True,
        "personalData": False,
        "allowedValues": [],
        "bounds": {"upper": 10, "lower": 0},
    }
    assert (store["allowedValues"], store["maxLength"]) == (["Lyon", "Paris"], 200)
    assert (comment["allowedValues"], comment["maxLength"]) == ([], 200)
    assert (spent["type"], visit["type"]) == ("Number", "Datetime")


def test_an_import_goes_from_started_to_completed(walk: Walk) -> None:
    started, ended = walk.started, walk.ended
    assert (started["state"], started["totalDocuments"], started["processedDocuments"]) == ("STARTED", 4, 0)
    assert started["errors"] == []
    assert "endedAt" not in started
    assert (ended["processedDocuments"], ended["totalDocuments"], ended["errors"]) == (4, 4, [])
    assert ended["endedAt"].endswith("Z")


def test_the_webhook_is_told_and_the_notification_verifies(walk: Walk) -> None:
    deadline = time.monotonic() + 60
    while not walk.receiver.received and time.monotonic() < deadline:
        time.sleep(0.05)
    sent = walk.receiver.received[0]
    event = Verifier(walk.webhook["secret"]).verify(sent.body, sent.headers)
    assert (event["type"], event["data"]["importId"]) == ("ENDED_IMPORT", walk.started["id"])
    assert "enrichments" not in json.dumps(event)


def test_the_documents_of_the_import_are_paged_with_their_enrichments(walk: Walk) -> None:
    address = f"/management/datasets/{walk.id}/imports/{walk.started['id']}/documents"
    pages = [walk.client.get(address, page=page, pageSize=3) for page in (1, 2, 3)]
    assert [(page["page"], page["pageSize"], page["total"], len(page["items"])) for page in pages] == [
        (1, 3, 4, 3),
        (2, 3, 4, 1),
        (3, 3, 4, 0),
    ]
    found = [document for page in pages for document in page["items"]]
    assert [document["externalId"] for document in found] == [row[0] for row in SENT]
    for document, sent in zip(found, documents(), strict=True):
        assert sent.items() <= document.items()
        assert document["state"] == "ANALYZED"
        for enrichment in document["enrichments"]:
            assert enrichment["term"].count("__") == 2
            assert enrichment["opinion"] in {"POSITIVE", "NEUTRAL", "NEGATIVE"}
            assert 0 <= enrichment["offset"]["begin"] < enrichment["offset"]["end"] <= len(document["content"])


def test_a_document_is_fetched_by_its_external_id_slash_included(walk: Walk) -> None:
    for external_id in ("order/2", quote("order/2", safe="")):
        document = walk.client.get(f"/management/datasets/{walk.id}/documents/{external_id}")
        assert document["externalId"] == "order/2"
        assert "NEGATIVE" in {enrichment["opinion"] for enrichment in document["enrichments"]}


def test_a_count_without_anything_else_has_the_implicit_period(walk: Walk) -> None:
    reply = walk.aggregate({"field": "metadata.nps"})
    assert (reply["field"], reply["type"], len(reply["periods"])) == ("metadata.nps", "COUNT", 1)
    period = reply["periods"][0]
    assert period["period"]["field"] == "createdAt"
    assert (period["total"], period["values"]) == ({"value": 4, "volume": 4}, [])


def test_nps_by_month_of_a_requested_period(walk: Walk) -> None:
    period = {"field": "metadata.visit", "from": "2026-01-01T00:00:00.000Z", "to": "2026-02-28T23:59:59.999Z"}
    dimensions = [{"field": "metadata.visit", "group": "MONTH"}]
    reply = walk.aggregate({"field": "metadata.nps", "type": "NPS", "periods": [period], "dimensions": dimensions})
    answer = reply["periods"][0]
    assert answer["period"] == period
    assert answer["total"] == {"value": 25.0, "volume": 4}
    assert [(item["dimensions"][0]["value"], item["value"]) for item in answer["values"]] == [
        ("2026-01", 0.0),
        ("2026-02", 50.0),
    ]


def test_an_average_by_store_under_an_in_filter(walk: Walk) -> None:
    query = {"field": "metadata.store", "operator": "IN", "value": ["Lyon"]}
    dimensions = [{"field": "metadata.store", "group": "DISTINCT"}]
    body = {"field": "metadata.nps", "type": "AVG", "query": query, "dimensions": dimensions}
    values = walk.aggregate(body)["periods"][0]["values"]
    assert values == [{"value": 8.5, "volume": 2, "dimensions": [{"field": "metadata.store", "value": "Lyon"}]}]


def test_terms_by_polarity_carry_id_label_and_polarity(walk: Walk) -> None:
    body = {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_NEGATIVE", "limit": 5}]}
    values = walk.aggregate(body)["periods"][0]["values"]
    found = {item["dimensions"][0]["value"]: item["dimensions"][0] for item in values}
    assert found["delivery"] == {
        "field": "TERMS",
        "value": "delivery",
        "id": "delivery__NOUN__1",
        "polarity": "negative",
    }


def test_q_narrows_the_terms(walk: Walk) -> None:
    body = {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "DISTINCT"}]}
    values = walk.aggregate(body, q="deliv")["periods"][0]["values"]
    assert [item["dimensions"][0]["value"] for item in values] == ["delivery"]
    assert values[0]["value"] == 3


def test_a_q_of_one_letter_is_refused_with_the_documented_body(walk: Walk) -> None:
    reply = walk.client.http.post(
        f"/aggregation/datasets/{walk.id}/documents", json={"field": "TERMS"}, params={"q": "d"}
    )
    body = reply.json()
    assert (reply.status_code, body["success"]) == (422, False)
    assert set(body["errors"][0]) == {"code", "description", "field"}


def test_search_finds_documents_and_terms_without_a_body(walk: Walk) -> None:
    assert walk.client.post(f"/search/datasets/{walk.id}/documents")["total"] == 4
    terms = walk.client.post(f"/search/datasets/{walk.id}/terms", q="staff")
    assert terms["items"][0] == {"id": "staff__NOUN__1", "label": "staff", "occurrences": 2}


def test_negative_documents_of_a_term_are_found_sorted_by_a_date(walk: Walk) -> None:
    found = walk.client.post(
        f"/search/datasets/{walk.id}/documents",
        {"field": "metadata.nps", "operator": "LTE", "value": 8},
        q="delivery",
        sortBy="metadata.visit",
        sortOrder="ASC",
    )
    assert [document["externalId"] for document in found["items"]] == ["order/2", "order/3"]
