"""Where the service says no or not now, and what it forgets in time."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Table, func, insert, select, update

from feedback.processing.executors import AnalysisExecutor
from feedback.processing.housekeeping import Housekeeping
from feedback.settings import Settings
from feedback.store.tables import deliveries, idempotency_keys, tokens, tombstones
from tests.builders import Running, make_dataset, make_document, make_running


@pytest.fixture
def small(sqlite_settings: Settings, executor: AnalysisExecutor) -> Iterator[Running]:
    """A service that takes imports of at most four kilobytes and has room for three documents that wait."""
    limits = {"max_body_bytes": 4096, "max_request_bytes": 2048, "max_queued_documents": 3}
    settings = sqlite_settings.model_copy(update={**limits, "cors_origins": ("https://app.example",)})
    with make_running(settings, executor) as running:
        yield running


def error_of(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.json()["errors"][0]["code"]


@pytest.mark.parametrize("length", ["told", "untold"])
def test_an_import_past_the_cap_is_refused_whole_whether_or_not_it_told_its_length(small: Running, length: str) -> None:
    dataset_id = small.dataset()
    body = json.dumps({"documents": [make_document(content="x" * 5000)]}).encode()

    async def parts() -> Any:
        yield body[:2000]
        yield body[2000:]

    address = f"/v1/management/datasets/{dataset_id}/imports"
    headers = {"Content-Type": "application/json"}
    reply = small.http.post(address, content=body if length == "told" else parts(), headers=headers)
    assert error_of(reply) == (413, "too_large")
    assert small.http.get(address).json()["total"] == 0


def test_any_other_request_has_a_cap_of_its_own(small: Running) -> None:
    reply = small.http.post("/v1/management/datasets", json=make_dataset(name="x" * 3000))
    assert error_of(reply) == (413, "too_large")


def test_a_compressed_body_is_refused_because_it_may_hold_gigabytes(small: Running) -> None:
    address = f"/v1/management/datasets/{small.dataset()}/imports"
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert error_of(small.http.post(address, content=b"x", headers=headers)) == (415, "unsupported_encoding")


def test_a_full_queue_is_told_when_to_come_back_and_takes_imports_again_when_it_is_worked_off(small: Running) -> None:
    dataset_id = small.dataset()
    small.send(dataset_id, *[make_document() for _ in range(3)])
    again = {"documents": [make_document("late")]}
    address = f"/v1/management/datasets/{dataset_id}/imports"
    refused = small.http.post(address, json=again)
    assert error_of(refused) == (429, "queue_full")
    assert int(refused.headers["Retry-After"]) > 0
    small.work()
    assert small.http.post(address, json=again).status_code == 201


def test_only_configured_origins_may_call_from_a_browser(small: Running) -> None:
    allowed = {
        origin: small.http.get("/livez", headers={"Origin": origin}).headers.get("access-control-allow-origin")
        for origin in ("https://app.example", "https://evil.example")
    }
    assert allowed == {"https://app.example": "https://app.example", "https://evil.example": None}


def test_at_most_a_hundred_problems_of_a_request_are_told(on_sqlite: Running) -> None:
    definitions = [{"code": f"c{n}", "type": "NOTHING", "mandatory": False} for n in range(150)]
    reply = on_sqlite.http.post("/v1/management/datasets", json=make_dataset(metadataDefinitions=definitions))
    assert (reply.status_code, len(reply.json()["errors"])) == (422, 100)


@pytest.mark.parametrize("lang", ["zh-CN", "zh", "zh-Hans-CN"])
def test_a_language_tag_is_kept_as_sent_and_steered_by_its_first_part(on_sqlite: Running, lang: str) -> None:
    dataset_id = on_sqlite.dataset(lang=lang)
    batch = on_sqlite.load(dataset_id, make_document("x", "服务员态度很好。"))
    found = on_sqlite.documents(dataset_id, batch["id"])[0]
    assert found["lang"] == lang
    assert any(e["opinion"] == "POSITIVE" for e in found["enrichments"])


def test_erasures_are_told_since_an_instant(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    address = f"/v1/management/datasets/{dataset_id}"
    on_sqlite.load(dataset_id, make_document("x"))
    on_sqlite.http.delete(f"{address}/documents/x")
    erased_at = on_sqlite.http.get(f"{address}/erasures").json()["items"][0]["erasedAt"]
    told = {
        since: on_sqlite.http.get(f"{address}/erasures", params={"since": since}).json().get("total")
        for since in (erased_at, "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z")
    }
    assert list(told.values()) == [1, 1, 0]
    assert error_of(on_sqlite.http.get(f"{address}/erasures?since=yesterday")) == (422, "invalid_value")
    unescaped = on_sqlite.http.get(f"{address}/erasures?since=2026-11-21T10:15:00+00:00")
    assert "%2B" in unescaped.json()["errors"][0]["description"]


def test_what_has_served_its_time_is_deleted_and_nothing_younger(on_sqlite: Running) -> None:
    hook = {"url": "https://93.184.215.14/", "event": "ENDED_IMPORT"}
    on_sqlite.http.post("/v1/management/webhooks", json=hook)
    dataset_id = on_sqlite.dataset()
    address = f"/v1/management/datasets/{dataset_id}/imports"
    for key in ("old", "young"):
        on_sqlite.http.post(address, json={"documents": []}, headers={"Idempotency-Key": key})
    on_sqlite.token()
    live = on_sqlite.http.headers["Authorization"]
    with on_sqlite.engine.begin() as connection:
        first = connection.scalar(select(func.min(deliveries.c.id)))
        long_ago = 1_000
        connection.execute(update(deliveries).where(deliveries.c.id == first).values(ended_at=long_ago))
        connection.execute(update(idempotency_keys).where(idempotency_keys.c.key == "old").values(created_at=long_ago))
        owner = connection.scalar(select(tokens.c.client_id).limit(1))
        ended = {"token_hash": "ended", "client_id": owner, "created_at": 0, "expires_at": long_ago}
        connection.execute(insert(tokens).values(ended))
    before = [count(on_sqlite, table) for table in (deliveries, idempotency_keys, tokens)]
    assert Housekeeping(on_sqlite.settings, on_sqlite.engine).turn()
    after = [count(on_sqlite, table) for table in (deliveries, idempotency_keys, tokens)]
    assert after == [number - 1 for number in before]
    assert all(after)
    assert on_sqlite.http.get("/v1/management/datasets", headers={"Authorization": live}).status_code == 200


def test_an_idle_worker_takes_an_erased_documents_row_out_of_its_segment_in_due_time(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    on_sqlite.load(dataset_id, *(make_document(f"d{n}") for n in range(20)))
    on_sqlite.http.delete(f"/v1/management/datasets/{dataset_id}/documents/d3")
    later = on_sqlite.settings.model_copy(update={"erased_row_days": 0.0})
    for settings, dead in ((on_sqlite.settings, 1), (later, 0)):
        keeper = Housekeeping(settings, on_sqlite.engine)
        while keeper.turn():
            pass
        assert count(on_sqlite, tombstones) == dead
    assert on_sqlite.count(dataset_id) == 19


def count(running: Running, table: Table) -> int:
    with running.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0
