"""Every route, as the OpenAPI document lists them, against every identity that must not get through."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from sqlalchemy import update

from feedback.processing.executors import AnalysisExecutor
from feedback.store.clients import create_client, issue_token, revoke_client
from feedback.store.tables import tokens
from tests.builders import Running, make_document, make_running, make_sqlite

MARKER = "Zanzibar-7f3a"
KINDS: dict[str, Any] = {
    "topics": {"code": "t", "label": MARKER, "terms": ["x"]},
    "opinions": {"term": MARKER, "opinion": "POSITIVE"},
    "classifiers": {"code": "c", "rules": [{"value": MARKER}]},
}
READING = {"/v1/search/", "/v1/aggregation/", "/v1/insights/"}


class Operation(NamedTuple):
    """One route with the victim's own ids in its address and the document's example as its body."""

    method: str
    template: str
    address: str
    media: str | None
    body: bytes

    @property
    def names_a_thing(self) -> bool:
        return "{" in self.template

    @property
    def writes(self) -> bool:
        reads = self.method == "GET" or any(self.template.startswith(prefix) for prefix in READING)
        return not reads and self.template != "/v1/token"


class Victim(NamedTuple):
    """A service in which one organisation has one of everything, all of it marked."""

    running: Running
    ids: dict[str, str]
    operations: list[Operation]

    def call(self, operation: Operation, token: str | None) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if operation.media is not None:
            headers["Content-Type"] = operation.media
        return self.running.http.request(operation.method, operation.address, headers=headers, content=operation.body)


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory, executor: AnalysisExecutor) -> Iterator[Victim]:
    with make_running(make_sqlite(tmp_path_factory.mktemp("identities")), executor) as running:
        running.login(MARKER)
        ids = make_everything(running)
        operations = list(list_operations(running.app.openapi(), ids))
        del running.http.headers["Authorization"]
        yield Victim(running, ids, operations)


def make_everything(running: Running) -> dict[str, str]:
    """One of each thing an address can name."""
    dataset_id = running.dataset(name=MARKER)
    base = f"/v1/management/datasets/{dataset_id}"
    hook = {"url": f"https://93.184.215.14/{MARKER}", "event": "ENDED_IMPORT"}
    webhook = running.http.post("/v1/management/webhooks", json=hook).json()
    batch = running.load(dataset_id, make_document(MARKER, f"The {MARKER} was great."))
    entries = {kind: running.http.post(f"{base}/{kind}", json=body).json()["id"] for kind, body in KINDS.items()}
    deliveries = running.http.get(f"/v1/management/webhooks/{webhook['id']}/deliveries").json()["items"]
    return {
        "dataset_id": dataset_id,
        "import_id": batch["id"],
        "external_id": MARKER,
        "webhook_id": webhook["id"],
        "delivery_id": deliveries[0]["id"],
        **entries,
    }


def list_operations(document: dict[str, Any], ids: dict[str, str]) -> Iterator[Operation]:
    for template, methods in document["paths"].items():
        for method, operation in methods.items():
            if (method, template) == ("post", "/v1/token"):
                continue
            media, body = example(operation.get("requestBody", {}).get("content", {}))
            kind = next((kind for kind in KINDS if f"/{kind}/" in template), "topics")
            address = template.format(**ids, entry_id=ids[kind])
            yield Operation(method.upper(), template, address, media, body)


def example(content: dict[str, Any]) -> tuple[str | None, bytes]:
    """The first media type that a route reads, and its example."""
    for media, described in content.items():
        found = described["example"]
        return media, found.encode() if isinstance(found, str) else json.dumps(found).encode()
    return None, b""


OPERATORS_PAGES = ("/livez", "/readyz", "/docs", "/v1/openapi.json", "/metrics", "/v1/nowhere")
# What a scrape tells changes with each.
CHANGING = ("/metrics",)


def test_head_is_answered_with_what_get_is_save_for_the_body_wherever_get_is_offered(victim: Victim) -> None:
    reading = [operation.address for operation in victim.operations if operation.method == "GET"]
    assert len(reading) >= 18
    headers = {"Authorization": f"Bearer {make_token(victim, MARKER)[1]}"}
    for address in (*reading, *OPERATORS_PAGES):
        full, head = (victim.running.http.request(m, address, headers=headers) for m in ("GET", "HEAD"))
        assert (head.status_code, head.content) == (full.status_code, b""), address
        assert full.status_code == 404 or full.content, address
        if address not in CHANGING:
            assert dict(head.headers) == dict(full.headers), address


def make_token(victim: Victim, organisation: str, scope: Any = "write") -> tuple[str, str]:
    """A new client's id and token."""
    with victim.running.engine.begin() as connection:
        client_id, secret = create_client(connection, organisation, scope)
        return client_id, issue_token(connection, client_id, secret, 3600)


def expired_token(victim: Victim) -> str:
    _, token = make_token(victim, MARKER)
    with victim.running.engine.begin() as connection:
        connection.execute(update(tokens).where(tokens.c.created_at == tokens.c.created_at).values(expires_at=1))
    return token


def revoked_token(victim: Victim) -> str:
    _, token = make_token(victim, MARKER)
    headers = {"Authorization": f"Bearer {token}"}
    assert victim.running.http.delete("/v1/token", headers=headers).status_code == 204
    return token


def token_of_a_revoked_client(victim: Victim) -> str:
    client_id, token = make_token(victim, MARKER)
    with victim.running.engine.begin() as connection:
        revoke_client(connection, client_id)
    return token


def no_token(_: Victim) -> None:
    return None


def unknown_token(_: Victim) -> str:
    return "f" * 43


def test_the_walk_meets_every_resource(victim: Victim) -> None:
    assert len(victim.operations) >= 30
    named = {part for operation in victim.operations for part in operation.template.split("/") if part.startswith("{")}
    assert named == {"{dataset_id}", "{import_id}", "{external_id}", "{webhook_id}", "{delivery_id}", "{entry_id}"}


@pytest.mark.parametrize("identity", [no_token, unknown_token, expired_token, revoked_token, token_of_a_revoked_client])
def test_who_has_no_live_token_gets_401_everywhere(victim: Victim, identity: Any) -> None:
    token = identity(victim)
    replies = [(operation, victim.call(operation, token)) for operation in victim.operations]
    assert [f"{o.method} {o.template}" for o, reply in replies if reply.status_code != 401] == []
    assert [o.template for o, reply in replies if MARKER in reply.text.replace(o.address, "")] == []


def test_another_organisation_finds_nothing_where_an_address_names_a_thing(victim: Victim) -> None:
    wrong = []
    for operation in [o for o in victim.operations if o.names_a_thing]:
        reply = victim.call(operation, make_token(victim, "Globex")[1])
        if reply.status_code != 404 or MARKER in reply.text:
            wrong.append(f"{operation.method} {operation.template}: {reply.status_code} {reply.text[:200]}")
    assert wrong == []


def test_another_organisation_sees_nothing_in_lists(victim: Victim) -> None:
    for operation in [o for o in victim.operations if not o.names_a_thing and o.method == "GET"]:
        reply = victim.call(operation, make_token(victim, "Initech")[1])
        assert (reply.status_code, reply.json()["total"]) == (200, 0), operation.template


def test_a_reading_client_may_change_nothing(victim: Victim) -> None:
    token = make_token(victim, MARKER, "read")[1]
    writing = [operation for operation in victim.operations if operation.writes]
    assert len(writing) >= 15
    statuses = {f"{o.method} {o.template}": victim.call(o, token).status_code for o in writing}
    assert {name: status for name, status in statuses.items() if status != 403} == {}


def test_a_reading_client_may_read_search_and_aggregate(victim: Victim) -> None:
    token = make_token(victim, MARKER, "read")[1]
    reading = [
        operation for operation in victim.operations if not operation.writes and operation.template != "/v1/token"
    ]
    statuses = {f"{o.method} {o.template}": victim.call(o, token).status_code for o in reading}
    assert {name: status for name, status in statuses.items() if status in (401, 403, 404)} == {}


def test_after_all_of_this_the_owner_still_has_everything(victim: Victim) -> None:
    token = make_token(victim, MARKER)[1]
    reading = [o for o in victim.operations if o.method == "GET" and o.names_a_thing]
    statuses = {o.template: victim.call(o, token).status_code for o in reading}
    assert {template: status for template, status in statuses.items() if status != 200} == {}
