"""Reads the declaration of a dataset from a request: defaults filled in, every problem found at once."""

import re
from typing import Any

import msgspec

from feedback.domain.dataset import (
    DEFAULT_MAX_LENGTH,
    NPS_BOUNDS,
    NUMERIC,
    Bounds,
    Dataset,
    MetadataDefinition,
    MetadataType,
)
from feedback.domain.document import Value
from feedback.domain.metadata_values import Breach, shown, typed_value
from feedback.domain.reader import Reader
from feedback.domain.validation import KIND, LANG
from feedback.errors import Code

MAX_NAME = 200
MAX_DEFINITIONS = 500
MAX_ALLOWED_VALUES = 10_000
MAX_STRING_LENGTH = 100_000

_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TYPES = {t.value.upper(): t for t in MetadataType}
_MEMBERS = {"name", "lang", "type", "industry", "metadataDefinitions", "masking"}
_ASSIGNED = {"id", "state", "createdAt", "updatedAt", "monthlyImportedDocuments"}
_DEFINITION_MEMBERS = {"code", "type", "mandatory", "personalData", "allowedValues", "bounds", "maxLength"}


class Declaration(msgspec.Struct, frozen=True):
    """What a client says about a dataset it creates."""

    name: str
    lang: str
    type: str
    industry: str
    metadata_definitions: tuple[MetadataDefinition, ...]
    masking: bool


def declared_dataset(body: object) -> Declaration:
    """The declaration in a decoded JSON body; Invalid with all problems where it breaks a rule.

    Members that the service assigns itself (id, state, ...) are passed over, so that a record can be sent back.
    """
    reader = Reader()
    members = reader.members(body, "", _MEMBERS | _ASSIGNED)
    declaration = Declaration(
        name=reader.text(members, "name", "", maximum=MAX_NAME),
        lang=reader.pattern(members, "lang", LANG, "a BCP 47 language code such as fr or zh-CN"),
        type=reader.pattern(members, "type", KIND, "[A-Z0-9_]{1,64}, such as SATISFACTION_SURVEY_RESPONSE"),
        industry=reader.pattern(members, "industry", KIND, "[A-Z0-9_]{1,64}, such as RETAIL_B2C"),
        metadata_definitions=_definitions(reader, members.get("metadataDefinitions")),
        masking=reader.flag(members, "masking", ""),
    )
    reader.finish()
    return declaration


def amended_definitions(dataset: Dataset, body: object) -> tuple[MetadataDefinition, ...]:
    """The dataset's definitions after a PATCH, which may add definitions and allowed values and change nothing else."""
    reader = Reader()
    members = reader.members(body, "", {"metadataDefinitions"})
    sent = _definitions(reader, members.get("metadataDefinitions"), amended=dataset)
    reader.finish()
    definitions = {d.code: d for d in dataset.metadata_definitions}
    for definition in sent:
        before = definitions.get(definition.code)
        definitions[definition.code] = definition if before is None else _widened(reader, before, definition)
    if len(definitions) > MAX_DEFINITIONS:
        description = (
            f"a dataset has at most {MAX_DEFINITIONS} definitions; with these it would have {len(definitions)}"
        )
        reader.add(Code.TOO_MANY, description, "metadataDefinitions")
    reader.finish()
    return tuple(definitions.values())


def _widened(reader: Reader, before: MetadataDefinition, after: MetadataDefinition) -> MetadataDefinition:
    values = tuple(dict.fromkeys((*before.allowed_values, *after.allowed_values)))
    if len(values) > MAX_ALLOWED_VALUES:
        description = f"{before.code} allows at most {MAX_ALLOWED_VALUES:,} values; with these it would {len(values):,}"
        reader.add(Code.TOO_MANY, description, "metadataDefinitions")
    return msgspec.structs.replace(before, allowed_values=values)


def _definitions(reader: Reader, value: object, *, amended: Dataset | None = None) -> tuple[MetadataDefinition, ...]:
    path = "metadataDefinitions"
    if value is None:
        return ()
    if not isinstance(value, list):
        reader.add(Code.WRONG_TYPE, f"an array of definitions, not {shown(value)}", path)
        return ()
    if len(value) > MAX_DEFINITIONS:
        reader.add(Code.TOO_MANY, f"at most {MAX_DEFINITIONS} definitions", path)
        return ()
    read = [_definition(reader, element, f"{path}[{place}]", amended) for place, element in enumerate(value)]
    seen: set[str] = set()
    for place, definition in enumerate(read):
        if definition is not None and definition.code in seen:
            reader.add(Code.DUPLICATE, f"{shown(definition.code)} is defined twice", f"{path}[{place}].code")
        elif definition is not None:
            seen.add(definition.code)
    return tuple(d for d in read if d is not None)


def _definition(reader: Reader, value: object, path: str, amended: Dataset | None) -> MetadataDefinition | None:
    members = reader.members(value, path, _DEFINITION_MEMBERS)
    if not isinstance(value, dict):
        return None
    code = reader.pattern(members, "code", _CODE, "[A-Za-z0-9_-]{1,64}", path)
    before = amended.definition(code) if amended is not None else None
    sent_type = before.sent_type if before and "type" not in members else reader.text(members, "type", path)
    mandatory, personal_data = (reader.flag(members, name, path) for name in ("mandatory", "personalData"))
    kind = _TYPES.get((sent_type or "").upper())
    if kind is None:
        if sent_type:
            known = ", ".join(t.value for t in MetadataType)
            reader.add(
                Code.INVALID_VALUE, f"{shown(sent_type)} is no metadata type; there are: {known}", f"{path}.type"
            )
        return None
    if before is not None:
        _refuse_changes(reader, members, before, kind, path)
    definition = MetadataDefinition(
        code=code,
        type=kind,
        mandatory=mandatory,
        personal_data=personal_data,
        bounds=_bounds(reader, members, kind, path),
        max_length=_max_length(reader, members, kind, path),
        sent_type=sent_type,
    )
    values = _allowed_values(reader, members.get("allowedValues", []), before or definition, path)
    return msgspec.structs.replace(definition, allowed_values=values)


def _refuse_changes(
    reader: Reader, members: dict[str, Any], before: MetadataDefinition, kind: MetadataType, path: str
) -> None:
    advice = "cannot be changed: documents that are stored already keep to it"
    if kind is not before.type:
        reader.add(Code.ILLEGAL_COMBINATION, f"the type of {before.code} {advice}", f"{path}.type")
    unchanged = {
        "mandatory": before.mandatory,
        "personalData": before.personal_data,
        "maxLength": before.max_length,
        "bounds": before.bounds and {"upper": before.bounds.upper, "lower": before.bounds.lower},
    }
    for name, old in unchanged.items():
        if _given(members.get(name)) not in (_given(old), None):
            reader.add(Code.ILLEGAL_COMBINATION, f"{name} of {before.code} {advice}", f"{path}.{name}")
    if not before.allowed_values and members.get("allowedValues"):
        description = f"{before.code} allows any value; a list would forbid values that are stored already"
        reader.add(Code.ILLEGAL_COMBINATION, description, f"{path}.allowedValues")


def _given(value: object) -> object:
    """A value as it stands; of bounds those that are not null, as a record shows them, and None where all are."""
    if not isinstance(value, dict):
        return value
    return {name: limit for name, limit in value.items() if limit is not None} or None


def _bounds(reader: Reader, members: dict[str, Any], kind: MetadataType, path: str) -> Bounds | None:
    sent = members.get("bounds")
    if kind is MetadataType.NPS:
        if sent is not None and sent != {"lower": NPS_BOUNDS[0], "upper": NPS_BOUNDS[1]}:
            reader.add(Code.ILLEGAL_COMBINATION, "an NPS always lies between 0 and 10", f"{path}.bounds")
        return Bounds(upper=NPS_BOUNDS[1], lower=NPS_BOUNDS[0])
    if sent is None:
        return None
    if kind not in NUMERIC:
        reader.add(Code.ILLEGAL_COMBINATION, f"a {kind} has no bounds", f"{path}.bounds")
        return None
    limits = reader.members(sent, f"{path}.bounds", {"lower", "upper"})
    lower, upper = (reader.number(limits, name, f"{path}.bounds") for name in ("lower", "upper"))
    if lower is not None and upper is not None and lower > upper:
        reader.add(Code.INVALID_VALUE, "lower is above upper", f"{path}.bounds")
    return Bounds(upper=upper, lower=lower)


def _max_length(reader: Reader, members: dict[str, Any], kind: MetadataType, path: str) -> int | None:
    sent = members.get("maxLength")
    if kind is not MetadataType.STRING:
        if sent is not None:
            reader.add(Code.ILLEGAL_COMBINATION, f"a {kind} has no maxLength", f"{path}.maxLength")
        return None
    if sent is None:
        return DEFAULT_MAX_LENGTH
    if isinstance(sent, bool) or not isinstance(sent, int) or not 1 <= sent <= MAX_STRING_LENGTH:
        description = f"a whole number from 1 to {MAX_STRING_LENGTH:,}, not {shown(sent)}"
        reader.add(Code.INVALID_VALUE, description, f"{path}.maxLength")
        return DEFAULT_MAX_LENGTH
    return sent


def _allowed_values(reader: Reader, value: object, definition: MetadataDefinition, path: str) -> tuple[Value, ...]:
    where = f"{path}.allowedValues"
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_ALLOWED_VALUES:
        reader.add(Code.WRONG_TYPE, f"an array of at most {MAX_ALLOWED_VALUES:,} values", where)
        return ()
    unrestricted = msgspec.structs.replace(definition, allowed_values=())
    for place, choice in enumerate(value):
        if not isinstance(choice, str | int | float | bool):
            reader.add(Code.WRONG_TYPE, f"a string, number or boolean, not {shown(choice)}", f"{where}[{place}]")
        elif isinstance(outcome := typed_value(unrestricted, choice), Breach):
            reader.add(outcome.code, outcome.description, f"{where}[{place}]")
    return tuple(dict.fromkeys(v for v in value if isinstance(v, str | int | float | bool)))
