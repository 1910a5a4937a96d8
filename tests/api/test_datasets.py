"""Datasets: declared, read, listed, amended, deleted, and seen by their organisation alone."""

from typing import Any

import pytest

from tests.builders import NPS, Running, make_dataset, make_definition, make_document


def test_a_new_dataset_is_active_with_all_defaults_filled_in(running: Running) -> None:
    sent = make_dataset(
        metadataDefinitions=[
            NPS,
            {"code": "store", "type": "STRING", "mandatory": True},
            {"code": "score", "type": "csat", "mandatory": False, "bounds": {"upper": 5, "lower": 1}},
        ]
    )
    record = running.http.post("/v1/management/datasets", json=sent).json()
    assert {name: record[name] for name in ("name", "lang", "type", "industry", "state")} == {
        "name": sent["name"],
        "lang": "en",
        "type": "SATISFACTION_SURVEY_RESPONSE",
        "industry": "RETAIL_B2C",
        "state": "ACTIVE",
    }
    assert record["monthlyImportedDocuments"] == []
    assert record["createdAt"] == record["updatedAt"]
    shared = {"personalData": False, "allowedValues": []}
    assert record["metadataDefinitions"] == [
        NPS | shared | {"bounds": {"upper": 10, "lower": 0}},
        {"code": "store", "type": "STRING", "mandatory": True} | shared | {"maxLength": 200},
        {"code": "score", "type": "csat", "mandatory": False} | shared | {"bounds": {"upper": 5, "lower": 1}},
    ]


def test_a_dataset_reads_as_it_was_created(running: Running) -> None:
    created = running.http.post("/v1/management/datasets", json=make_dataset()).json()
    assert running.http.get(f"/v1/management/datasets/{created['id']}").json() == created
    assert running.http.get("/v1/management/datasets").json()["items"] == [created]


def test_a_record_can_be_sent_back_to_make_another_dataset(on_sqlite: Running) -> None:
    record = on_sqlite.http.post("/v1/management/datasets", json=make_dataset()).json()
    reply = on_sqlite.http.post("/v1/management/datasets", json=record | {"name": "Copy"})
    assert (reply.status_code, reply.json()["id"] != record["id"]) == (201, True)


def test_a_name_can_be_taken_once_in_an_organisation(running: Running) -> None:
    running.dataset(name="Reviews")
    reply = running.http.post("/v1/management/datasets", json=make_dataset(name="Reviews"))
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (409, "name_taken")
    running.login("Other")
    running.dataset(name="Reviews")


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"name": None}, "name", "required"),
        ({"name": "  "}, "name", "too_short"),
        ({"name": 5}, "name", "wrong_type"),
        ({"lang": "english"}, None, None),
        ({"lang": "?"}, "lang", "invalid_value"),
        ({"type": "survey"}, "type", "invalid_value"),
        ({"industry": "RETAIL-B2C"}, "industry", "invalid_value"),
        ({"colour": "red"}, "colour", "unknown_field"),
        ({"metadataDefinitions": {}}, "metadataDefinitions", "wrong_type"),
        ({"metadataDefinitions": [NPS, NPS]}, "metadataDefinitions[1].code", "duplicate"),
        ({"metadataDefinitions": [NPS | {"code": "a b"}]}, "metadataDefinitions[0].code", "invalid_value"),
        ({"metadataDefinitions": [NPS | {"type": "TEXT"}]}, "metadataDefinitions[0].type", "invalid_value"),
        (
            {"metadataDefinitions": [NPS | {"bounds": {"lower": 1, "upper": 5}}]},
            "metadataDefinitions[0].bounds",
            "illegal_combination",
        ),
        ({"metadataDefinitions": [NPS | {"maxLength": 5}]}, "metadataDefinitions[0].maxLength", "illegal_combination"),
        (
            {"metadataDefinitions": [make_definition("n", "Number", bounds={"lower": 2, "upper": 1})]},
            "metadataDefinitions[0].bounds",
            "invalid_value",
        ),
        (
            {"metadataDefinitions": [make_definition("n", "Number", bounds={"lower": 10**400})]},
            "metadataDefinitions[0].bounds.lower",
            "out_of_bounds",
        ),
        (
            {"metadataDefinitions": [make_definition("s", "STRING", allowedValues=["a", 5])]},
            "metadataDefinitions[0].allowedValues[1]",
            "wrong_type",
        ),
    ],
)
def test_a_declaration_that_breaks_a_rule_is_refused(
    on_sqlite: Running, changes: dict[str, Any], field: str | None, code: str | None
) -> None:
    reply = on_sqlite.http.post("/v1/management/datasets", json=make_dataset(**changes))
    if field is None:
        assert reply.status_code == 201
    else:
        assert (reply.status_code, [(e["field"], e["code"]) for e in reply.json()["errors"]]) == (422, [(field, code)])


def test_all_problems_of_a_declaration_are_reported_at_once(on_sqlite: Running) -> None:
    definitions = [{}, 3, {"code": "a", "type": "TEXT", "mandatory": "yes"}]
    reply = on_sqlite.http.post("/v1/management/datasets", json={"name": 1, "metadataDefinitions": definitions})
    fields = {error["field"] for error in reply.json()["errors"]}
    assert {"name", "lang", "type", "industry", "metadataDefinitions[0].code", "metadataDefinitions[1]"} <= fields
    assert {"metadataDefinitions[2].type", "metadataDefinitions[2].mandatory"} <= fields


def test_definitions_and_allowed_values_can_be_added(running: Running) -> None:
    size = make_definition("size", "STRING", allowedValues=["S"])
    dataset_id = running.dataset(metadataDefinitions=[size])
    added = [{"code": "size", "allowedValues": ["M"]}, make_definition("nps", "NPS")]
    reply = running.http.patch(f"/v1/management/datasets/{dataset_id}", json={"metadataDefinitions": added})
    first, second = reply.json()["metadataDefinitions"]
    assert (reply.status_code, first["allowedValues"], second["code"]) == (200, ["S", "M"], "nps")
    metadata = [{"code": "size", "value": "M"}, {"code": "nps", "value": 9}]
    assert running.load(dataset_id, make_document(metadata=metadata))["errors"] == []


def test_the_definitions_of_a_record_can_be_sent_back_and_change_nothing(on_sqlite: Running) -> None:
    half_open = make_definition("score", "CSAT", bounds={"upper": 5})
    dataset_id = on_sqlite.dataset(metadataDefinitions=[NPS, half_open, make_definition("n", "Number", bounds={})])
    address = f"/v1/management/datasets/{dataset_id}"
    definitions = on_sqlite.http.get(address).json()["metadataDefinitions"]
    reply = on_sqlite.http.patch(address, json={"metadataDefinitions": definitions})
    assert (reply.status_code, reply.json().get("metadataDefinitions")) == (200, definitions)


def test_no_number_of_changes_brings_more_definitions_or_values_than_a_dataset_takes(on_sqlite: Running) -> None:
    sizes = make_definition("size", "STRING", allowedValues=[str(n) for n in range(10_000)])
    others = [make_definition(f"m{n}", "Number") for n in range(499)]
    address = f"/v1/management/datasets/{on_sqlite.dataset(metadataDefinitions=[sizes, *others])}"
    for added in (make_definition("more", "Number"), {"code": "size", "allowedValues": ["10000"]}):
        reply = on_sqlite.http.patch(address, json={"metadataDefinitions": [added]})
        assert (reply.status_code, reply.json()["errors"][0]["code"]) == (422, "too_many")


@pytest.mark.parametrize(
    "change",
    [
        {"code": "nps", "type": "Number"},
        {"code": "score", "bounds": {"upper": 5, "lower": 1}},
        {"code": "nps", "mandatory": True},
        {"code": "store", "allowedValues": ["A"]},
        {"code": "store", "maxLength": 5},
    ],
)
def test_what_stored_documents_rely_on_cannot_be_changed(on_sqlite: Running, change: dict[str, Any]) -> None:
    score = make_definition("score", "CSAT", bounds={"upper": 5})
    dataset_id = on_sqlite.dataset(metadataDefinitions=[NPS, make_definition("store", "STRING"), score])
    reply = on_sqlite.http.patch(f"/v1/management/datasets/{dataset_id}", json={"metadataDefinitions": [change]})
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (422, "illegal_combination")


def test_a_deleted_dataset_is_gone_with_its_documents_and_its_name_is_free(running: Running) -> None:
    dataset_id = running.dataset(name="Reviews")
    running.load(dataset_id, make_document("x"))
    assert running.http.delete(f"/v1/management/datasets/{dataset_id}").status_code == 204
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").status_code == 404
    running.dataset(name="Reviews")


def test_a_dataset_of_another_organisation_does_not_exist(running: Running) -> None:
    dataset_id = running.dataset()
    running.login("Other")
    assert running.http.get(f"/v1/management/datasets/{dataset_id}").status_code == 404
    assert running.http.get("/v1/management/datasets").json()["total"] == 0


def test_masking_replaces_personal_data_before_a_document_is_stored(running: Running) -> None:
    dataset_id = running.dataset(masking=True)
    running.load(dataset_id, make_document("x", "Great staff, write to jo@example.org"))
    document = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()
    assert document["content"] == "Great staff, write to [EMAIL]"


def test_pages_past_the_last_are_empty(on_sqlite: Running) -> None:
    on_sqlite.dataset()
    page = on_sqlite.http.get("/v1/management/datasets", params={"page": 9, "pageSize": 5}).json()
    assert page == {"page": 9, "pageSize": 5, "total": 1, "items": []}


@pytest.mark.parametrize(
    ("params", "status"),
    [({"page": 0}, 422), ({"pageSize": 501}, 422), ({"page": "x"}, 400), ({"page": 10**30}, 422)],
)
def test_a_page_that_cannot_be_is_refused(on_sqlite: Running, params: dict[str, Any], status: int) -> None:
    reply = on_sqlite.http.get("/v1/management/datasets", params=params)
    assert (reply.status_code, reply.json()["success"]) == (status, False)


def test_all_parameters_that_cannot_be_are_named_at_once(on_sqlite: Running) -> None:
    reply = on_sqlite.http.get("/v1/management/datasets", params={"page": "x", "pageSize": 501})
    found = [(error["code"], error["field"]) for error in reply.json()["errors"]]
    assert (reply.status_code, found) == (400, [("malformed_parameter", "page"), ("out_of_bounds", "pageSize")])
