"""What an operator sees of a running API: health, metrics, CORS, and the document of the interface."""

import re
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.builders import Running, make_document

Json = dict[str, Any]


def metric(running: Running, name: str) -> float:
    text = running.http.get("/metrics").text
    found = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    assert len(found) == 1, text
    return float(found[0].split()[1])


def test_metrics_tell_the_depth_of_the_queue_and_what_was_processed(running: Running) -> None:
    dataset_id = running.dataset()
    running.send(dataset_id, make_document(), make_document(), {"content": "no id"})
    assert metric(running, "feedback_queued_documents") == 3
    assert metric(running, 'feedback_imports{state="STARTED"}') == 1
    running.work()
    assert metric(running, "feedback_queued_documents") == 0
    assert metric(running, "feedback_processed_documents_total") == 3
    assert metric(running, "feedback_failed_documents_total") == 1
    assert metric(running, 'feedback_imports{state="COMPLETED"}') == 1


def test_metrics_are_there_while_the_database_is_not(on_sqlite: Running) -> None:
    assert metric(on_sqlite, "feedback_database_up") == 1
    with on_sqlite.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE datasets RENAME TO gone")
    text = on_sqlite.http.get("/metrics").text
    assert "feedback_database_up 0.0" in text
    assert 'feedback_request_seconds_count{method="GET",route="/metrics",status="200"} 1.0' in text


def test_requests_are_timed_by_their_route_and_never_by_an_id_in_the_address(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}/documents/secret-customer-7")
    on_sqlite.http.get("/v1/nowhere/secret-customer-7")
    text = on_sqlite.http.get("/metrics").text
    route = "/v1/management/datasets/{dataset_id}/documents/{external_id}"
    assert f'feedback_request_seconds_count{{method="GET",route="{route}",status="404"}} 1.0' in text
    assert "secret-customer" not in text
    assert dataset_id not in text


def test_methods_that_a_caller_makes_up_are_counted_as_one(on_sqlite: Running) -> None:
    for number in range(3):
        on_sqlite.http.request(f"MADEUP{number}", "/v1/management/datasets")
    text = on_sqlite.http.get("/metrics").text
    assert 'feedback_request_seconds_count{method="other",route="/v1/management/datasets",status="405"} 3.0' in text
    assert "MADEUP" not in text


@pytest.mark.parametrize("address", ["/livez", "/readyz", "/metrics", "/v1/openapi.json", "/docs"])
def test_what_operators_need_needs_no_token(on_sqlite: Running, address: str) -> None:
    del on_sqlite.http.headers["Authorization"]
    assert on_sqlite.http.get(address).status_code == 200


def test_the_page_of_all_routes_loads_nothing_from_elsewhere(on_sqlite: Running) -> None:
    page = on_sqlite.http.get("/docs").text
    headings = {f"<b>{name.replace(' ', '</b>')}</h3>" for name, _ in operations(on_sqlite)}
    assert {heading for heading in headings if heading not in page} == set()
    links = set(re.findall(r"(?:src|href)='([^']*)", page))
    assert {link for link in links if not link.startswith("#")} == {"/v1/openapi.json"}
    assert "src=" not in page


@pytest.mark.parametrize(
    ("method", "address", "offered"),
    [
        ("DELETE", "/v1/management/datasets", "GET, HEAD, POST"),
        ("PUT", "/v1/management/datasets/65f0c2a9d3b1e4f5a6b7c8d9", "DELETE, GET, HEAD, PATCH"),
        ("POST", "/v1/management/datasets/65f0c2a9d3b1e4f5a6b7c8d9/documents/a/b", "DELETE, GET, HEAD"),
    ],
)
def test_a_method_that_is_not_offered_is_answered_with_those_that_are(
    on_sqlite: Running, method: str, address: str, offered: str
) -> None:
    reply = on_sqlite.http.request(method, address)
    assert (reply.status_code, reply.headers["allow"]) == (405, offered)


def test_browsers_of_any_origin_may_call(on_sqlite: Running) -> None:
    headers = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    reply = on_sqlite.http.request("OPTIONS", "/v1/management/datasets", headers=headers)
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, "*")


def operations(running: Running) -> list[tuple[str, Json]]:
    paths = running.http.get("/v1/openapi.json").json()["paths"]
    return [(f"{m.upper()} {path}", operation) for path, methods in paths.items() for m, operation in methods.items()]


def test_every_route_has_a_summary_and_says_what_it_does(on_sqlite: Running) -> None:
    assert [name for name, operation in operations(on_sqlite) if not operation.get("summary")] == []
    assert [name for name, operation in operations(on_sqlite) if not operation.get("description")] == []


def test_the_document_asks_for_nothing_that_a_request_may_leave_out(on_sqlite: Running) -> None:
    schemas = on_sqlite.http.get("/v1/openapi.json").json()["components"]["schemas"]
    needed = {name: schemas[name]["required"] for name in ("PeriodBody", "ClosedPeriodBody", "DefinitionChange")}
    assert needed == {
        "PeriodBody": ["field"],
        "ClosedPeriodBody": ["field", "from", "to"],
        "DefinitionChange": ["code"],
    }


def test_every_body_has_an_example(on_sqlite: Running) -> None:
    contents = {
        name: operation["requestBody"]["content"]
        for name, operation in operations(on_sqlite)
        if "requestBody" in operation
    }
    assert len(contents) >= 12
    assert [name for name, content in contents.items() if "example" not in next(iter(content.values()))] == []


def test_every_reply_with_a_body_has_an_example(on_sqlite: Running) -> None:
    missing = []
    assert len(operations(on_sqlite)) >= 40
    for name, operation in operations(on_sqlite):
        for status, reply in operation["responses"].items():
            content = reply.get("content", {}).get("application/json")
            if content is not None and "example" not in content:
                missing.append(f"{name} {status}")
    assert missing == []


def test_a_database_that_fails_is_logged_by_the_route_and_never_by_an_id_in_the_address(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    with on_sqlite.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE datasets RENAME TO gone")
    with capture_logs() as told:
        reply = on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}/documents/jo@example.org")
    assert (reply.status_code, [line["event"] for line in told]) == (503, ["database fails"])
    assert "jo@example.org" not in str(told)
