"""Documents as the reference sees them, and what a field of one holds."""

import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400_000
OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")


@dataclass
class Doc:
    """A document as the reference sees it. Datetime metadata are epoch milliseconds."""

    external_id: str
    created_at: int
    updated_at: int
    type: str = "SURVEY"
    lang: str = "en"
    metadata: dict[str, Any] = field(default_factory=dict)
    terms: list[tuple[str, str]] = field(default_factory=list)
    topics: list[tuple[str, str, str]] = field(default_factory=list)
    classifiers: dict[str, str] = field(default_factory=dict)


@dataclass
class World:
    """All living documents of a dataset, and the type of each metadata code."""

    docs: list[Doc]
    types: dict[str, str]
    uppers: dict[str, float] = field(default_factory=dict)


def label_of(term: str) -> str:
    return term.rsplit("__", 2)[0].replace("_", " ")


def value_of(doc: Doc, name: str) -> Any:
    """The single value of a field, None where the document lacks it."""
    if name.startswith("metadata."):
        return doc.metadata.get(name.removeprefix("metadata."))
    if name.startswith("classifier."):
        return doc.classifiers.get(name.removeprefix("classifier."))
    return {
        "createdAt": doc.created_at,
        "updatedAt": doc.updated_at,
        "externalId": doc.external_id,
        "type": doc.type,
        "lang": doc.lang,
    }[name]


def fold(text: str) -> str:
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def pairs_of(doc: Doc, name: str, q: str | None) -> set[tuple[str, str, str]]:
    """(id, label, opinion) of the document's terms or topics; with q, of the matching terms."""
    if name == "TOPICS":
        return set(doc.topics)
    pairs = {(term, label_of(term), opinion) for term, opinion in doc.terms}
    return pairs if q is None else {p for p in pairs if fold(q) in fold(p[1])}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def at(ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=ms)


def iso(ms: int) -> str:
    return at(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def kind_of(world: World, name: str) -> str:
    if name in {"createdAt", "updatedAt"}:
        return "Datetime"
    return world.types.get(name.removeprefix("metadata."), "String") if name.startswith("metadata.") else "String"
