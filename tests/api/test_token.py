"""Access tokens, and what opens without one."""

from base64 import b64encode
from typing import Any

import pytest
from sqlalchemy import update

from feedback.errors import Conflict
from feedback.settings import Settings
from feedback.store.clients import create_client, revoke_client, rotate_secret
from feedback.store.tables import tokens
from tests.builders import Running, make_dataset, make_running

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def credentials(on_sqlite: Running) -> tuple[str, str]:
    with on_sqlite.engine.begin() as connection:
        return create_client(connection, "Acme")


def basic(client_id: str, secret: str) -> dict[str, str]:
    return FORM | {"Authorization": "Basic " + b64encode(f"{client_id}:{secret}".encode()).decode()}


def works(service: Running, token: str) -> bool:
    reply = service.http.get("/v1/management/datasets", headers={"Authorization": f"Bearer {token}"})
    return reply.status_code == 200


def test_json_credentials_get_a_token_that_works(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    body = {"clientId": credentials[0], "clientSecret": credentials[1]}
    reply = on_sqlite.http.post("/v1/token", json=body).json()
    assert (reply["token_type"], reply["expires_in"]) == ("Bearer", 3600)
    assert works(on_sqlite, reply["access_token"])


def test_a_form_gets_a_token(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    form = {"grant_type": "client_credentials", "client_id": credentials[0], "client_secret": credentials[1]}
    assert works(on_sqlite, on_sqlite.http.post("/v1/token", data=form).json()["access_token"])


def test_http_basic_gets_a_token(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    reply = on_sqlite.http.post("/v1/token", content="grant_type=client_credentials", headers=basic(*credentials))
    assert works(on_sqlite, reply.json()["access_token"])


def test_a_wrong_secret_gets_none(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    reply = on_sqlite.http.post("/v1/token", json={"clientId": credentials[0], "clientSecret": "wrong"})
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (401, "invalid_client")
    assert "error" not in reply.json()


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ("grant_type=client_credentials&client_id=x&client_secret=y", 401, "invalid_client"),
        ("grant_type=password", 400, "unsupported_grant_type"),
        ("client_id=x", 400, "invalid_request"),
        ("grant_type=client_credentials", 400, "invalid_request"),
        ("grant_type=client_credentials&client_id=%00&client_secret=y", 401, "invalid_client"),
    ],
)
def test_refused_forms_carry_what_oauth_libraries_read(on_sqlite: Running, form: str, status: int, error: str) -> None:
    reply = on_sqlite.http.post("/v1/token", content=form, headers={"Authorization": ""} | FORM)
    body = reply.json()
    assert (reply.status_code, body["error"], body["success"]) == (status, error, False)
    assert body["error_description"]


@pytest.mark.parametrize("body", [{}, {"clientId": 1, "clientSecret": "x"}, [], "x"])
def test_a_json_body_that_is_no_credentials_is_malformed(on_sqlite: Running, body: Any) -> None:
    reply = on_sqlite.http.post("/v1/token", json=body, headers={"Authorization": ""})
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (400, "malformed_body")


def test_an_expired_token_is_refused(on_sqlite: Running) -> None:
    token = on_sqlite.token()
    with on_sqlite.engine.begin() as connection:
        connection.execute(update(tokens).values(expires_at=1))
    assert not works(on_sqlite, token)


def test_a_revoked_token_is_refused_at_once(on_sqlite: Running) -> None:
    token = on_sqlite.token()
    assert on_sqlite.http.delete("/v1/token", headers={"Authorization": f"Bearer {token}"}).status_code == 204
    assert not works(on_sqlite, token)


def test_a_revoked_client_loses_its_tokens(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    body = {"clientId": credentials[0], "clientSecret": credentials[1]}
    token = on_sqlite.http.post("/v1/token", json=body).json()["access_token"]
    with on_sqlite.engine.begin() as connection:
        revoke_client(connection, credentials[0])
    assert not works(on_sqlite, token)
    assert on_sqlite.http.post("/v1/token", json=body).status_code == 401


def test_during_a_rotation_both_secrets_work(on_sqlite: Running, credentials: tuple[str, str]) -> None:
    with on_sqlite.engine.begin() as connection:
        fresh = rotate_secret(connection, credentials[0])
    for secret in (credentials[1], fresh):
        body = {"clientId": credentials[0], "clientSecret": secret}
        assert on_sqlite.http.post("/v1/token", json=body).status_code == 200


def test_a_third_live_secret_is_refused_until_the_others_are_revoked(
    on_sqlite: Running, credentials: tuple[str, str]
) -> None:
    with on_sqlite.engine.begin() as connection:
        rotate_secret(connection, credentials[0])
        with pytest.raises(Conflict, match="two live secrets"):
            rotate_secret(connection, credentials[0])
        fresh = rotate_secret(connection, credentials[0], revoke_others=True)
    answers = {
        secret: on_sqlite.http.post("/v1/token", json={"clientId": credentials[0], "clientSecret": secret}).status_code
        for secret in (credentials[1], fresh)
    }
    assert answers == {credentials[1]: 401, fresh: 200}


def test_a_client_of_scope_read_reads_and_changes_nothing(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    on_sqlite.login(scope="read")
    assert on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}").status_code == 200
    assert on_sqlite.count(dataset_id) == 0
    reply = on_sqlite.http.post("/v1/management/datasets", json=make_dataset())
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (403, "insufficient_scope")


def test_too_many_token_requests_are_told_when_to_come_back(sqlite_settings: Settings, executor: Any) -> None:
    settings = sqlite_settings.model_copy(update={"token_requests_per_minute": 3})
    with make_running(settings, executor) as service:
        replies = [service.http.post("/v1/token", json={"clientId": "x", "clientSecret": "y"}) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [401, 401, 401, 429]
    assert 1 <= int(replies[3].headers["Retry-After"]) <= 20


def test_health_needs_no_token(on_sqlite: Running) -> None:
    for address in ("/livez", "/readyz"):
        assert on_sqlite.http.get(address, headers={"Authorization": ""}).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "application/problem+json", "Application/Problem+JSON"])
def test_every_failure_has_the_one_error_body(on_sqlite: Running, accept: str) -> None:
    for method, address, status in (
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/management/datasets/", 404),
        ("PUT", "/v1/token", 405),
        ("GET", "/v1/management/datasets?page=x", 400),
    ):
        reply = on_sqlite.http.request(method, address, headers={"Accept": accept})
        body = reply.json()
        assert reply.status_code == status
        assert reply.headers["content-type"] == accept.lower()
        assert set(body["errors"][0]) == {"code", "description", "field"}
        assert body.get("status" if "problem" in accept.lower() else "success") in (status, False)
