"""A dataset: what its documents are about, and which metadata they carry."""

from enum import StrEnum
from typing import Literal

import msgspec

from feedback.domain.document import Value


class MetadataType(StrEnum):
    """The types of metadata, in their canonical spelling; requests may write them in any case."""

    NPS = "NPS"
    CSAT = "CSAT"
    CES = "CES"
    NUMBER = "Number"
    DATETIME = "Datetime"
    STRING = "String"
    LATLNG = "LatLng"
    BOOLEAN = "Boolean"


SCORES = frozenset({MetadataType.NPS, MetadataType.CSAT, MetadataType.CES})
NUMERIC = SCORES | {MetadataType.NUMBER}

INDUSTRIES = (
    "RETAIL_B2C",
    "HOSPITALITY",
    "RESTAURANT",
    "BANKING",
    "INSURANCE",
    "TELECOM",
    "TRANSPORT",
    "HEALTHCARE",
    "PUBLIC_SERVICE",
    "SOFTWARE",
)
"""Industries that steer the analysis; any other is treated as general."""

DOCUMENT_TYPES = ("SATISFACTION_SURVEY_RESPONSE", "PRODUCT_REVIEW", "SUPPORT_TICKET", "SOCIAL_MEDIA_POST")
"""Document types that steer the analysis; any other is treated as general."""

NPS_BOUNDS = (0, 10)
DEFAULT_MAX_LENGTH = 200


class Bounds(msgspec.Struct, frozen=True):
    """The inclusive range of a numeric metadata field; a missing bound is open."""

    upper: float | None = None
    lower: float | None = None


class MetadataDefinition(msgspec.Struct, frozen=True, rename="camel"):
    """One declared metadata field. `sent_type` keeps the spelling the client used, which is what it is shown again."""

    code: str
    type: MetadataType
    mandatory: bool = False
    personal_data: bool = False
    allowed_values: tuple[Value, ...] = ()
    bounds: Bounds | None = None
    max_length: int | None = None
    sent_type: str | None = None


class Dataset(msgspec.Struct, frozen=True, rename="camel"):
    """A declared dataset. Times are epoch milliseconds; `generation` grows with every change of its documents."""

    id: str
    organisation_id: str
    name: str
    lang: str
    type: str
    industry: str
    metadata_definitions: tuple[MetadataDefinition, ...]
    created_at: int
    updated_at: int
    masking: bool = False
    state: Literal["ACTIVE"] = "ACTIVE"
    generation: int = 0

    def definition(self, code: str) -> MetadataDefinition | None:
        """The definition of a metadata code, None where the dataset has none."""
        return next((d for d in self.metadata_definitions if d.code == code), None)
