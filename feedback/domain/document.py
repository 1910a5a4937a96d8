"""A feedback document and what the analysis finds in it."""

from enum import StrEnum
from typing import Literal

import msgspec

Value = str | int | float | bool
"""A metadata value as it came in JSON."""


class Opinion(StrEnum):
    """What a comment thinks of a term."""

    POSITIVE = "POSITIVE"
    NEGATIVE = "NEGATIVE"
    NEUTRAL = "NEUTRAL"


OpinionName = Literal["POSITIVE", "NEGATIVE", "NEUTRAL"]


class Offset(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A span of the text in Unicode code points, end exclusive: `content[begin:end]` is the surface form."""

    begin: int
    end: int


class Enrichment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A term found in a text: id `words_joined__POS__index`, the opinion on it and where it stands."""

    term: str
    opinion: OpinionName
    offset: Offset


class Topic(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A topic of the dataset's taxonomy that a text speaks about, with the opinion of the terms that raised it."""

    code: str
    label: str
    opinion: OpinionName


class Analysis(msgspec.Struct, frozen=True, gc=False):
    """All that the analysis finds in one text."""

    enrichments: tuple[Enrichment, ...] = ()
    topics: tuple[Topic, ...] = ()
    classifiers: dict[str, str] = {}
    version: str = ""


class MetadataValue(msgspec.Struct, frozen=True, gc=False):
    """One metadata field of a document as sent."""

    code: str
    value: Value


class SentDocument(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, rename="camel"):
    """A document as a client sends it; `lang` and `type` default to the dataset's."""

    external_id: str
    content: str
    lang: str | None = None
    type: str | None = None
    metadata: tuple[MetadataValue, ...] = ()
