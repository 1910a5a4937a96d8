"""Turns the rows of a CSV file into documents, as its header or a mapping says."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import msgspec

from feedback.domain.dataset import NUMERIC, Dataset, MetadataDefinition, MetadataType
from feedback.domain.metadata_values import shown
from feedback.domain.validation import MAX_DOCUMENT_BYTES, refused
from feedback.errors import Code, Invalid, Malformed, Problem

if TYPE_CHECKING:
    from _csv import Reader

METADATA = "metadata."
MEMBERS = ("externalId", "content", "lang", "type")
REQUIRED = ("externalId", "content")
MAX_COLUMNS = 2000

_INTEGER = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?")
_encode = msgspec.json.Encoder().encode

# The limit is one for the whole process; a larger field than this is larger than any document may be.
csv.field_size_limit(MAX_DOCUMENT_BYTES)

Target = str | MetadataDefinition | None
"""Where a column goes: a member of the document, a metadata field, or nowhere."""


def split_csv(
    file: IO[bytes], dataset: Dataset, mapping: Mapping[str, str] | None = None, delimiter: str = ","
) -> Iterator[bytes]:
    """The documents of a UTF-8 CSV file whose first row names the columns.

    Without a mapping the columns are named externalId, content, lang, type and metadata.<code>; a mapping says which
    column is which of those, and all others are left out. Raises Invalid where the header does not fit, Malformed
    where the file is no CSV. A row that has more or fewer fields than the header is an error of the import.
    """
    reader = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=delimiter, strict=True)
    header = _next_row(reader)
    if header is None:
        raise Malformed("the body is empty; a CSV file begins with the names of its columns")
    targets = _targets(header, dataset, mapping)
    while (row := _next_row(reader)) is not None:
        if len(row) == len(header):
            yield _document(row, targets)
        elif row:
            description = f"the row that ends in line {reader.line_num} has {len(row)} fields, the header {len(header)}"
            yield refused(Code.INVALID_VALUE, description)


def _next_row(reader: "Reader") -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise Malformed(f"the body is no CSV: {error}, in line {reader.line_num}") from None
    except UnicodeDecodeError as error:
        advice = "save the file as UTF-8"
        raise Malformed(f"the body is not UTF-8: {error.reason} after line {reader.line_num}; {advice}") from None


def _targets(header: list[str], dataset: Dataset, mapping: Mapping[str, str] | None) -> list[Target]:
    if len(header) > MAX_COLUMNS:
        raise Invalid(f"at most {MAX_COLUMNS} columns", code=Code.TOO_MANY)
    problems: list[Problem] = []
    fields = [name.strip() if mapping is None else mapping.get(name.strip(), "") for name in header]
    targets: list[Target] = []
    for name, field in zip(header, fields, strict=True):
        target = _target(field, dataset)
        if target is None and (field or mapping is None):
            known = ", ".join([*MEMBERS, *(METADATA + d.code for d in dataset.metadata_definitions)])
            description = f"{shown(field)} is no field of this dataset's documents; there are: {known}"
            problems.append(Problem(Code.UNKNOWN_FIELD, description, f"column {shown(name)}"))
        if field and fields.count(field) > 1:
            problems.append(Problem(Code.DUPLICATE, "two columns are this field", f"column {shown(name)}"))
        targets.append(target)
    problems += [Problem(Code.REQUIRED, f"no column is {field}", field) for field in REQUIRED if field not in fields]
    missing = set(mapping or ()) - {name.strip() for name in header}
    problems += [
        Problem(Code.UNKNOWN_FIELD, f"no column is named {shown(name)}", "mapping") for name in sorted(missing)
    ]
    if problems:
        raise Invalid(problems=problems)
    return targets


def _target(field: str, dataset: Dataset) -> Target:
    if field in MEMBERS:
        return field
    return dataset.definition(field.removeprefix(METADATA)) if field.startswith(METADATA) else None


def _document(row: list[str], targets: list[Target]) -> bytes:
    document: dict[str, Any] = {}
    metadata: list[dict[str, Any]] = []
    for field, target in zip(row, targets, strict=True):
        if isinstance(target, MetadataDefinition):
            if field:
                metadata.append({"code": target.code, "value": _value(field, target)})
        elif target is not None and (field or target == "content"):
            document[target] = field
    document["metadata"] = metadata
    raw = _encode(document)
    return raw if len(raw) <= MAX_DOCUMENT_BYTES else refused(Code.TOO_LONG, "the row is larger than a document may be")


def _value(field: str, definition: MetadataDefinition) -> str | int | float:
    """A number or boolean where one is wanted and the text is one; the rules name what is wrong with any other."""
    if definition.type is MetadataType.BOOLEAN:
        # Spreadsheets write TRUE and FALSE.
        word = field.strip().lower()
        return word if word in {"true", "false"} else field
    if definition.type not in NUMERIC:
        return field
    text = field.strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else field
