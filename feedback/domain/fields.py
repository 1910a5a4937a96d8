"""The fields of a document that can be counted, split by or filtered on, and the one way their names are read."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from feedback.domain.dataset import Dataset, MetadataDefinition
from feedback.errors import Code, Problem

METADATA = "metadata."
CLASSIFIER = "classifier."


class Kind(StrEnum):
    """What a field holds; the values are the words that replies and the documentation use."""

    NPS = "NPS"
    CSAT = "CSAT"
    CES = "CES"
    NUMBER = "Number"
    DATETIME = "Datetime"
    STRING = "String"
    LATLNG = "LatLng"
    BOOLEAN = "Boolean"
    CATEGORY = "Category"
    IDENTIFIER = "externalId"
    TERMS = "TERMS"
    TOPICS = "TOPICS"
    POLARITY = "TERMS_POLARITY"


SCORES = frozenset({Kind.NPS, Kind.CSAT, Kind.CES})
NUMERIC = SCORES | {Kind.NUMBER}
ENRICHED = frozenset({Kind.TERMS, Kind.TOPICS})

FIXED = {
    "createdAt": Kind.DATETIME,
    "updatedAt": Kind.DATETIME,
    "externalId": Kind.IDENTIFIER,
    "type": Kind.CATEGORY,
    "lang": Kind.CATEGORY,
    "TERMS": Kind.TERMS,
    "TOPICS": Kind.TOPICS,
    "TERMS_POLARITY": Kind.POLARITY,
}
"""Fields that every document has, whatever its dataset declares."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of one dataset. Its name is also the name of its column in a segment."""

    name: str
    kind: Kind
    definition: MetadataDefinition | None = None

    @property
    def always(self) -> bool:
        """Whether every document has it."""
        return self.name in {"createdAt", "updatedAt", "externalId", "type", "lang"}

    @property
    def enumerated(self) -> bool:
        """Whether it is a String whose values are declared."""
        return self.definition is not None and bool(self.definition.allowed_values)


def find_field(dataset: Dataset, name: object, path: str, classifiers: Collection[str] = ()) -> Field | Problem:
    """The field called `name`, or the problem with it: missing, unknown, or personal data."""
    if name is None:
        known = ", ".join(field_names(dataset, classifiers))
        return Problem(Code.REQUIRED, f"is the name of a field: one of {known}", path)
    if not isinstance(name, str):
        return Problem(Code.WRONG_TYPE, f"must be the name of a field, not {name!r}", path)
    if name in FIXED:
        return Field(name, FIXED[name])
    if name.startswith(METADATA):
        definition = dataset.definition(name.removeprefix(METADATA))
        if definition is not None and definition.personal_data:
            return Problem(Code.PERSONAL_DATA, f"{name} holds personal data and is never searched or aggregated", path)
        if definition is not None:
            return Field(name, Kind(definition.type.value), definition)
    if name.startswith(CLASSIFIER) and name.removeprefix(CLASSIFIER) in classifiers:
        return Field(name, Kind.CATEGORY)
    known = ", ".join(field_names(dataset, classifiers))
    return Problem(Code.UNKNOWN_FIELD, f"{name[:100]!r} is no field of this dataset; its fields are {known}", path)


def field_names(dataset: Dataset, classifiers: Collection[str] = ()) -> list[str]:
    """Every field of a dataset that may be named in a request."""
    metadata = [METADATA + d.code for d in dataset.metadata_definitions if not d.personal_data]
    return [*FIXED, *metadata, *(CLASSIFIER + code for code in sorted(classifiers))]
