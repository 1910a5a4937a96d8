"""A dataset analysed once more: what changes, what is told of it, and what stays as it was."""

from typing import Any

import pytest

from tests.builders import Running, make_definition, make_document

Json = dict[str, Any]
TEXTS = {"a": "The zorby lamp.", "b": "The taxi was zorby.", "c": "The staff was friendly."}


def make_loaded(running: Running) -> tuple[str, Json]:
    dataset_id = running.dataset()
    return dataset_id, running.load(dataset_id, *[make_document(name, text) for name, text in TEXTS.items()])


def reanalyse(running: Running, dataset_id: str) -> Json:
    """Starts a re-analysis, has it processed, and returns its record."""
    reply = running.http.post(f"/v1/management/datasets/{dataset_id}/reanalyse")
    assert reply.status_code == 201, reply.text
    assert (reply.json()["state"], reply.json()["kind"]) == ("STARTED", "REANALYSIS")
    running.work()
    return running.get_import(dataset_id, reply.json()["id"])


def zorby_is_bad(running: Running, dataset_id: str) -> None:
    body = {"term": "zorby", "opinion": "NEGATIVE", "context": ["taxi"]}
    assert running.http.post(f"/v1/management/datasets/{dataset_id}/opinions", json=body).status_code == 201


def document(running: Running, dataset_id: str, external_id: str) -> Json:
    found: Json = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/{external_id}").json()
    return found


def changes(running: Running, dataset_id: str, job: Json) -> list[Json]:
    address = f"/v1/management/datasets/{dataset_id}/imports/{job['id']}/changes"
    items: list[Json] = running.http.get(address).json()["items"]
    return items


def negative_taxis(running: Running, dataset_id: str) -> int:
    query = {"field": "TERMS", "operator": "EQ", "value": "taxi__NOUN__1", "opinion": "NEGATIVE"}
    reply = running.http.post(f"/v1/search/datasets/{dataset_id}/documents", json=query)
    return int(reply.json()["total"])


def test_a_new_opinion_entry_reaches_documents_that_are_there(running: Running) -> None:
    dataset_id, _ = make_loaded(running)
    zorby_is_bad(running, dataset_id)
    job = reanalyse(running, dataset_id)
    assert (job["state"], job["totalDocuments"], job["processedDocuments"]) == ("COMPLETED", 3, 3)
    taxi = [e for e in document(running, dataset_id, "b")["enrichments"] if e["term"] == "taxi__NOUN__1"]
    assert [e["opinion"] for e in taxi] == ["NEGATIVE"]
    assert negative_taxis(running, dataset_id) == 1
    assert running.count(dataset_id) == 3


def test_what_changed_is_told_with_before_and_after(running: Running) -> None:
    dataset_id, _ = make_loaded(running)
    zorby_is_bad(running, dataset_id)
    told = changes(running, dataset_id, reanalyse(running, dataset_id))
    gained = {
        "change": "OPINION_GAINED",
        "value": "taxi__NOUN__1",
        "before": "NEUTRAL",
        "after": "NEGATIVE",
        "count": 1,
    }
    assert gained in told


def test_the_documents_of_a_reanalysis_are_those_it_changed(running: Running) -> None:
    dataset_id, batch = make_loaded(running)
    zorby_is_bad(running, dataset_id)
    job = reanalyse(running, dataset_id)
    assert [d["externalId"] for d in running.documents(dataset_id, job["id"])] == ["b"]
    assert [d["externalId"] for d in running.documents(dataset_id, batch["id"])] == ["a", "b", "c"]


def test_where_nothing_changed_nothing_is_told_and_only_the_time_of_analysis_moves(running: Running) -> None:
    dataset_id, _ = make_loaded(running)
    before = document(running, dataset_id, "c")
    job = reanalyse(running, dataset_id)
    after = document(running, dataset_id, "c")
    assert changes(running, dataset_id, job) == running.documents(dataset_id, job["id"]) == []
    assert after.pop("lastOpinionEnrichment") > before.pop("lastOpinionEnrichment")
    assert after == before


def test_a_definition_that_became_mandatory_keeps_no_stored_document_from_being_analysed(on_sqlite: Running) -> None:
    dataset_id, _ = make_loaded(on_sqlite)
    mandatory = {"metadataDefinitions": [make_definition("store", "STRING", mandatory=True)]}
    assert on_sqlite.http.patch(f"/v1/management/datasets/{dataset_id}", json=mandatory).status_code == 200
    zorby_is_bad(on_sqlite, dataset_id)
    job = reanalyse(on_sqlite, dataset_id)
    assert (job["failedDocuments"], job["errors"], negative_taxis(on_sqlite, dataset_id)) == (0, [], 1)


def test_offsets_are_those_of_the_stored_text_though_masking_would_shorten_it_today(
    on_sqlite: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset_id = on_sqlite.dataset(masking=True)
    with monkeypatch.context() as former:
        former.setattr("feedback.processing.flight.mask", str)
        on_sqlite.load(dataset_id, make_document("a", "Call me at 06 12 34 56 78: the zorby taxi!"))
    zorby_is_bad(on_sqlite, dataset_id)
    assert reanalyse(on_sqlite, dataset_id)["state"] == "COMPLETED"
    found = document(on_sqlite, dataset_id, "a")
    taxi = next(e for e in found["enrichments"] if e["term"] == "taxi__NOUN__1")
    assert found["content"][taxi["offset"]["begin"] : taxi["offset"]["end"]] == "taxi"


def test_an_own_entry_that_is_deleted_is_forgotten(on_sqlite: Running) -> None:
    dataset_id, _ = make_loaded(on_sqlite)
    zorby_is_bad(on_sqlite, dataset_id)
    reanalyse(on_sqlite, dataset_id)
    address = f"/v1/management/datasets/{dataset_id}/opinions"
    entry = on_sqlite.http.get(address).json()["items"][0]
    on_sqlite.http.delete(f"{address}/{entry['id']}")
    told = changes(on_sqlite, dataset_id, reanalyse(on_sqlite, dataset_id))
    assert ("OPINION_LOST", "taxi__NOUN__1") in {(change["change"], change["value"]) for change in told}
    assert negative_taxis(on_sqlite, dataset_id) == 0


def test_a_document_erased_or_replaced_meanwhile_is_left_alone(running: Running) -> None:
    dataset_id, _ = make_loaded(running)
    zorby_is_bad(running, dataset_id)
    started = running.http.post(f"/v1/management/datasets/{dataset_id}/reanalyse").json()
    running.http.delete(f"/v1/management/datasets/{dataset_id}/documents/a")
    running.work()
    job = running.get_import(dataset_id, started["id"])
    assert (job["state"], job["processedDocuments"], job["erasedDocuments"]) == ("COMPLETED", 3, 1)
    assert running.count(dataset_id) == 2


def test_a_document_that_is_not_there_cannot_be_erased_though_a_reanalysis_is_under_way(on_sqlite: Running) -> None:
    dataset_id, _ = make_loaded(on_sqlite)
    on_sqlite.http.post(f"/v1/management/datasets/{dataset_id}/reanalyse")
    address = f"/v1/management/datasets/{dataset_id}"
    assert on_sqlite.http.delete(f"{address}/documents/never-sent").status_code == 404
    assert on_sqlite.http.get(f"{address}/erasures").json()["total"] == 0


def test_a_second_reanalysis_waits_for_the_first(running: Running) -> None:
    dataset_id, _ = make_loaded(running)
    address = f"/v1/management/datasets/{dataset_id}/reanalyse"
    assert running.http.post(address).status_code == 201
    second = running.http.post(address)
    assert (second.status_code, second.json()["errors"][0]["code"]) == (409, "request_in_flight")
    running.work()
    assert running.http.post(address).status_code == 201


def test_an_imports_record_names_no_kind_and_its_changes_are_empty(on_sqlite: Running) -> None:
    dataset_id, batch = make_loaded(on_sqlite)
    assert "kind" not in batch
    assert changes(on_sqlite, dataset_id, batch) == []


def test_a_reanalysis_counts_no_imported_documents(on_sqlite: Running) -> None:
    dataset_id, _ = make_loaded(on_sqlite)
    reanalyse(on_sqlite, dataset_id)
    months = on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}").json()["monthlyImportedDocuments"]
    assert [month["count"] for month in months] == [3]
