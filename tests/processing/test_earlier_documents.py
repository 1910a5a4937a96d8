"""Documents that an earlier release analysed: read, analysed again and replaced like those of today."""

from typing import Any

from sqlalchemy import Engine, select

from feedback.store import schema
from feedback.store.tables import documents
from tests.builders import Running, make_document

RULES = [{"value": "people", "anyTerms": ["staff"]}]
TEXTS = {"a": "The staff was friendly.", "b": "The queue was too long and the café dirty.", "c": "…"}


def make_earlier(running: Running) -> tuple[str, str]:
    """A dataset and the import of its documents, which lie in the database as before schema 0006."""
    dataset_id = running.dataset()
    classifiers = f"/v1/management/datasets/{dataset_id}/classifiers"
    assert running.http.post(classifiers, json={"code": "mood", "rules": RULES}).status_code == 201
    job = running.load(dataset_id, *[make_document(name, text) for name, text in TEXTS.items()])
    schema.downgrade(running.engine, "0005")
    schema.upgrade(running.engine)
    assert unpacked(running.engine) == len(TEXTS)
    return dataset_id, job["id"]


def unpacked(engine: Engine) -> int:
    """How many documents are written as before."""
    with engine.connect() as connection:
        return len(connection.execute(select(documents.c.id).where(documents.c.found.is_(None))).all())


def found_of(running: Running, dataset_id: str, import_id: str) -> list[dict[str, Any]]:
    names = ("externalId", "enrichments", "topics", "classifiers", "analysisVersion")
    return [{name: document[name] for name in names} for document in running.documents(dataset_id, import_id)]


def test_documents_of_an_earlier_release_read_as_those_of_this_one(on_sqlite: Running) -> None:
    dataset_id, before = make_earlier(on_sqlite)
    again = on_sqlite.dataset(name="Again")
    classifiers = f"/v1/management/datasets/{again}/classifiers"
    assert on_sqlite.http.post(classifiers, json={"code": "mood", "rules": RULES}).status_code == 201
    now = on_sqlite.load(again, *[make_document(name, text) for name, text in TEXTS.items()])
    assert unpacked(on_sqlite.engine) == len(TEXTS)
    found = found_of(on_sqlite, dataset_id, before)
    assert found == found_of(on_sqlite, again, now["id"])
    assert [document["classifiers"] for document in found] == [{"mood": "people"}, {}, {}]


def test_a_reanalysis_of_earlier_documents_tells_of_no_change_where_the_analysis_is_the_same(running: Running) -> None:
    dataset_id, import_id = make_earlier(running)
    before = found_of(running, dataset_id, import_id)
    job = running.http.post(f"/v1/management/datasets/{dataset_id}/reanalyse").json()
    running.work()
    address = f"/v1/management/datasets/{dataset_id}/imports/{job['id']}/changes"
    assert running.http.get(address).json()["items"] == []
    assert found_of(running, dataset_id, import_id) == before


def test_an_earlier_document_that_is_sent_again_is_stored_as_today(running: Running) -> None:
    dataset_id, _ = make_earlier(running)
    running.load(dataset_id, make_document("a", "The staff was rude."))
    assert unpacked(running.engine) == len(TEXTS) - 1
    document = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/a").json()
    assert [e["opinion"] for e in document["enrichments"]] == ["NEGATIVE"]
