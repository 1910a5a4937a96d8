"""Classifiers learnt from labelled documents: what is refused, what comes back, and what becomes of texts."""

from typing import Any

import pytest

from tests.builders import Running, make_document

Json = dict[str, Any]
BILLS = ["The invoice charges me twice", "My bill is wrong again", "They charged a fee I never agreed to"]
SIGNALS = ["No signal in my street", "The signal drops at every call", "The network is down again"]
DAYS = ["Monday", "Tuesday", "yesterday", "today"]


def make_labelled() -> list[Json]:
    """Twelve texts on bills and twelve on the network, no two alike."""
    return [
        {"text": f"{text} since {day}.", "value": value}
        for value, texts in (("billing", BILLS), ("network", SIGNALS))
        for text in texts
        for day in DAYS
    ]


def address(dataset_id: str) -> str:
    return f"/v1/management/datasets/{dataset_id}/classifiers"


def fit(running: Running, dataset_id: str, documents: list[Json]) -> Json:
    body = {"code": "matter", "kind": "FITTED", "documents": documents}
    reply = running.http.post(address(dataset_id), json=body)
    assert reply.status_code == 201, reply.text
    record: Json = reply.json()
    return record


def problems(running: Running, dataset_id: str, documents: object) -> set[tuple[str, str | None]]:
    body = {"code": "matter", "kind": "FITTED", "documents": documents}
    reply = running.http.post(address(dataset_id), json=body)
    assert reply.status_code == 422, reply.text
    return {(problem["code"], problem["field"]) for problem in reply.json()["errors"]}


def test_a_fitted_classifier_gives_new_documents_a_value_that_can_be_aggregated(running: Running) -> None:
    dataset_id = running.dataset()
    fit(running, dataset_id, make_labelled())
    texts = ["Why is this fee on my bill?", "I have no network at all.", "An invoice I never agreed to!"]
    running.load(dataset_id, *[make_document(content=text) for text in texts])
    body = {"field": "externalId", "dimensions": [{"field": "classifier.matter", "group": "DISTINCT"}]}
    reply = running.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=body)
    values = reply.json()["periods"][0]["values"]
    assert [(item["dimensions"][0]["value"], item["value"]) for item in values] == [("billing", 2), ("network", 1)]


def test_it_learns_from_documents_of_the_dataset_and_a_reanalysis_gives_them_its_value(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    labelled = make_labelled()
    on_sqlite.load(dataset_id, *[make_document(f"d{n}", item["text"]) for n, item in enumerate(labelled)])
    fit(on_sqlite, dataset_id, [{"externalId": f"d{n}", "value": item["value"]} for n, item in enumerate(labelled)])
    on_sqlite.http.post(f"/v1/management/datasets/{dataset_id}/reanalyse")
    on_sqlite.work()
    found = on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}/documents/d0").json()
    assert found["classifiers"] == {"matter": "billing"}


def test_its_record_tells_how_often_it_was_right_on_documents_held_back(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    record = fit(on_sqlite, dataset_id, make_labelled())
    assert record["classes"] == [{"value": "billing", "documents": 12}, {"value": "network", "documents": 12}]
    assert (record["kind"], record["folds"]) == ("FITTED", 5)
    assert record["accuracy"] >= 0.9
    assert record["macroF1"] >= 0.9
    assert on_sqlite.http.get(address(dataset_id)).json()["items"] == [record]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([], {("required", "documents")}),
        (make_labelled()[:12], {("out_of_bounds", "documents")}),
        (make_labelled()[:20], {("out_of_bounds", "documents")}),
        ([*make_labelled(), {"value": "billing"}], {("required", "documents[24]")}),
        ([*make_labelled(), {"value": "billing", "text": "a", "externalId": "b"}], {("required", "documents[24]")}),
        ([*make_labelled(), {"value": 3, "text": "a"}], {("wrong_type", "documents[24].value")}),
        ([*make_labelled(), {"value": "billing", "externalId": "x"}], {("not_found", "documents[24].externalId")}),
        (
            [*make_labelled(), *[{"value": "billing", "externalId": "x"}] * 2],
            {("duplicate", "documents[25].externalId")},
        ),
        ([{"value": "ab"[n % 2], "text": chr(0x4E00 + n)} for n in range(20)], {("invalid_value", "documents")}),
    ],
)
def test_all_that_is_wrong_with_labelled_documents_is_named(
    on_sqlite: Running, documents: list[Json], expected: set[tuple[str, str | None]]
) -> None:
    assert problems(on_sqlite, on_sqlite.dataset(), documents) == expected
