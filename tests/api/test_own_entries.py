"""Topics, opinion entries and classifiers of a dataset's own, and what they do to its documents."""

from typing import Any

import pytest

from tests.builders import NPS, Running, make_definition, make_document

Json = dict[str, Any]


def address(dataset_id: str, kind: str) -> str:
    return f"/v1/management/datasets/{dataset_id}/{kind}"


def add(running: Running, dataset_id: str, kind: str, **body: Any) -> Json:
    reply = running.http.post(address(dataset_id, kind), json=body)
    assert reply.status_code == 201, reply.text
    record: Json = reply.json()
    return record


def load_one(running: Running, dataset_id: str, content: str, **changes: Any) -> Json:
    batch = running.load(dataset_id, make_document(content=content, **changes))
    return running.documents(dataset_id, batch["id"])[0]


def opinion_on(document: Json, word: str) -> set[str]:
    return {e["opinion"] for e in document["enrichments"] if e["term"].startswith(f"{word}__")}


def test_an_own_topic_is_raised_by_its_terms_and_not_by_its_exclusions(running: Running) -> None:
    dataset_id = running.dataset()
    add(
        running,
        dataset_id,
        "topics",
        code="zeppelin",
        label="airships",
        terms=["zeppelin"],
        exclusions=["led zeppelin"],
    )
    ride = load_one(running, dataset_id, "The zeppelin was late.")
    music = load_one(running, dataset_id, "They played Led Zeppelin.")
    assert {topic["code"]: topic["label"] for topic in ride["topics"]}["zeppelin"] == "airships"
    assert "zeppelin" not in {topic["code"] for topic in music["topics"]}


def test_an_own_opinion_entry_judges_in_its_context(running: Running) -> None:
    dataset_id = running.dataset()
    add(running, dataset_id, "opinions", term="zorby", opinion="NEGATIVE", context=["taxi"])
    assert opinion_on(load_one(running, dataset_id, "The taxi was zorby."), "taxi") == {"NEGATIVE"}
    assert opinion_on(load_one(running, dataset_id, "The lamp was zorby."), "lamp") == {"NEUTRAL"}


def test_a_classifier_gives_the_value_of_its_first_rule_that_holds(running: Running) -> None:
    dataset_id = running.dataset()
    rules = [
        {"value": "high", "anyTerms": ["refund"], "metadata": [{"code": "nps", "value": 0}]},
        {"value": "raised", "anyTerms": ["refund"]},
        {"value": "normal"},
    ]
    add(running, dataset_id, "classifiers", code="urgency", rules=rules)
    values = [
        load_one(running, dataset_id, text, metadata=[{"code": "nps", "value": nps}])["classifiers"]
        for text, nps in [("I want a refund.", 0), ("I want a refund.", 5), ("All is well.", 9)]
    ]
    assert values == [{"urgency": "high"}, {"urgency": "raised"}, {"urgency": "normal"}]


def test_a_classifier_can_be_aggregated(running: Running) -> None:
    dataset_id = running.dataset()
    rules = [{"value": "lamp", "anyTerms": ["lamp"]}, {"value": "other"}]
    add(running, dataset_id, "classifiers", code="object", rules=rules)
    running.load(dataset_id, *[make_document(content=text) for text in ("A lamp.", "Lamps!", "A chair.")])
    body = {"field": "externalId", "dimensions": [{"field": "classifier.object", "group": "DISTINCT"}]}
    reply = running.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=body)
    values = reply.json()["periods"][0]["values"]
    assert [(item["dimensions"][0]["value"], item["value"]) for item in values] == [("lamp", 2), ("other", 1)]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("topics", {"code": "a", "label": "b", "terms": ["c d"], "exclusions": ["e"]}),
        ("opinions", {"term": "sick", "opinion": "POSITIVE", "context": ["beat"]}),
        (
            "classifiers",
            {
                "code": "a",
                "rules": [
                    {
                        "value": "v",
                        "anyTerms": ["t"],
                        "anyTopics": [],
                        "anyOpinion": "NEGATIVE",
                        "metadata": [{"code": "nps", "value": 3}],
                    }
                ],
            },
        ),
    ],
)
def test_an_entry_comes_back_as_sent_until_it_is_deleted(on_sqlite: Running, kind: str, body: Json) -> None:
    dataset_id = on_sqlite.dataset()
    created = add(on_sqlite, dataset_id, kind, **body)
    one = f"{address(dataset_id, kind)}/{created['id']}"
    assert body.items() <= created.items()
    assert on_sqlite.http.get(one).json() == created
    assert on_sqlite.http.get(address(dataset_id, kind)).json()["items"] == [created]
    assert on_sqlite.http.delete(one).status_code == 204
    assert on_sqlite.http.get(one).status_code == 404
    assert on_sqlite.http.get(address(dataset_id, kind)).json()["total"] == 0


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("topics", {"code": "a", "terms": ["b"]}),
        ("opinions", {"term": "Sick", "opinion": "POSITIVE"}),
        ("classifiers", {"code": "a", "rules": [{"value": "v"}]}),
    ],
)
def test_an_entry_of_the_same_name_is_refused(on_sqlite: Running, kind: str, body: Json) -> None:
    dataset_id = on_sqlite.dataset()
    add(on_sqlite, dataset_id, kind, **body)
    again = on_sqlite.http.post(address(dataset_id, kind), json=body | ({"term": "sick"} if "term" in body else {}))
    assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    ("kind", "body", "problems"),
    [
        ("topics", {}, {("required", "code"), ("required", "terms")}),
        ("topics", {"code": "a b", "terms": "c"}, {("invalid_value", "code"), ("wrong_type", "terms")}),
        ("topics", {"code": "a", "terms": ["b", 3, ""]}, {("wrong_type", "terms[1]"), ("too_short", "terms[2]")}),
        ("opinions", {"term": "a", "opinion": "GOOD"}, {("invalid_value", "opinion")}),
        ("opinions", [], {("wrong_type", None), ("required", "term"), ("required", "opinion")}),
        ("classifiers", {"code": "a"}, {("required", "rules")}),
        ("classifiers", {"code": "a", "rules": [{"value": "v", "if": 1}]}, {("unknown_field", "rules[0].if")}),
        (
            "classifiers",
            {"code": "a", "rules": [{"value": "v", "metadata": [{"code": "shop", "value": 1}]}]},
            {("unknown_field", "rules[0].metadata[0]")},
        ),
        (
            "classifiers",
            {"code": "a", "rules": [{"value": "v", "metadata": [{"code": "nps", "value": 11}]}]},
            {("out_of_bounds", "rules[0].metadata[0].value")},
        ),
        (
            "classifiers",
            {"code": "a", "rules": [{"value": "v", "metadata": [{"code": "mail", "value": "x"}]}]},
            {("personal_data", "rules[0].metadata[0]")},
        ),
    ],
)
def test_everything_wrong_with_an_entry_is_named(
    on_sqlite: Running, kind: str, body: Any, problems: set[tuple[str, str | None]]
) -> None:
    dataset_id = on_sqlite.dataset(metadataDefinitions=[NPS, make_definition("mail", "STRING", personalData=True)])
    reply = on_sqlite.http.post(address(dataset_id, kind), json=body)
    assert reply.status_code == 422
    assert {(error["code"], error["field"]) for error in reply.json()["errors"]} == problems


def test_a_topic_with_a_known_code_adds_to_that_topic(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    known = load_one(on_sqlite, dataset_id, "The staff was friendly.")["topics"][0]["code"]
    add(on_sqlite, dataset_id, "topics", code=known, label="people", terms=["zorbian"])
    document = load_one(on_sqlite, dataset_id, "The staff was friendly, the zorbian too.")
    assert [topic["label"] for topic in document["topics"] if topic["code"] == known] == ["people"]
