"""An example for every reply of the OpenAPI document, made from the reply's own schema so that the two cannot part."""

from typing import Any

from feedback.errors import Code

_PREFIX = "#/components/schemas/"

# One typical problem a status: code, description, field.
_PROBLEMS: dict[str, tuple[Code, str, str | None]] = {
    "400": (Code.MALFORMED_BODY, "the body is not JSON: ',' or '}' was expected, at byte 17", None),
    "401": (
        Code.INVALID_TOKEN,
        "the access token is unknown, expired or revoked; get a new one from POST /v1/token",
        None,
    ),
    "403": (Code.INSUFFICIENT_SCOPE, "this needs a client of scope write; the token's client has scope read", None),
    "404": (Code.NOT_FOUND, "there is no dataset 65f0c2a9d3b1e4f5a6b7c8d9", None),
    "409": (Code.NAME_TAKEN, "there is a dataset named Store reviews already", "name"),
    "413": (Code.TOO_LARGE, "a body of this request takes at most 4,194,304 bytes", None),
    "415": (Code.UNSUPPORTED_MEDIA_TYPE, "send the body as application/json", None),
    "422": (Code.OUT_OF_BOUNDS, "11 is above 10", "metadataDefinitions[0].bounds"),
    "429": (Code.RATE_LIMITED, "too many token requests from this address; a token lives an hour, so keep it", None),
    "503": (Code.UNAVAILABLE, "the database cannot be reached; nothing was changed", None),
    "507": (Code.STORAGE_FULL, "the disk is full; nothing was stored", None),
}

# What members look like; one that is qualified by its model wins.
_MEMBERS: dict[str, Any] = {
    "access_token": "k3Vd0aUu5mJgq1c7w0S3cF2nq8Jp6h4yR9tZbXeLsQo",
    "expires_in": 3600,
    "page": 1,
    "pageSize": 20,
    "total": 1,
    "name": "Store reviews",
    "lang": "en",
    "type": "SATISFACTION_SURVEY_RESPONSE",
    "industry": "RETAIL_B2C",
    "metadataDefinitions": [
        {
            "code": "nps",
            "type": "NPS",
            "mandatory": False,
            "personalData": False,
            "allowedValues": [],
            "bounds": {"upper": 10, "lower": 0},
        }
    ],
    "count": 240,
    "totalDocuments": 240,
    "processedDocuments": 0,
    "failedDocuments": 0,
    "supersededDocuments": 0,
    "erasedDocuments": 0,
    "errors": [],
    "index": 17,
    "DocumentErrorRecord.code": "out_of_bounds",
    "DocumentErrorRecord.description": "11 is above 10",
    "DocumentErrorRecord.field": "documents[17].metadata[nps]",
    "externalId": "review-1",
    "content": "Friendly staff, but the queue was far too long.",
    "metadata": [{"code": "nps", "value": 6}],
    "enrichments": [
        {"term": "staff__NOUN__1", "opinion": "POSITIVE", "offset": {"begin": 9, "end": 14}},
        {"term": "queue__NOUN__1", "opinion": "NEGATIVE", "offset": {"begin": 24, "end": 29}},
    ],
    "topics": [{"code": "waiting", "label": "waiting time", "opinion": "NEGATIVE"}],
    "classifiers": {"urgency": "normal"},
    "analysisVersion": "1.7",
    "TopicRecordOfDataset.code": "parking",
    "TopicRecordOfDataset.label": "parking",
    "TopicRecordOfDataset.terms": ["parking", "car park"],
    "TopicRecordOfDataset.exclusions": ["parking ticket"],
    "OpinionEntryRecord.term": "sick",
    "OpinionEntryRecord.context": ["beat"],
    "ClassifierRecord.code": "urgency",
    "ClassifierRecord.rules": [
        {"value": "high", "anyTerms": ["refund"], "anyTopics": [], "anyOpinion": None, "metadata": []},
        {"value": "normal", "anyTerms": [], "anyTopics": [], "anyOpinion": None, "metadata": []},
    ],
    "ChangeRecord.value": "staff__NOUN__1",
    "ChangeRecord.before": None,
    "ChangeRecord.after": "POSITIVE",
    "url": "https://example.com/feedback-events",
    "datasetId": None,
    "failingSince": None,
    "attempts": 0,
    "lastStatus": None,
    "lastError": None,
    "AggregationRecord.field": "metadata.nps",
    "AggregationRecord.type": "NPS",
    "periods": [
        {
            "period": {
                "field": "createdAt",
                "from": "2026-11-01T00:00:00.000Z",
                "to": "2026-11-30T23:59:59.999Z",
            },
            "total": {"value": 24.5, "volume": 240},
            "values": [
                {"value": 24.5, "volume": 240, "dimensions": [{"field": "createdAt", "value": "2026-11"}]},
            ],
        }
    ],
    "method": "co-occurrence in the same document, ordered by log-likelihood ratio (G2)",
    "minimumVolume": 30,
    "InsightRecord.items": [],
}

# Members that only some records have: a new import has not ended, and is no re-analysis.
_RARE = {"ImportRecord.endedAt", "ImportRecord.kind"}


def add_examples(document: dict[str, Any]) -> None:
    """Gives every JSON reply of the document an example."""
    schemas = document.get("components", {}).get("schemas", {})
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, reply in operation["responses"].items():
                content = reply.get("content", {}).get("application/json")
                if content is not None:
                    known = error_example(status)
                    content["example"] = known or example_of(content.get("schema", {}), schemas)


def error_example(status: str) -> dict[str, Any] | None:
    """The body of a reply of that status; None for one that is no error."""
    if status not in _PROBLEMS:
        return None
    code, description, field = _PROBLEMS[status]
    return {"success": False, "errors": [{"code": code.value, "description": description, "field": field}]}


def example_of(schema: dict[str, Any], schemas: dict[str, Any], name: str = "") -> Any:
    """A value that a schema allows: its own example where it has one, else what members of that name look like."""
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if "const" in schema:
        return schema["const"]
    if name in _MEMBERS:
        return _MEMBERS[name]
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].removeprefix(_PREFIX)], schemas)
    choices = [choice for choice in schema.get("anyOf", []) if choice.get("type") != "null"]
    if choices:
        return example_of(choices[0], schemas, name)
    return _typed_example(schema, schemas)


def _typed_example(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    match schema.get("type"):
        case "object":
            return _object_example(schema, schemas)
        case "array":
            return [example_of(schema.get("items", {}), schemas)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return schema.get("default", False)
    return schema.get("default") or "text"


def _object_example(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The members that are always there; those that default to null are left out."""
    title = schema.get("title", "")
    example = {}
    for name, member in schema.get("properties", {}).items():
        qualified = f"{title}.{name}"
        if member.get("default", ...) is not None and qualified not in _RARE:
            example[name] = example_of(member, schemas, qualified if qualified in _MEMBERS else name)
    return example
