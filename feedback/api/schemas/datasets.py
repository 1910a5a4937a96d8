"""Datasets and their metadata definitions, as sent and as returned."""

from typing import Literal

from pydantic import Field

from feedback.api.schemas.common import Identifier, Model, Timestamp, Value


class BoundsBody(Model):
    """The inclusive range of a numeric metadata field."""

    upper: float | None = None
    lower: float | None = None


class DefinitionChange(Model):
    """A metadata definition to add, or one that is there and is to allow more values, which needs no type."""

    code: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    type: str | None = Field(
        None, description="NPS, CSAT, CES, Number, Datetime, String, LatLng or Boolean, in any case."
    )
    mandatory: bool = False
    personal_data: bool = False
    allowed_values: list[Value] = Field(default=[])
    bounds: BoundsBody | None = None
    max_length: int | None = Field(None, ge=1, le=100_000)


class DefinitionBody(DefinitionChange):
    """A metadata definition as sent."""

    type: str = Field(description="NPS, CSAT, CES, Number, Datetime, String, LatLng or Boolean, in any case.")


class DatasetBody(Model):
    """A dataset as declared by a client."""

    name: str = Field(min_length=1, max_length=200)
    lang: str = Field(description="BCP 47, for example fr or zh-CN.")
    type: str = Field(pattern="^[A-Z0-9_]{1,64}$")
    industry: str = Field(pattern="^[A-Z0-9_]{1,64}$")
    metadata_definitions: list[DefinitionBody] = Field(default=[])
    masking: bool = Field(default=False, description="Replace personal data in texts by typed placeholders.")


class DatasetChange(Model):
    """Metadata definitions to add, and definitions whose allowed values are to be widened."""

    metadata_definitions: list[DefinitionChange] = Field(default=[])


class MonthRecord(Model):
    """Documents imported in a month."""

    month: str = Field(examples=["2026-11"])
    count: int


class DatasetRecord(DatasetBody):
    """A dataset as stored."""

    id: Identifier
    state: Literal["ACTIVE"]
    created_at: Timestamp
    updated_at: Timestamp
    monthly_imported_documents: list[MonthRecord]
