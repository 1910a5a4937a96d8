"""Search: documents and terms by query, q, opinions, order and page."""

from collections.abc import Iterator
from typing import Any

import pytest

from feedback.processing.executors import AnalysisExecutor
from tests.builders import NPS, Running, make_definition, make_document, make_running, make_sqlite

Json = dict[str, Any]

TEXTS = {
    "a": "The coffee was great.",
    "b": "The coffee was awful and the coffee was cold.",
    "c": "Awful queue, but the coffee machine was great.",
    "d": "The staff was friendly.",
}


def make_loaded(running: Running) -> str:
    """A dataset of four documents, one import each, so that no two have the same createdAt order by chance."""
    definitions = [NPS, make_definition("visit", "DATETIME"), make_definition("mail", "STRING", personalData=True)]
    dataset_id = running.dataset(metadataDefinitions=definitions)
    for day, (name, text) in enumerate(TEXTS.items(), 1):
        metadata = [{"code": "nps", "value": day}, {"code": "visit", "value": f"2026-01-0{9 - day}T00:00:00Z"}]
        running.load(dataset_id, make_document(name, text, metadata=metadata))
    return dataset_id


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, executor: AnalysisExecutor) -> Iterator[tuple[Running, str]]:
    """The four documents in a service that tests only read."""
    settings = make_sqlite(tmp_path_factory.mktemp("search"))
    with make_running(settings, executor) as running:
        yield running, make_loaded(running)


def search(running: Running, dataset_id: str, body: Any = None, what: str = "documents", **params: Any) -> Json:
    options: Json = {} if body is None else {"json": body}
    reply = running.http.post(f"/v1/search/datasets/{dataset_id}/{what}", params=params, **options)
    assert reply.status_code == 200, reply.text
    found: Json = reply.json()
    return found


def names(found: Json) -> list[str]:
    return [document["externalId"] for document in found["items"]]


def test_without_body_and_content_type_every_document_is_found_latest_first(running: Running) -> None:
    found = search(running, make_loaded(running))
    assert (names(found), found["total"], found["page"], found["pageSize"]) == (["d", "c", "b", "a"], 4, 1, 20)


def test_a_found_document_reads_like_the_one_fetched_by_its_id(running: Running) -> None:
    dataset_id = make_loaded(running)
    fetched = running.http.get(f"/v1/management/datasets/{dataset_id}/documents/a").json()
    assert fetched in search(running, dataset_id)["items"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({}, "abcd"),
        ({"field": "metadata.nps", "operator": "LTE", "value": 2}, "ab"),
        ({"field": "externalId", "operator": "IN", "value": ["a", "d", "x"]}, "ad"),
        ({"field": "externalId", "operator": "NIN", "value": ["a", "d"]}, "bc"),
        ({"field": "metadata.visit", "operator": "GT", "value": "2026-01-06T00:00:00Z"}, "ab"),
        ({"field": "TERMS", "operator": "EQ", "value": "staff__NOUN__1"}, "d"),
        ({"field": "TERMS", "operator": "EQ", "value": "coffee__NOUN__1", "opinion": "NEGATIVE"}, "b"),
        (
            {
                "operator": "OR",
                "criteria": [
                    {"field": "metadata.nps", "operator": "EQ", "value": 4},
                    {"field": "metadata.nps", "operator": "EQ", "value": 1},
                ],
            },
            "ad",
        ),
    ],
)
def test_a_query_selects(shared: tuple[Running, str], query: Json, wanted: str) -> None:
    found = search(*shared, query)
    assert (sorted(names(found)), found["total"]) == (list(wanted), len(wanted))


def test_q_selects_documents_by_their_terms_and_leaves_term_criteria_out(shared: tuple[Running, str]) -> None:
    running, dataset_id = shared
    assert sorted(names(search(running, dataset_id, q="COFFEE MACH"))) == ["c"]
    elsewhere = {"field": "TERMS", "operator": "EQ", "value": "staff__NOUN__1"}
    assert sorted(names(search(running, dataset_id, elsewhere, q="coffee"))) == ["a", "b", "c"]


def test_opinions_keep_the_documents_that_have_such_a_term(shared: tuple[Running, str]) -> None:
    running, dataset_id = shared
    assert sorted(names(search(running, dataset_id, q="coffee", opinions="NEGATIVE"))) == ["b"]
    assert sorted(names(search(running, dataset_id, q="coffee", opinions="negative,POSITIVE"))) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"sortBy": "createdAt", "sortOrder": "ASC"}, "abcd"),
        ({"sortBy": "metadata.visit", "sortOrder": "ASC"}, "dcba"),
        ({"sortBy": "metadata.visit", "sortOrder": "DESC"}, "abcd"),
        ({"sortBy": "updatedAt", "sortOrder": "DESC", "page": 2, "pageSize": 3}, "a"),
        ({"page": 9}, ""),
    ],
)
def test_documents_are_sorted_by_a_date_and_paged(shared: tuple[Running, str], params: Json, wanted: str) -> None:
    assert names(search(*shared, **params)) == list(wanted)


def test_terms_count_documents_the_most_frequent_first(running: Running) -> None:
    found = search(running, make_loaded(running), what="terms", q="coffee")
    assert found["items"][0] == {"id": "coffee__NOUN__1", "label": "coffee", "occurrences": 2}
    order = [(-item["occurrences"], item["label"]) for item in found["items"]]
    assert order == sorted(order)


def test_terms_with_a_term_criterion_tell_what_goes_together(shared: tuple[Running, str]) -> None:
    query = {"field": "TERMS", "operator": "EQ", "value": "queue__NOUN__1"}
    found = search(*shared, query, what="terms")
    assert {"queue", "coffee machine"} <= {item["label"] for item in found["items"]}
    assert "staff" not in {item["label"] for item in found["items"]}


def test_terms_are_paged(shared: tuple[Running, str]) -> None:
    running, dataset_id = shared
    everything = search(running, dataset_id, what="terms")
    pages = [search(running, dataset_id, what="terms", page=n, pageSize=2)["items"] for n in range(1, 20)]
    assert [item for page in pages for item in page] == everything["items"]
    assert everything["total"] == len(everything["items"])


def test_an_erased_document_is_not_found(on_sqlite: Running) -> None:
    dataset_id = make_loaded(on_sqlite)
    on_sqlite.http.delete(f"/v1/management/datasets/{dataset_id}/documents/d")
    assert names(search(on_sqlite, dataset_id)) == ["c", "b", "a"]
    assert search(on_sqlite, dataset_id, what="terms", q="staff")["items"] == []


@pytest.mark.parametrize(
    ("body", "params", "code", "field"),
    [
        ([], {}, "wrong_type", None),
        ({"field": "shop", "operator": "EQ", "value": 1}, {}, None, "field"),
        ({"operator": "EQ", "value": 1}, {}, "required", "field"),
        ({"field": "metadata.nps", "operator": "IS", "value": 1}, {}, "invalid_value", "operator"),
        ({"field": "metadata.mail", "operator": "EQ", "value": "x"}, {}, "personal_data", "field"),
        ({"operator": "AND", "criteria": [7]}, {}, "wrong_type", "criteria[0]"),
        (None, {"q": "c"}, "too_short", "q"),
        (None, {"opinions": "GOOD"}, "invalid_value", "opinions"),
        (None, {"sortBy": "metadata.nps"}, None, "sortBy"),
        (None, {"sortOrder": "UP"}, "invalid_value", "sortOrder"),
        (None, {"pageSize": 501}, "out_of_bounds", "pageSize"),
    ],
)
def test_a_search_that_breaks_a_rule_says_which(
    shared: tuple[Running, str], body: Any, params: Json, code: str | None, field: str | None
) -> None:
    options: Json = {} if body is None else {"json": body}
    address = f"/v1/search/datasets/{shared[1]}/documents"
    reply = shared[0].http.post(address, params=params, **options)
    assert reply.status_code == 422, reply.text
    problem = reply.json()["errors"][0]
    assert problem["field"] == field
    assert code in (None, problem["code"])
