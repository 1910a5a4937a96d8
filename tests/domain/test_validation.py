"""What a document must be, and what is said where it is not."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedback.domain.dataset import Bounds, Dataset, MetadataDefinition, MetadataType
from feedback.domain.validation import DocumentRules, ValidDocument, too_large
from feedback.errors import Problem

DEFINITIONS = (
    MetadataDefinition("nps", MetadataType.NPS, bounds=Bounds(10, 0)),
    MetadataDefinition("csat", MetadataType.CSAT, bounds=Bounds(upper=5)),
    MetadataDefinition("spend", MetadataType.NUMBER),
    MetadataDefinition("visit", MetadataType.DATETIME),
    MetadataDefinition("store", MetadataType.STRING, max_length=5),
    MetadataDefinition("size", MetadataType.STRING, allowed_values=("S", "M"), max_length=200),
    MetadataDefinition("level", MetadataType.NUMBER, allowed_values=(1, 2.5)),
    MetadataDefinition("place", MetadataType.LATLNG),
    MetadataDefinition("member", MetadataType.BOOLEAN),
    MetadataDefinition("mail", MetadataType.STRING, personal_data=True, allowed_values=("none",)),
)


def make_rules(**changes: Any) -> DocumentRules:
    given_: dict[str, Any] = {
        "id": "0" * 24,
        "organisation_id": "1" * 24,
        "name": "d",
        "lang": "en",
        "type": "REVIEW",
        "industry": "RETAIL_B2C",
        "metadata_definitions": DEFINITIONS,
        "created_at": 0,
        "updated_at": 0,
    }
    return DocumentRules(Dataset(**given_ | changes))


RULES = make_rules()


def check(document: Any, rules: DocumentRules = RULES) -> ValidDocument | tuple[str | None, list[Problem]]:
    return rules.check(json.dumps(document).encode(), 3)


def problems(document: Any, rules: DocumentRules = RULES) -> list[tuple[str, str | None]]:
    found = check(document, rules)
    assert not isinstance(found, ValidDocument)
    return [(problem.code, problem.field) for problem in found[1]]


def with_value(code: str, value: Any) -> dict[str, Any]:
    return {"externalId": "x", "content": "y", "metadata": [{"code": code, "value": value}]}


@pytest.mark.parametrize(
    ("code", "value", "typed"),
    [
        ("nps", 0, 0),
        ("nps", 10.0, 10.0),
        ("csat", -3.5, -3.5),
        ("spend", 2**53, 2**53),
        ("visit", "1969-12-31T23:59:59.999Z", -1),
        ("store", "Zürih", "Zürih"),
        ("size", "M", "M"),
        ("level", 1.0, 1.0),
        ("place", "-48.85, 2.35", "-48.85, 2.35"),
        ("member", "false", False),
    ],
)
def test_a_value_of_its_type_is_taken_in_typed_form(code: str, value: Any, typed: Any) -> None:
    found = check(with_value(code, value))
    assert isinstance(found, ValidDocument)
    assert found.typed == {code: typed}


@pytest.mark.parametrize(
    ("code", "value", "error"),
    [
        ("nps", 11, "out_of_bounds"),
        ("nps", -1, "out_of_bounds"),
        ("nps", 7.5, "invalid_value"),
        ("nps", "9", "wrong_type"),
        ("nps", True, "wrong_type"),
        ("nps", None, "wrong_type"),
        ("csat", 5.1, "out_of_bounds"),
        ("spend", 2**53 + 1, "out_of_bounds"),
        ("spend", 10**400, "out_of_bounds"),
        ("spend", [1], "wrong_type"),
        ("visit", "2026-01-01", "invalid_value"),
        ("visit", 5, "wrong_type"),
        ("visit", "9999-12-31T23:59:59-01:00", "invalid_value"),
        ("visit", "0001-01-01T00:00:00+01:00", "invalid_value"),
        ("store", "Zürich", "too_long"),
        ("store", "a\0", "illegal_character"),
        ("store", "\ud800", "illegal_character"),
        ("size", "L", "not_allowed"),
        ("level", 2, "not_allowed"),
        ("place", "91,0", "invalid_value"),
        ("place", "48.85", "invalid_value"),
        ("member", "yes", "wrong_type"),
        ("shop", 1, "unknown_field"),
    ],
)
def test_a_value_that_breaks_its_rule_is_named(code: str, value: Any, error: str) -> None:
    assert problems(with_value(code, value)) == [(error, f"documents[3].metadata[{code}]")]


@pytest.mark.parametrize(
    ("changes", "error", "field"),
    [
        ({"externalId": None}, "required", "externalId"),
        ({"externalId": 7}, "wrong_type", "externalId"),
        ({"externalId": ""}, "too_short", "externalId"),
        ({"externalId": "é" * 257}, "too_long", "externalId"),
        ({"externalId": "a\0b"}, "illegal_character", "externalId"),
        ({"content": None}, "required", "content"),
        ({"content": "x" * 100_001}, "too_long", "content"),
        ({"content": "\udc00"}, "illegal_character", "content"),
        ({"lang": "english language"}, "invalid_value", "lang"),
        ({"type": "review"}, "invalid_value", "type"),
        ({"metadata": {}}, "wrong_type", "metadata"),
        ({"metadata": ["nps"]}, "wrong_type", "metadata[0]"),
        ({"metadata": [{"code": "spend", "value": 1}] * 2}, "duplicate", "metadata[spend]"),
    ],
)
def test_a_member_that_breaks_a_rule_is_named(changes: dict[str, Any], error: str, field: str) -> None:
    document = {"externalId": "x", "content": "y"} | changes
    assert problems(document) == [(error, f"documents[3].{field}")]


def described(document: Any, *definitions: MetadataDefinition) -> list[str]:
    found = check(document, make_rules(metadata_definitions=definitions))
    assert not isinstance(found, ValidDocument)
    return [problem.description for problem in found[1]]


def test_an_error_says_what_to_do() -> None:
    income = MetadataDefinition("income", MetadataType.NUMBER, bounds=Bounds(lower=0.1, upper=1_234_567))
    assert described(with_value("income", 1_234_568), income) == ["1234568 is outside 0.1 to 1234567"]
    assert "leave out what has none" in described(with_value("income", None), income)[0]
    assert described({"externalId": "x", "content": "y", "lang": "français\ud800"})[0].startswith('"français\\ud800"')
    assert described({"externalId": "x", "content": "y", "metadata": "income"})[0].endswith("not a string")


def test_an_error_names_some_of_many_definitions_and_says_how_many_there_are() -> None:
    definitions = [MetadataDefinition(f"m{n}", MetadataType.NUMBER) for n in range(500)]
    assert described(with_value("shop", 1), *definitions)[0].endswith("m18, m19 and 480 more")


def test_all_problems_of_a_document_are_found_at_once() -> None:
    document = {"content": 5, "lang": "?", "metadata": [{"code": "nps", "value": 11}, {"code": "shop", "value": 1}]}
    assert {code for code, _ in problems(document)} == {
        "required",
        "wrong_type",
        "invalid_value",
        "out_of_bounds",
        "unknown_field",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"content": ["Jo Doe"]},
        {"metadata": {"mail": "Jo Doe"}},
        {"metadata": [{"mail": "Jo Doe"}]},
        {"metadata": [{"code": "mail", "value": ["Jo Doe"]}]},
        {"metadata": [{"code": "mail", "value": "Jo Doe"}]},
    ],
)
def test_an_error_never_repeats_a_text_or_what_is_declared_personal(changes: dict[str, Any]) -> None:
    outcome = make_rules().check(json.dumps({"externalId": "x", "content": "y"} | changes).encode(), 0)
    assert not isinstance(outcome, ValidDocument)
    assert "Jo Doe" not in str(outcome)


def test_a_mandatory_field_must_be_there() -> None:
    rules = make_rules(metadata_definitions=(MetadataDefinition("nps", MetadataType.NPS, mandatory=True),))
    assert problems({"externalId": "x", "content": "y"}, rules) == [("required", "documents[3].metadata[nps]")]


def test_language_and_type_come_from_the_dataset_where_they_are_not_sent() -> None:
    found = check({"externalId": "x", "content": ""})
    assert isinstance(found, ValidDocument)
    assert (found.lang, found.type) == ("en", "REVIEW")


def test_the_longest_text_and_external_id_are_taken() -> None:
    assert isinstance(check({"externalId": "é" * 256, "content": "x" * 100_000}), ValidDocument)


def test_a_document_too_large_to_be_read_is_an_error() -> None:
    found = RULES.check(too_large(), 3)
    assert not isinstance(found, ValidDocument)
    assert found[1][0].code == "too_long"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(["externalId", "content", "lang", "type", "metadata", "code", "value"])


# How long an example takes on a machine that does other work says nothing of it.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(MEMBERS, JSON | st.lists(st.dictionaries(MEMBERS, JSON), max_size=3)))
def test_whatever_json_comes_is_valid_or_has_its_problems_named(document: dict[str, Any]) -> None:
    raw = json.dumps(document).replace("NaN", "1e999").replace("Infinity", "1e999").encode()
    found = RULES.check(raw, 0)
    assert isinstance(found, ValidDocument) or found[1]
