"""Names what is wrong with a document that does not decode, and reads what can be read of it."""

import json
from typing import Any

from feedback.domain.document import MetadataValue, SentDocument
from feedback.domain.metadata_values import shown
from feedback.errors import Code, Problem

_JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
}


def examine(raw: bytes, path: str) -> tuple[str | None, SentDocument | None, list[Problem]]:
    """Names what a document that does not decode has wrong; what could be read is returned for the other rules."""
    try:
        members: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None, None, [Problem(Code.INVALID_VALUE, "a number of this document cannot be represented", path)]
    if not isinstance(members, dict):
        return None, None, [Problem(Code.WRONG_TYPE, f"a document is an object, not {shown(members)}", path)]
    problems: list[Problem] = []
    external_id = _member(members, "externalId", path, problems, required=True)
    content = _member(members, "content", path, problems, required=True)
    lang = _member(members, "lang", path, problems)
    kind = _member(members, "type", path, problems)
    metadata = _metadata_members(members.get("metadata"), f"{path}.metadata", problems)
    readable = SentDocument(external_id or "-", content or "", lang, kind, metadata)
    return external_id, readable, problems


def _member(
    members: dict[str, Any], name: str, path: str, problems: list[Problem], *, required: bool = False
) -> str | None:
    value = members.get(name)
    if isinstance(value, str) or (value is None and not required):
        return value
    if value is None:
        problems.append(Problem(Code.REQUIRED, f"a document needs {name}", f"{path}.{name}"))
    else:
        # Errors outlive documents, so what may be a customer's words is never repeated in one.
        found = _kind(value) if name == "content" else shown(value)
        problems.append(Problem(Code.WRONG_TYPE, f"{name} is a string, not {found}", f"{path}.{name}"))
    return None


def _kind(value: object) -> str:
    return _JSON_TYPES.get(type(value), "an object")


def _metadata_members(value: object, path: str, problems: list[Problem]) -> tuple[MetadataValue, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        description = f"metadata is an array of {{code, value}}, not {_kind(value)}"
        problems.append(Problem(Code.WRONG_TYPE, description, path))
        return ()
    entries: list[MetadataValue] = []
    for place, entry in enumerate(value):
        where = f"{path}[{place}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("code"), str):
            found = "an object without such a code" if isinstance(entry, dict) else _kind(entry)
            description = f"an element of metadata is {{code, value}}, where code is a string, not {found}"
            problems.append(Problem(Code.WRONG_TYPE, description, where))
        elif isinstance(entry.get("value"), float) and not float("-inf") < entry["value"] < float("inf"):
            problems.append(Problem(Code.OUT_OF_BOUNDS, "the number is too large", f"{path}[{escaped(entry['code'])}]"))
        elif not isinstance(entry.get("value"), str | int | float | bool):
            found = "null; leave out what has none" if entry.get("value") is None else _kind(entry["value"])
            description = f"a value is a string, a number or a boolean, not {found}"
            problems.append(Problem(Code.WRONG_TYPE, description, f"{path}[{escaped(entry['code'])}]"))
        else:
            entries.append(MetadataValue(entry["code"], entry["value"]))
    return tuple(entries)


def escaped(code: str) -> str:
    """A code of metadata as a path of an error may hold it."""
    return code[:64].encode("ascii", "backslashreplace").decode().replace("\0", "\\x00")
