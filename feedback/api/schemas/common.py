"""The parts that the shapes of several resources share: errors, pages, timestamps, identifiers."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")
Opinion = Literal["POSITIVE", "NEGATIVE", "NEUTRAL"]
Value = float | str | bool
Timestamp = Annotated[str, Field(examples=["2026-11-21T10:15:00.000Z"])]
Identifier = Annotated[str, Field(pattern="^[0-9a-f]{24}$", examples=["65f0c2a9d3b1e4f5a6b7c8d9"])]


class Model(BaseModel):
    """A model whose fields are written in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ErrorItem(Model):
    """One problem: a code of the documented list, a sentence, and the path it concerns."""

    code: str
    description: str
    field: str | None


class ErrorBody(Model):
    """The body of every reply that is not 2xx."""

    success: Literal[False]
    errors: list[ErrorItem]


class PageOf(Model, Generic[Item]):
    """A page of a list."""

    page: int
    page_size: int
    total: int
    items: list[Item]
