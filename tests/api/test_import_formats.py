"""Newline-delimited JSON and CSV bodies, and requests sent twice."""

import threading
from typing import Any

import httpx
import pytest

from tests.builders import Running, make_definition, make_document

CSV = {"Content-Type": "text/csv"}
NDJSON = {"Content-Type": "application/x-ndjson"}


def post(service: Running, dataset_id: str, path: str, content: bytes, **options: Any) -> httpx.Response:
    address = f"/v1/management/datasets/{dataset_id}/imports{path}"
    return service.http.post(address, content=content, **options)


def test_json_lines_become_documents_and_blank_lines_nothing(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    lines = [b"", b'{"externalId": "a", "content": "x"}\r', b"  ", b'{"externalId": "b", "content": 3}']
    body = b"\n".join([*lines, b'{"externalId": "c", "content": "y"}'])
    batch = post(on_sqlite, dataset_id, "", body, headers=NDJSON).json()
    on_sqlite.work()
    record = on_sqlite.get_import(dataset_id, batch["id"])
    assert (record["totalDocuments"], [e["index"] for e in record["errors"]]) == (3, [1])
    assert [d["externalId"] for d in on_sqlite.documents(dataset_id, batch["id"])] == ["a", "c"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"externalId": "a", "content": "x"}\n{"externalId": ', 400, "line 2 is not JSON"),
        (b'{"externalId": "a", "content": "x"}\n[]\n', 422, "a line is a document, which is an object"),
        (b'\xef\xbb\xbf{"externalId": "a", "content": "x"}', 400, "byte order mark"),
        (b'{"content": "\xff"}', 400, "not UTF-8"),
    ],
)
def test_json_lines_that_are_none_are_refused_whole(on_sqlite: Running, body: bytes, status: int, words: str) -> None:
    reply = post(on_sqlite, on_sqlite.dataset(), "", body, headers=NDJSON)
    assert reply.status_code == status
    assert words in reply.json()["errors"][0]["description"]


def make_survey(service: Running) -> str:
    kinds = {"nps": "NPS", "spend": "NUMBER", "visit": "DATETIME", "store": "STRING", "member": "BOOLEAN"}
    return service.dataset(metadataDefinitions=[make_definition(code, kind) for code, kind in kinds.items()])


def test_csv_rows_become_documents_with_typed_metadata(on_sqlite: Running) -> None:
    dataset_id = make_survey(on_sqlite)
    body = (
        "\ufeffexternalId,content,lang,metadata.nps,metadata.spend,metadata.visit,metadata.store,metadata.member\n"
        '1,"The staff, the ""queue""\nand the price",en,9,-1.5,2026-01-31T10:00:00Z,007,true\n'
        "2,Très bien,fr,,,,,TRUE\n"
    )
    batch = post(on_sqlite, dataset_id, "/csv", body.encode(), headers=CSV).json()
    on_sqlite.work()
    first, second = on_sqlite.documents(dataset_id, batch["id"])
    assert first["content"] == 'The staff, the "queue"\nand the price'
    assert {m["code"]: m["value"] for m in first["metadata"]} == {
        "nps": 9,
        "spend": -1.5,
        "visit": "2026-01-31T10:00:00Z",
        "store": "007",
        "member": "true",
    }
    assert (second["lang"], second["metadata"]) == ("fr", [{"code": "member", "value": "true"}])


def test_a_mapping_names_the_columns_and_leaves_the_others_out(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    body = b"Id;Comment;Score;Notes\n7;Lovely staff;10;secret\n"
    mapping = '{"Id": "externalId", "Comment": "content", "Score": "metadata.nps"}'
    params = {"mapping": mapping, "delimiter": ";"}
    batch = post(on_sqlite, dataset_id, "/csv", body, headers=CSV, params=params).json()
    on_sqlite.work()
    (document,) = on_sqlite.documents(dataset_id, batch["id"])
    assert (document["externalId"], document["metadata"]) == ("7", [{"code": "nps", "value": 10}])


def test_a_row_that_does_not_fit_is_an_error_with_its_line(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    body = b"externalId,content,metadata.nps\n1,fine,9\n2,too,many,fields\n3,not a score,nine\n4,fine,8\n5,vast,1e400\n"
    batch = post(on_sqlite, dataset_id, "/csv", body, headers=CSV).json()
    on_sqlite.work()
    record = on_sqlite.get_import(dataset_id, batch["id"])
    assert [(e["index"], e["field"]) for e in record["errors"]] == [
        (1, "documents[1]"),
        (2, "documents[2].metadata[nps]"),
        (4, "documents[4].metadata[nps]"),
    ]
    assert record["errors"][0]["description"] == "the row that ends in line 3 has 4 fields, the header 3"
    assert '"1e400"' in record["errors"][2]["description"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "the body is empty"),
        (b'externalId,content\n1,"open', 400, "the body is no CSV"),
        (b"externalId,content\n1,\xff", 400, "save the file as UTF-8"),
        (b"externalId,text\n1,x", 422, "no field of this dataset's documents"),
        (b"externalId,content,content\n1,x,y", 422, "two columns are this field"),
    ],
)
def test_a_csv_that_cannot_be_read_is_refused_whole(on_sqlite: Running, body: bytes, status: int, words: str) -> None:
    reply = post(on_sqlite, on_sqlite.dataset(), "/csv", body, headers=CSV)
    assert reply.status_code == status
    assert words in " ".join(error["description"] for error in reply.json()["errors"])


def test_a_csv_can_be_uploaded_as_a_form(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    address = f"/v1/management/datasets/{dataset_id}/imports/csv"
    upload = {"file": ("reviews.csv", b"externalId,content\n1,Lovely staff\n", "text/csv")}
    reply = on_sqlite.http.post(address, files=upload, data={"note": "x"})
    assert (reply.status_code, reply.json()["totalDocuments"]) == (201, 1)


def part(file_name: str, content: str) -> str:
    return f'--B\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n\r\n{content}\r\n'


def test_a_form_with_several_files_is_refused_so_that_none_is_lost(on_sqlite: Running) -> None:
    address = f"/v1/management/datasets/{on_sqlite.dataset()}/imports/csv"
    csv = "externalId,content\n1,Lovely staff\n"
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    several = on_sqlite.http.post(address, content=part("a.csv", csv) + part("b.csv", csv) + "--B--", headers=headers)
    assert (several.status_code, several.json()["errors"][0]["code"]) == (422, "too_many")
    one_left_empty = part("", "") + part("a.csv", csv) + part("", "") + "--B--"
    reply = on_sqlite.http.post(address, content=one_left_empty, headers=headers)
    assert (reply.status_code, reply.json()["totalDocuments"]) == (201, 1)


def test_a_key_sent_again_with_the_same_body_gets_the_first_reply(running: Running) -> None:
    dataset_id = running.dataset()
    options = {"json": {"documents": [make_document("x")]}, "headers": {"Idempotency-Key": "k1"}}
    address = f"/v1/management/datasets/{dataset_id}/imports"
    first = running.http.post(address, **options)
    running.work()
    again = running.http.post(address, **options)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert running.http.get(address).json()["total"] == 1


def test_a_key_sent_again_with_another_body_is_refused(running: Running) -> None:
    address = f"/v1/management/datasets/{running.dataset()}/imports"
    headers = {"Idempotency-Key": "k1"}
    running.http.post(address, json={"documents": [make_document()]}, headers=headers)
    reply = running.http.post(address, json={"documents": []}, headers=headers)
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (422, "idempotency_key_reused")


def test_a_key_whose_request_was_refused_may_be_used_again(running: Running) -> None:
    address = f"/v1/management/datasets/{running.dataset()}/imports"
    headers = {"Idempotency-Key": "k1"}
    assert running.http.post(address, json={}, headers=headers).status_code == 422
    assert running.http.post(address, json={"documents": []}, headers=headers).status_code == 201


def test_keys_of_two_clients_are_two_keys(running: Running) -> None:
    headers = {"Idempotency-Key": "k1"}
    for organisation in ("One", "Other"):
        running.login(organisation)
        address = f"/v1/management/datasets/{running.dataset()}/imports"
        assert running.http.post(address, json={"documents": []}, headers=headers).status_code == 201


def test_of_two_requests_with_one_key_at_once_one_is_done(running: Running) -> None:
    address = f"/v1/management/datasets/{running.dataset()}/imports"
    options = {"json": {"documents": [make_document()]}, "headers": {"Idempotency-Key": "k1"}}
    replies: list[httpx.Response] = []
    threads = [threading.Thread(target=lambda: replies.append(running.http.post(address, **options))) for _ in "1234"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {reply.status_code for reply in replies} <= {201, 409}
    assert running.http.get(address).json()["total"] == 1
