"""An import from its acceptance to its end, on both databases."""

from urllib.parse import quote

import pytest

from tests.builders import Running, make_definition, make_document


def test_an_accepted_import_reads_started_with_all_its_documents_counted(running: Running) -> None:
    dataset_id = running.dataset()
    batch = running.get_import(dataset_id, running.send(dataset_id, make_document(), make_document()))
    assert (batch["state"], batch["totalDocuments"], batch["processedDocuments"]) == ("STARTED", 2, 0)
    assert batch["errors"] == []
    assert "endedAt" not in batch


def test_a_processed_import_is_completed_and_says_when(running: Running) -> None:
    batch = running.load(running.dataset(), make_document(), make_document())
    assert (batch["state"], batch["processedDocuments"]) == ("COMPLETED", 2)
    assert batch["createdAt"] <= batch["endedAt"] == batch["updatedAt"]


def test_an_import_without_documents_is_complete_at_once(running: Running) -> None:
    dataset_id = running.dataset()
    address = f"/v1/management/datasets/{dataset_id}/imports"
    accepted = running.http.post(address, json={"documents": []}).json()
    assert accepted["state"] == "STARTED"
    assert running.get_import(dataset_id, accepted["id"])["state"] == "COMPLETED"


def test_a_document_comes_back_as_it_was_sent_with_what_was_found(running: Running) -> None:
    dataset_id = running.dataset()
    content = "L'équipe 👍 was great.\r\n\tBut the queue… too long"
    sent = make_document("a/b?c d", content, lang="en", type="PRODUCT_REVIEW", metadata=[{"code": "nps", "value": 9}])
    running.load(dataset_id, sent)
    address = f"/v1/management/datasets/{dataset_id}/documents/a%2Fb%3Fc%20d"
    document = running.http.get(address).json()
    assert {name: document[name] for name in sent} == sent
    assert document["state"] == "ANALYZED"
    assert document["lastOpinionEnrichment"] == document["updatedAt"]
    for enrichment in document["enrichments"]:
        offset = enrichment["offset"]
        assert content[offset["begin"] : offset["end"]].strip()


@pytest.mark.parametrize("external_id", ["a\n", "a\nb", "\n", "/a", "a/", "a//b", "a%2Fb", "..", "\u2028", "e\u0301"])
def test_any_external_id_names_its_own_document_and_no_other(on_sqlite: Running, external_id: str) -> None:
    dataset_id = on_sqlite.dataset()
    on_sqlite.load(dataset_id, make_document("a"), make_document(external_id))
    address = f"/v1/management/datasets/{dataset_id}/documents/"
    # Clients take dots out of an address, so that they are written as escapes here.
    named = address + quote(external_id, safe="").replace(".", "%2E")
    assert on_sqlite.http.get(named).json()["externalId"] == external_id
    assert on_sqlite.http.delete(named).status_code == 204
    assert on_sqlite.http.get(f"{address}a").json()["externalId"] == "a"


def test_members_that_are_null_are_as_good_as_absent(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    batch = on_sqlite.load(dataset_id, make_document("x", lang=None, type=None, metadata=None))
    assert batch["errors"] == []
    assert on_sqlite.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()["metadata"] == []


def test_documents_are_listed_in_the_order_they_were_sent(running: Running) -> None:
    dataset_id = running.dataset()
    ids = [f"d{number:03}" for number in range(150)][::-1]
    batch = running.load(dataset_id, *[make_document(external_id) for external_id in ids])
    address = f"/v1/management/datasets/{dataset_id}/imports/{batch['id']}/documents"
    pages = [running.http.get(address, params={"page": page, "pageSize": 100}).json() for page in (1, 2, 3)]
    assert [item["externalId"] for page in pages for item in page["items"]] == ids
    assert {(page["total"], page["pageSize"]) for page in pages} == {(150, 100)}


def test_a_broken_document_is_an_error_and_the_others_go_on(running: Running) -> None:
    dataset_id = running.dataset()
    bad = make_document("bad", metadata=[{"code": "nps", "value": 11}, {"code": "shop", "value": "x"}])
    batch = running.load(dataset_id, make_document("good"), bad)
    assert (batch["state"], batch["processedDocuments"], batch["failedDocuments"]) == ("COMPLETED", 2, 1)
    assert [(e["code"], e["field"], e["externalId"], e["index"]) for e in batch["errors"]] == [
        ("out_of_bounds", "documents[1].metadata[nps]", "bad", 1),
        ("unknown_field", "documents[1].metadata[shop]", "bad", 1),
    ]
    assert [d["externalId"] for d in running.documents(dataset_id, batch["id"])] == ["good"]


def test_all_errors_of_an_import_can_be_paged(running: Running) -> None:
    dataset_id = running.dataset()
    batch = running.load(dataset_id, *[{"content": "no id"} for _ in range(1003)])
    address = f"/v1/management/datasets/{dataset_id}/imports/{batch['id']}/errors"
    last = running.http.get(address, params={"page": 3, "pageSize": 500}).json()
    assert len(batch["errors"]) == 1000
    assert (last["total"], [error["index"] for error in last["items"]]) == (1003, [1000, 1001, 1002])


def test_twice_in_one_import_the_last_wins_and_the_earlier_ones_are_errors(running: Running) -> None:
    dataset_id = running.dataset()
    others = [make_document() for _ in range(100)]
    batch = running.load(
        dataset_id, make_document("x", "one"), make_document("x", "two"), *others, make_document("x", "three")
    )
    assert [(e["code"], e["index"]) for e in batch["errors"]] == [
        ("duplicate_external_id", 0),
        ("duplicate_external_id", 1),
    ]
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()["content"] == "three"
    assert running.count(dataset_id) == 101


def test_importing_an_external_id_again_replaces_the_document_everywhere(running: Running) -> None:
    dataset_id = running.dataset()
    first = running.load(dataset_id, make_document("x", "The coffee was great"), make_document("y"))
    before = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()
    running.load(dataset_id, make_document("x", "The tea was awful"))
    after = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()
    assert (after["id"], after["createdAt"]) == (before["id"], before["createdAt"])
    assert after["updatedAt"] > before["updatedAt"]
    assert running.count(dataset_id) == 2
    earlier = running.get_import(dataset_id, first["id"])
    assert (earlier["processedDocuments"], earlier["supersededDocuments"]) == (2, 1)
    assert [d["externalId"] for d in running.documents(dataset_id, first["id"])] == ["y"]


def test_the_import_accepted_later_wins_even_if_it_is_processed_first(running: Running) -> None:
    dataset_id = running.dataset()
    earlier = running.send(dataset_id, *[make_document(f"x{n}", "early") for n in range(300)])
    later = running.send(dataset_id, make_document("x290", "late"))
    # Chunks are taken in turn: the later, smaller import ends before the earlier one reaches its 290th document.
    running.work()
    first, second = running.get_import(dataset_id, earlier), running.get_import(dataset_id, later)
    assert second["endedAt"] < first["endedAt"]
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x290").json()["content"] == "late"
    assert (first["supersededDocuments"], running.count(dataset_id)) == (1, 300)


def test_an_erased_document_is_gone_from_figures_lists_and_by_id(running: Running) -> None:
    dataset_id = running.dataset()
    batch = running.load(dataset_id, make_document("x"), make_document("y"))
    address = f"/v1/management/datasets/{dataset_id}/documents/x"
    assert running.http.delete(address).status_code == 204
    assert running.http.get(address).status_code == 404
    assert running.count(dataset_id) == 1
    assert running.get_import(dataset_id, batch["id"])["erasedDocuments"] == 1
    erasures = running.http.get(f"/v1/management/datasets/{dataset_id}/erasures").json()
    assert [erasure["externalId"] for erasure in erasures["items"]] == ["x"]


def test_a_refused_document_is_erased_from_what_its_import_tells(running: Running) -> None:
    dataset_id = running.dataset()
    batch = running.load(dataset_id, make_document("kept"), make_document("x") | {"content": ["no text"]})
    address = f"/v1/management/datasets/{dataset_id}"
    assert [error["externalId"] for error in running.get_import(dataset_id, batch["id"])["errors"]] == ["x"]
    assert running.http.delete(f"{address}/documents/x").status_code == 204
    (told,) = running.get_import(dataset_id, batch["id"])["errors"]
    assert (told["externalId"], told["description"]) == (None, "the refused document was erased")
    assert running.http.delete(f"{address}/documents/x").status_code == 404


def test_an_import_accepted_before_an_erasure_cannot_bring_the_document_back(running: Running) -> None:
    dataset_id = running.dataset()
    running.load(dataset_id, make_document("x"))
    pending = running.send(dataset_id, make_document("x", "again"))
    running.http.delete(f"/v1/management/datasets/{dataset_id}/documents/x")
    running.work()
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").status_code == 404
    batch = running.get_import(dataset_id, pending)
    assert (batch["state"], batch["erasedDocuments"], batch["processedDocuments"]) == ("COMPLETED", 1, 1)


def test_an_import_accepted_after_an_erasure_brings_the_document_back(running: Running) -> None:
    dataset_id = running.dataset()
    running.load(dataset_id, make_document("x"))
    running.http.delete(f"/v1/management/datasets/{dataset_id}/documents/x")
    running.load(dataset_id, make_document("x", "again"))
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()["content"] == "again"
    assert running.count(dataset_id) == 1


def test_what_is_listed_failed_superseded_and_erased_makes_up_an_import(running: Running) -> None:
    dataset_id = running.dataset()
    twice = [make_document("twice"), make_document("twice")]
    sent = [make_document("replaced"), make_document("erased"), make_document("kept"), {"content": "no id"}, *twice]
    import_id = running.send(dataset_id, *sent)
    assert running.http.delete(f"/v1/management/datasets/{dataset_id}/documents/erased").status_code == 204
    running.send(dataset_id, make_document("replaced"))
    running.work()
    record = running.get_import(dataset_id, import_id)
    listed = [document["externalId"] for document in running.documents(dataset_id, import_id)]
    assert listed == ["kept", "twice"]
    assert (record["failedDocuments"], record["supersededDocuments"], record["erasedDocuments"]) == (2, 1, 1)
    assert (record["totalDocuments"], record["processedDocuments"]) == (len(sent), len(sent))


def test_the_dataset_counts_the_documents_imported_a_month(running: Running) -> None:
    dataset_id = running.dataset()
    batch = running.load(dataset_id, make_document(), make_document(), {"content": "no id"})
    record = running.http.get(f"/v1/management/datasets/{dataset_id}").json()
    assert record["monthlyImportedDocuments"] == [{"month": batch["endedAt"][:7], "count": 2}]


def test_every_metadata_type_is_stored_and_returned_as_sent(running: Running) -> None:
    kinds = {
        "nps": ("NPS", 10),
        "csat": ("csat", 4.5),
        "ces": ("CES", 7),
        "spend": ("NUMBER", -12.75),
        "visit": ("DATETIME", "2026-02-28T23:59:59.999+01:00"),
        "store": ("STRING", "Zürich"),
        "place": ("LATLNG", "48.85,2.35"),
        "member": ("BOOLEAN", True),
    }
    definitions = [make_definition(code, kind) for code, (kind, _) in kinds.items()]
    dataset_id = running.dataset(metadataDefinitions=definitions)
    metadata = [{"code": code, "value": value} for code, (_, value) in kinds.items()]
    batch = running.load(dataset_id, make_document("x", metadata=metadata))
    assert batch["errors"] == []
    assert running.http.get(f"/v1/management/datasets/{dataset_id}/documents/x").json()["metadata"] == metadata


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "malformed_body"),
        (b"{", 400, "malformed_body"),
        (b'{"documents": [{"externalId": "x", "content": "y"}', 400, "malformed_body"),
        (b'{"documents": [{"externalId": "x" "content": "y"}]}', 400, "malformed_body"),
        (b'{"documents": [{"externalId": "\xff", "content": "y"}]}', 400, "malformed_body"),
        (b"[]", 422, "wrong_type"),
        (b"{}", 422, "required"),
        (b'{"documents": {}}', 422, "wrong_type"),
        (b'{"documents": [{"externalId": "x", "content": "y"}, 3]}', 422, "wrong_type"),
    ],
)
def test_a_body_that_is_no_import_is_refused_whole(on_sqlite: Running, body: bytes, status: int, code: str) -> None:
    dataset_id = on_sqlite.dataset()
    address = f"/v1/management/datasets/{dataset_id}/imports"
    reply = on_sqlite.http.post(address, content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (status, code)
    assert on_sqlite.http.get(address).json()["total"] == 0
