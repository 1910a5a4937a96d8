"""Insights over the routes: what they find in documents with a story, and how each item lists its documents."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from feedback.processing.executors import AnalysisExecutor
from tests.builders import NPS, Running, make_definition, make_document, make_running, make_sqlite

Json = dict[str, Any]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, executor: AnalysisExecutor) -> Iterator[tuple[Running, str]]:
    """Forty comments on the queue, which score low and all come in February; forty on the staff in both months."""
    with make_running(make_sqlite(tmp_path_factory.mktemp("insights")), executor) as running:
        dataset_id = running.dataset(metadataDefinitions=[NPS, make_definition("visit", "DATETIME")])
        running.load(
            dataset_id,
            *[comment("The queue was too long.", n % 4, "2026-02") for n in range(40)],
            *[comment("The staff was friendly.", 8 + n % 3, "2026-01" if n % 2 else "2026-02") for n in range(80)],
        )
        yield running, dataset_id


def comment(text: str, nps: int, month: str) -> Json:
    metadata = [{"code": "nps", "value": nps}, {"code": "visit", "value": f"{month}-10T12:00:00Z"}]
    return make_document(content=text, metadata=metadata)


def ask(told: tuple[Running, str], kind: str, body: Any) -> Json:
    running, dataset_id = told
    reply = running.http.post(f"/v1/insights/datasets/{dataset_id}/{kind}", json=body)
    assert reply.status_code == 200, reply.text
    found: Json = reply.json()
    return found


def listed(told: tuple[Running, str], query: Json) -> int:
    running, dataset_id = told
    return int(running.http.post(f"/v1/search/datasets/{dataset_id}/documents", json=query).json()["total"])


def test_the_driver_of_a_low_score_is_found_with_the_query_that_lists_its_documents(told: tuple[Running, str]) -> None:
    items = {item["label"]: item for item in ask(told, "drivers", {"field": "metadata.nps"})["items"]}
    assert (items["queue"]["significant"], items["queue"]["with"]) == (True, {"value": -100.0, "volume": 40})
    assert listed(told, items["queue"]["query"]) == 40


def test_what_grew_between_two_months_is_found(told: tuple[Running, str]) -> None:
    months = ("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z")
    periods = [{"field": "metadata.visit", "from": a, "to": b} for a, b in pairwise(months)]
    items = {item["label"]: item for item in ask(told, "changes", {"periods": periods})["items"]}
    assert (items["queue"]["change"], items["queue"]["significant"]) == (0.5, True)
    assert [listed(told, query) for query in items["queue"]["queries"]] == [0, 40]


def test_what_goes_together_is_found(told: tuple[Running, str]) -> None:
    found = ask(told, "associations", {"id": "staff__NOUN__1"})
    assert (found["volume"], found["total"]) == (80, 120)
    assert "queue" not in {item["label"] for item in found["items"]}


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("drivers", {}, "field"),
        ("drivers", {"field": "metadata.visit"}, "field"),
        ("drivers", {"field": "metadata.nps", "by": "WORDS"}, "by"),
        ("drivers", {"field": "metadata.nps", "period": {"field": "createdAt", "from": "May"}}, "period.from"),
        ("changes", {}, "periods"),
        ("associations", {}, "id"),
        ("associations", [], None),
    ],
)
def test_an_insight_that_cannot_be_given_says_why(told: tuple[Running, str], kind: str, body: Any, field: str) -> None:
    running, dataset_id = told
    reply = running.http.post(f"/v1/insights/datasets/{dataset_id}/{kind}", json=body)
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (422, field)
