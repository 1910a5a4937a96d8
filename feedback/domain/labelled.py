"""Documents with the value a person gave each, from which a classifier is fitted, read from requests."""

from collections import Counter

import msgspec

from feedback.domain.metadata_values import shown
from feedback.domain.own_entries import CODE, FITTED, MAX_VALUE, RULES
from feedback.domain.reader import Reader
from feedback.domain.validation import MAX_EXTERNAL_ID_BYTES, MAX_TEXT
from feedback.errors import Code

MAX_LABELLED = 5000
MAX_CLASSES = 20
LEAST_CLASSES = 2
LEAST_DOCUMENTS = 10
"""How many documents each value needs: with fewer its figures would say nothing."""


class LabelledDocument(msgspec.Struct, frozen=True):
    """A value, and either the document of the dataset that has it or a text of its own."""

    value: str
    external_id: str | None = None
    text: str | None = None


class FittedRequest(msgspec.Struct, frozen=True):
    """A classifier that is to be fitted."""

    code: str
    documents: tuple[LabelledDocument, ...]


class Labelled(msgspec.Struct, frozen=True):
    """Texts and the value of each, as they travel to the process that learns from them."""

    texts: list[str]
    values: list[str]


class Fitted(msgspec.Struct, frozen=True):
    """A packed model and its figures; without features where the texts have nothing in common."""

    model: bytes = b""
    folds: int = 0
    accuracy: float = 0.0
    macro_f1: float = 0.0
    features: int = 0


def asks_for_fitting(body: object) -> bool:
    """Whether a request is for a classifier that is fitted."""
    return isinstance(body, dict) and body.get("kind") == FITTED


def read_fitted(body: object) -> FittedRequest:
    """The request in a decoded JSON body; Invalid with all problems where it breaks a rule."""
    reader = Reader()
    members = reader.members(body, "", {"code", "kind", "documents"})
    reader.choice(members, "kind", [RULES, FITTED])
    code = reader.pattern(members, "code", CODE, CODE.pattern)
    sent = members.get("documents")
    if not isinstance(sent, list) or not sent:
        reader.add(Code.REQUIRED, "a fitted classifier needs an array of labelled documents", "documents")
        sent = []
    if len(sent) > MAX_LABELLED:
        reader.add(Code.TOO_MANY, f"a classifier is fitted on at most {MAX_LABELLED:,} documents", "documents")
        sent = []
    documents = tuple(_document(reader, element, f"documents[{n}]") for n, element in enumerate(sent))
    if documents:
        _check_classes(reader, documents)
        _check_identities(reader, documents)
    reader.finish()
    return FittedRequest(code, documents)


def _document(reader: Reader, element: object, path: str) -> LabelledDocument:
    members = reader.members(element, path, {"externalId", "text", "value"})
    value = reader.text(members, "value", path, maximum=MAX_VALUE)
    given = [name for name in ("externalId", "text") if members.get(name) is not None]
    if len(given) != 1:
        reader.add(Code.REQUIRED, "a labelled document has an externalId or a text, one of the two", path)
        return LabelledDocument(value)
    if given == ["text"]:
        return LabelledDocument(value, text=reader.text(members, "text", path, maximum=MAX_TEXT))
    return LabelledDocument(value, reader.text(members, "externalId", path, maximum=MAX_EXTERNAL_ID_BYTES))


def _check_classes(reader: Reader, documents: tuple[LabelledDocument, ...]) -> None:
    counts = Counter(document.value for document in documents if document.value)
    if not LEAST_CLASSES <= len(counts) <= MAX_CLASSES:
        wanted = f"{LEAST_CLASSES} to {MAX_CLASSES} different values"
        reader.add(Code.OUT_OF_BOUNDS, f"the documents must have {wanted}, not {len(counts)}", "documents")
        return
    for value, count in sorted(counts.items()):
        if count < LEAST_DOCUMENTS:
            needed = f"every value needs {LEAST_DOCUMENTS} documents or more"
            reader.add(Code.OUT_OF_BOUNDS, f"{shown(value)} has {count}; {needed}", "documents")


def _check_identities(reader: Reader, documents: tuple[LabelledDocument, ...]) -> None:
    seen: set[str] = set()
    for n, document in enumerate(documents):
        if document.external_id and document.external_id in seen:
            description = f"{shown(document.external_id)} is labelled twice"
            reader.add(Code.DUPLICATE, description, f"documents[{n}].externalId")
        seen.add(document.external_id or "")
