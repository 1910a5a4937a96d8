"""How the client speaks to a service, and how it bears one that fails."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from feedback.client import FeedbackClient, Permanent, Transient
from feedback.client.http import batch_body

MakeClient = Callable[..., FeedbackClient]
DATASET = {"id": "d1", "name": "visits", "state": "ACTIVE"}
DATASETS = "/v1/management/datasets"
IMPORTS = f"{DATASETS}/d1/imports"
STARTED = {"id": "i1", "state": "STARTED", "totalDocuments": 1}
BUSY = {"success": False, "errors": [{"code": "rate_limited", "description": "slow down", "field": None}]}


def page(items: list[Any], total: int) -> dict[str, Any]:
    return {"page": 1, "pageSize": 500, "total": total, "items": items}


def test_one_token_serves_many_calls(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{DATASETS}/d1", (200, DATASET))
    client = make_client()
    for _ in range(3):
        client.get_dataset("d1")
    assert len(service.seen("/v1/token")) == 1
    assert json.loads(service.seen("/v1/token")[0][3]) == {"clientId": "id", "clientSecret": "secret"}


def test_a_revoked_token_is_renewed_once(service: Any, make_client: MakeClient) -> None:
    service.answer("/v1/token", (200, {"access_token": "old", "expires_in": 3600}), (200, {"access_token": "new"}))
    service.answer(f"{DATASETS}/d1", (401, {}), (200, DATASET))
    assert make_client().get_dataset("d1").name == "visits"
    assert [request[2]["Authorization"] for request in service.seen(f"{DATASETS}/d1")] == ["Bearer old", "Bearer new"]


def test_wrong_credentials_are_permanent(service: Any, make_client: MakeClient) -> None:
    service.answer("/v1/token", (401, {"errors": [{"code": "invalid_client", "description": "unknown client"}]}))
    with pytest.raises(Permanent, match="unknown client"):
        make_client().get_dataset("d1")


def test_a_busy_service_is_asked_again_after_the_time_it_names(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{DATASETS}/d1", (429, BUSY, {"Retry-After": "1"}), (200, DATASET))
    started = datetime.now(UTC)
    make_client().get_dataset("d1")
    assert (datetime.now(UTC) - started).total_seconds() >= 1


def test_whoever_waits_is_told_for_what_and_how_long(
    service: Any, make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    service.answer(f"{DATASETS}/d1", (503, {}, {"Retry-After": "1"}), (200, DATASET))
    make_client(patience=30.0).get_dataset("d1")
    (told,) = caplog.messages
    assert "503" in told
    assert "asking again in 1 s, giving up after 30 s" in told


def test_a_request_under_way_under_the_same_key_is_waited_for(service: Any, make_client: MakeClient) -> None:
    under_way = {
        "errors": [{"code": "request_in_flight", "description": "still under way", "field": "Idempotency-Key"}]
    }
    service.answer(IMPORTS, (409, under_way, {"Retry-After": "1"}), (201, STARTED))
    assert make_client().create_import("d1", [{"externalId": "a", "content": "x"}], idempotency_key="k").id == "i1"
    assert len(service.seen(IMPORTS)) == 2


def test_patience_is_a_deadline(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{DATASETS}/d1", (503, {}, {"Retry-After": "600"}))
    started = datetime.now(UTC)
    with pytest.raises(Transient) as caught:
        make_client().get_dataset("d1")
    assert caught.value.retry_after == 600
    assert (datetime.now(UTC) - started).total_seconds() < 2


def test_a_broken_connection_is_tried_again_where_nothing_can_happen_twice(
    service: Any, make_client: MakeClient
) -> None:
    service.answer(IMPORTS, (0, b""), (201, STARTED))
    made = make_client().create_import("d1", [{"externalId": "a", "content": "x"}], idempotency_key="k")
    assert made.id == "i1"
    assert {request[2]["Idempotency-Key"] for request in service.seen(IMPORTS)} == {"k"}
    assert len({request[3] for request in service.seen(IMPORTS)}) == 1


def test_a_dataset_is_not_declared_twice_by_a_retry(service: Any, make_client: MakeClient) -> None:
    service.answer(DATASETS, (500, {}), (201, DATASET))
    with pytest.raises(Transient):
        make_client().create_dataset({"name": "visits"})
    assert len(service.seen(DATASETS)) == 1


def test_a_refusal_carries_the_services_words(service: Any, make_client: MakeClient) -> None:
    error = {"code": "name_taken", "description": "visits exists", "field": "name"}
    service.answer(DATASETS, (409, {"success": False, "errors": [error]}))
    with pytest.raises(Permanent, match="name: visits exists") as caught:
        make_client().create_dataset({"name": "visits"})
    assert caught.value.codes == {"name_taken"}


def test_a_code_of_a_newer_service_is_still_a_refusal(service: Any, make_client: MakeClient) -> None:
    service.answer(DATASETS, (422, {"errors": [{"code": "invented_later", "description": "no"}]}))
    with pytest.raises(Permanent, match="no"):
        make_client().create_dataset({})


def test_unknown_members_and_states_are_read_past(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{IMPORTS}/i1", (200, STARTED | {"state": "PONDERING", "novel": [1]}))
    found = make_client().get_import("d1", "i1")
    assert (found.state, found.ended) == ("PONDERING", False)


def test_timestamps_become_moments(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{IMPORTS}/i1", (200, STARTED | {"endedAt": "2026-03-01T10:00:00.250Z"}))
    assert make_client().get_import("d1", "i1").ended_at == datetime(2026, 3, 1, 10, 0, 0, 250000, tzinfo=UTC)


def test_a_reply_that_cannot_be_read_is_permanent(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{IMPORTS}/i1", (200, b"<html>a proxy says hello</html>"))
    with pytest.raises(Permanent, match="cannot be read"):
        make_client().get_import("d1", "i1")


def test_pages_are_walked_to_the_last(service: Any, make_client: MakeClient) -> None:
    documents = [{"id": str(n), "externalId": str(n)} for n in range(5)]
    service.answer(f"{IMPORTS}/i1/documents", (200, page(documents[:3], 5)), (200, page(documents[3:], 5)))
    pages = list(make_client().import_documents("d1", "i1"))
    assert [document.external_id for each in pages for document in each.items] == list("01234")


def test_what_an_erasure_moves_to_a_page_read_before_is_not_lost(service: Any, make_client: MakeClient) -> None:
    documents = [{"id": str(n), "externalId": str(n)} for n in range(5)]
    left = [(200, page(documents[1:4], 4)), (200, page(documents[4:], 4))]
    service.answer(f"{IMPORTS}/i1/documents", (200, page(documents[:3], 5)), left[1], *left)
    pages = list(make_client().import_documents("d1", "i1"))
    assert {document.external_id for each in pages for document in each.items} == set("01234")
    asked = [query for _, query, _, _ in service.seen(f"{IMPORTS}/i1/documents")]
    assert [query.partition("page=")[2][0] for query in asked] == list("1212")


def test_an_external_id_may_hold_any_character(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{DATASETS}/d1/documents/a%2Fb%20%C3%A9%3F", (200, {"id": "1", "externalId": "a/b é?"}))
    assert make_client().get_document("d1", "a/b é?").external_id == "a/b é?"


@pytest.mark.parametrize("external_id", [".", "..", "a.b", "../d2"])
def test_an_external_id_of_dots_is_no_way_up(service: Any, make_client: MakeClient, external_id: str) -> None:
    address = f"{DATASETS}/d1/documents/{quote(external_id, safe='').replace('.', '%2E')}"
    service.answer(address, (204, b""))
    make_client().erase_document("d1", external_id)
    assert [request[:2] for request in service.seen(address)] == [("DELETE", address)]


def test_what_is_gone_after_a_lost_reply_was_deleted(service: Any, make_client: MakeClient) -> None:
    service.answer(f"{DATASETS}/d1/documents/x", (0, {}), (404, {}))
    make_client().erase_document("d1", "x")
    with pytest.raises(Permanent):
        make_client().erase_document("d1", "x")


def test_a_service_without_insights_says_none(service: Any, make_client: MakeClient) -> None:
    assert make_client().insights("d1", "drivers", {}) is None


def test_the_same_documents_are_the_same_bytes() -> None:
    documents = [{"externalId": "é", "content": "x", "metadata": [{"code": "nps", "value": 9}]}]
    assert batch_body(documents) == batch_body(iter(documents))
    assert json.loads(batch_body(documents)) == {"documents": documents}


def test_a_terms_label_is_read_from_its_id(service: Any, make_client: MakeClient) -> None:
    enrichment = {"term": "customer_service__NOUN__1", "opinion": "NEGATIVE", "offset": {"begin": 0, "end": 16}}
    service.answer(f"{DATASETS}/d1/documents/a", (200, {"id": "1", "externalId": "a", "enrichments": [enrichment]}))
    assert make_client().get_document("d1", "a").enrichments[0].label == "customer service"
