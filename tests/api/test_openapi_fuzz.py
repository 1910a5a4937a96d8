"""A thousand requests made up from the OpenAPI document: none may break the service or the document's promises."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from feedback.processing.executors import AnalysisExecutor
from tests.builders import Running, make_document, make_running, make_sqlite

CASES = int(os.environ.get("FEEDBACK_FUZZ_CASES", "1000"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory, executor: AnalysisExecutor) -> Iterator[Running]:
    with make_running(make_sqlite(tmp_path_factory.mktemp("fuzz")), executor) as running:
        yield running


def make_real_ids(running: Running) -> dict[str, str]:
    """Something that exists for each name in an address, so that not every request ends at 404."""
    dataset_id = running.dataset()
    batch = running.load(dataset_id, make_document("a"), make_document("b", "The coffee was awful."))
    hook = {"url": "https://93.184.215.14/", "event": "ENDED_IMPORT"}
    webhook = running.http.post("/v1/management/webhooks", json=hook).json()
    return {"dataset_id": dataset_id, "import_id": batch["id"], "external_id": "a", "webhook_id": webhook["id"]}


def cases(operation: Any, real: dict[str, str]) -> st.SearchStrategy[Any]:
    """Requests that keep to the document and such that do not, to things that exist and to things that do not."""
    names = {name for name in real if f"{{{name}}}" in operation.path}
    # What exists is not deleted, or all that follows would meet nothing but 404.
    real_path = {name: real[name] for name in names} if names and operation.method != "delete" else None
    strategies = [operation.as_strategy(mode) for mode in GenerationMode if mode_applies(operation, mode)]
    if real_path is not None and "delivery_id" not in operation.path and "entry_id" not in operation.path:
        strategies += [
            operation.as_strategy(mode, path_parameters=real_path)
            for mode in GenerationMode
            if mode_applies(operation, mode)
        ]
    return st.one_of(strategies)


def mode_applies(operation: Any, mode: GenerationMode) -> bool:
    """Where nothing is declared, nothing can be violated."""
    return mode is GenerationMode.POSITIVE or bool(operation.query or operation.body)


def send_made_up(requests: st.SearchStrategy[Any], token: str, number: int, most: int) -> int:
    """Sends at most so many requests of one route, the same in every run; returns how many."""
    sent = 0

    @seed(number)
    @settings(max_examples=most, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=requests)
    def check(case: Any) -> None:
        nonlocal sent
        sent += 1
        response = case.call(headers={"Authorization": f"Bearer {token}"})
        case.validate_response(response, checks=CHECKS)

    check()
    return sent


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_made_up_requests_meet_documented_replies(fuzzed: Running) -> None:
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", fuzzed.app)
    found = list(schema.get_all_operations())
    operations = [result.ok() for result in found if isinstance(result, Ok)]
    assert len(operations) == len(found)
    real = make_real_ids(fuzzed)
    most = -(-CASES // len(operations))
    sent = [
        send_made_up(cases(operation, real), fuzzed.token(), number, most)
        for number, operation in enumerate(operations)
    ]
    assert sum(sent) >= CASES * 0.8
