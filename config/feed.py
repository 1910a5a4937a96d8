"""What a feed may say: how a CSV of comments becomes documents of a dataset."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, Field, field_validator, model_validator

from config.definitions import Strict, find_definition, read_definition

Column = str | int
"""A column by its name in the header, or by its position from 1."""


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Columns = Annotated[list[Column], BeforeValidator(_listed), Field(min_length=1)]
Texts = Annotated[list[str], BeforeValidator(_listed)]


class Kind(StrEnum):
    """The types a metadata field may have."""

    NPS = "NPS"
    CSAT = "CSAT"
    CES = "CES"
    NUMBER = "Number"
    DATETIME = "Datetime"
    STRING = "String"
    LATLNG = "LatLng"
    BOOLEAN = "Boolean"


NUMERIC = frozenset({Kind.NPS, Kind.CSAT, Kind.CES, Kind.NUMBER})


class Source(Strict):
    """Where the file lies and how it is written. What is not said is found out from the file."""

    path: str | None = Field(None, description="Any address fsspec reads; `{partition}` stands for the partition.")
    encodings: Texts = Field(["utf-8", "cp1252", "latin-1"], description="The first that decodes the whole file.")
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="Sniffed when not given.")
    quote: str = Field('"', min_length=1, max_length=1)
    header: bool = Field(True, description="Whether the first row after `skip_rows` names the columns.")
    skip_rows: int = Field(0, ge=0, description="Rows before the header.")
    skip_after_header: int = Field(0, ge=0, description="Rows after the header that are no data, such as questions.")
    columns: list[str] = Field([], description="The names of the columns, for a file without header.")


class Scale(Strict):
    """A linear scale onto another; the result is rounded to a whole number, halves up."""

    source: tuple[float, float] = Field(alias="from")
    target: tuple[float, float] = Field(alias="to")

    @model_validator(mode="after")
    def _has_width(self) -> Self:
        if self.source[0] == self.source[1]:
            raise ValueError("`from` needs two different ends, such as [2.5, 10]")
        return self


class Recode(Strict):
    """How a column's values become the field's: by a list, by turning a scale round, or by a linear scale."""

    listed: dict[str, str | int | float | bool] = Field(
        {}, alias="values", description="Text in the file -> value of the field."
    )
    otherwise: Literal["reject", "keep", "omit"] = Field("reject", description="What happens to a text not listed.")
    inverted: tuple[float, float] | None = Field(None, description="[1, 5]: 1 becomes 5 and 5 becomes 1.")
    scale: Scale | None = None

    @field_validator("listed", mode="before")
    @classmethod
    def _texts(cls, values: Any) -> Any:
        return {str(key): value for key, value in values.items()} if isinstance(values, dict) else values

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum([bool(self.listed), self.inverted is not None, self.scale is not None]) != 1:
            raise ValueError("give exactly one of `values`, `inverted` and `scale`")
        return self


class Bounds(Strict):
    """The least and the greatest value, both allowed."""

    lower: float
    upper: float


class Metadata(Strict):
    """One metadata field: where its values come from, and what the dataset declares of it."""

    type: Kind
    column: Columns | None = Field(None, description="A column; several mean: the first of these that the file has.")
    columns: tuple[Column, Column] | None = Field(None, description="Latitude and longitude, for a LatLng.")
    constant: str | int | float | bool | None = None
    mandatory: bool = False
    personal_data: bool = False
    allowed_values: list[str] = Field([], description="Anything when empty.")
    bounds: Bounds | None = None
    max_length: int | None = Field(None, gt=0)
    missing: Texts | None = Field(None, description="Texts that mean `no value`, besides the feed's own.")
    format: Texts = Field([], description="Date formats tried in turn (strptime), or `excel`, or `iso` (the default).")
    zone: str | None = Field(None, description="The zone of dates written without one; the feed's when not given.")
    decimal: Literal[".", ","] = "."
    recode: Recode | None = None

    @field_validator("type", mode="before")
    @classmethod
    def _any_case(cls, value: Any) -> Any:
        return next((kind for kind in Kind if isinstance(value, str) and kind.lower() == value.lower()), value)

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if sum(each is not None for each in (self.column, self.columns, self.constant)) != 1:
            raise ValueError("give exactly one of `column`, `columns` (latitude and longitude) and `constant`")
        if self.columns is not None and self.type is not Kind.LATLNG:
            raise ValueError("`columns` is for a LatLng; other types come from one `column`")
        if self.format and self.type is not Kind.DATETIME:
            raise ValueError("`format` is for a Datetime")
        return self


class ExternalId(Strict):
    """A column that holds a unique id, or the columns whose hash makes one."""

    column: Columns | None = None
    hash_of: list[Column] | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.column is None) == (self.hash_of is None):
            raise ValueError("give either `column` or `hash_of`")
        return self


class Content(Strict):
    """The columns that make the text, joined in order."""

    columns: Columns
    drop: Texts = Field([], description="Texts that say nothing, such as `No Negative`; compared without case.")
    separator: str = "\n"
    empty: Literal["reject", "keep"] = "reject"


class PerDocument(Strict):
    """A member of each document that a column says, such as its language, written as a code or as a name."""

    column: Columns
    names: dict[str, str] = Field({}, alias="values", description="Text in the file -> what the service calls it.")
    default: str | None = Field(None, description="For an empty cell; the dataset's own when not given.")


class DatasetDefinition(Strict):
    """The dataset the documents go to; it is made when it does not exist."""

    name: str = Field(min_length=1)
    lang: str = "en"
    type: str = "SATISFACTION_SURVEY_RESPONSE"
    industry: str = "RETAIL_B2C"


class Feed(Strict):
    """A feed: one kind of CSV, and how its rows become documents."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,47}$", description="Also the name of its view in the warehouse.")
    title: str = ""
    dataset: DatasetDefinition
    source: Source = Source()
    external_id: ExternalId
    content: Content
    lang: PerDocument | None = None
    type: PerDocument | None = None
    metadata: dict[str, Metadata] = Field({}, description="Code of the field -> where its values come from.")
    missing: Texts = Field([""], description="Texts that mean `no value` in every column.")
    zone: str = "UTC"
    batch_size: int = Field(1000, ge=1, le=50_000)
    max_rejected_share: float = Field(0.05, ge=0, le=1)
    on_new_column: Literal["ignore", "freeze", "evolve"] = "ignore"
    known_columns: list[str] = Field([], description="Columns that are known and left out: not new.")

    @field_validator("metadata")
    @classmethod
    def _codes(cls, metadata: dict[str, Metadata]) -> dict[str, Metadata]:
        bad = [code for code in metadata if not (code.replace("_", "").replace("-", "").isalnum() and len(code) <= 64)]
        if bad:
            raise ValueError(f"a code has letters, digits, _ and -, at most 64 of them; change {', '.join(bad)}")
        return metadata

    @model_validator(mode="after")
    def _zones(self) -> Self:
        for zone in {self.zone, *(field.zone for field in self.metadata.values() if field.zone)}:
            try:
                ZoneInfo(zone)
            except (ZoneInfoNotFoundError, ValueError) as error:
                raise ValueError(f"{zone!r} is no time zone; write one such as Europe/Paris") from error
        return self

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not self.source.header and not self.source.columns and not self._positional():
            raise ValueError("a file without header needs `source.columns`, or columns given by position (1, 2, ...)")
        return self

    def used_columns(self) -> list[Column]:
        """Every column the feed speaks of, in the order it does."""
        found: list[Column] = [*(self.external_id.column or []), *(self.external_id.hash_of or [])]
        found += self.content.columns
        for each in (self.lang, self.type):
            found += each.column if each else []
        for field in self.metadata.values():
            found += field.column or []
            found += field.columns or ()
        return list(dict.fromkeys(found))

    def dataset_body(self) -> dict[str, Any]:
        """The dataset as the service wants it declared."""
        definitions = [definition_body(code, field) for code, field in self.metadata.items()]
        return self.dataset.model_dump() | {"metadataDefinitions": definitions}

    def _positional(self) -> bool:
        return all(isinstance(column, int) for column in self.used_columns())


def definition_body(code: str, field: Metadata) -> dict[str, Any]:
    """A metadata definition as the service wants it."""
    body: dict[str, Any] = {"code": code, "type": field.type.value, "mandatory": field.mandatory}
    if field.personal_data:
        body["personalData"] = True
    if field.allowed_values:
        body["allowedValues"] = field.allowed_values
    if field.bounds:
        body["bounds"] = field.bounds.model_dump()
    if field.max_length:
        body["maxLength"] = field.max_length
    return body


def load_feed(reference: str, folders: list[Path]) -> Feed:
    """The feed of that name, or in that file. Raises `DefinitionError` with every problem found."""
    path = find_definition(reference, folders, "feed")
    return read_definition(path, Feed, name=path.stem)
