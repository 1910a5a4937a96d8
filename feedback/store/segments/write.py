"""Turns the documents of a committed chunk into a segment, inside the transaction that commits them."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, insert

from feedback.domain.dataset import Dataset, MetadataDefinition, MetadataType
from feedback.domain.document import Value
from feedback.domain.fields import CLASSIFIER, METADATA
from feedback.store.segments import runs
from feedback.store.segments.codes import category_codes, term_codes
from feedback.store.segments.document import SegmentDocument
from feedback.store.segments.encode import MAX_DOCUMENTS, compress, encode
from feedback.store.segments.loose import Codes, Column, Instants, Int64, Loose, Pairs, Texts, numbers
from feedback.store.tables import segments

OPINIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")
"""The order of opinions in a posting's key: code * 3 + place in this list."""

_OPINION = {name: place for place, name in enumerate(OPINIONS)}
_BOOLEAN = {False: 1, True: 2, None: 0}


def write(connection: Connection, dataset: Dataset, documents: Sequence[SegmentDocument]) -> int:
    """Store documents as one new segment, rows 0..n-1 in the given order, and return the id of its run.

    The caller's transaction holds the dataset's lock (`UPDATE datasets SET generation = generation + 1`), under which
    codes are allocated. At most 65,536 documents.
    """
    if not 0 < len(documents) <= MAX_DOCUMENTS:
        message = f"a segment holds 1 to {MAX_DOCUMENTS} documents, not {len(documents)}"
        raise ValueError(message)
    return insert_segment(connection, dataset.id, loosen(connection, dataset, documents))


def insert_segment(connection: Connection, dataset_id: str, loose: Loose) -> int:
    """Pack, compress and insert a segment, which is one run."""
    segment_id = insert_packed(connection, dataset_id, packed(loose))
    runs.begin(connection, segment_id, loose.documents)
    return segment_id


def packed(loose: Loose) -> dict[str, int | str | bytes]:
    """A segment's row but for its dataset: all the work that needs no database."""
    created = loose.columns["createdAt"]
    assert isinstance(created, Instants)  # noqa: S101 -- every segment is made with this column
    payload = compress(encode(loose))
    return {
        "documents": loose.documents,
        "dead": 0,
        "min_created": int(created.ms.min()),
        "max_created": int(created.ms.max()),
        "checksum": hashlib.blake2b(payload, digest_size=16).hexdigest(),
        "payload": payload,
    }


def insert_packed(connection: Connection, dataset_id: str, row: Mapping[str, int | str | bytes]) -> int:
    """Insert a packed segment and return its id."""
    statement = insert(segments).returning(segments.c.id)
    return int(connection.execute(statement, {"dataset_id": dataset_id, **row}).scalar_one())


def loosen(connection: Connection, dataset: Dataset, documents: Sequence[SegmentDocument]) -> Loose:
    """The columns of documents, their strings replaced by the dataset's codes."""
    count = len(documents)
    everywhere = np.ones(count, np.bool_)
    columns: dict[str, Column] = {
        "createdAt": Instants(np.array([d.created_at for d in documents], np.int64), everywhere),
        "updatedAt": Instants(np.array([d.updated_at for d in documents], np.int64), everywhere),
        "type": _categories(connection, dataset.id, "type", [d.type for d in documents]),
        "lang": _categories(connection, dataset.id, "lang", [d.lang for d in documents]),
        "externalId": Texts([d.external_id.encode() for d in documents]),
    }
    given = [d.metadata for d in documents]
    held = frozenset[str]().union(*given)
    for definition in dataset.metadata_definitions:
        if definition.code not in held or definition.personal_data:
            continue
        values = [metadata.get(definition.code) for metadata in given]
        if any(v is not None for v in values):
            name = METADATA + definition.code
            columns[name] = _metadata(connection, dataset.id, name, definition, values)
    for code in sorted({code for d in documents for code in d.classifiers}):
        values_of = [d.classifiers.get(code) for d in documents]
        columns[CLASSIFIER + code] = _categories(connection, dataset.id, CLASSIFIER + code, values_of)
    columns |= _enrichments(connection, dataset.id, documents)
    return Loose(count, columns)


def _metadata(
    connection: Connection, dataset_id: str, name: str, definition: MetadataDefinition, values: Sequence[Value | None]
) -> Column:
    match definition.type:
        case MetadataType.STRING:
            return _categories(connection, dataset_id, name, [None if v is None else str(v) for v in values])
        case MetadataType.BOOLEAN:
            return Codes(np.array([0 if v is None else _BOOLEAN[bool(v)] for v in values], np.int64))
        case MetadataType.DATETIME:
            present = np.array([v is not None for v in values], np.bool_)
            return Instants(np.array([0 if v is None else int(v) for v in values], np.int64), present)
        case MetadataType.LATLNG:
            return Texts([b"" if v is None else str(v).encode() for v in values])
        case _:
            return numbers([None if v is None else float(v) for v in values])


def _categories(connection: Connection, dataset_id: str, field: str, values: Sequence[str | None]) -> Codes:
    labels = {v: v for v in dict.fromkeys(values) if v is not None}
    codes: dict[str | None, int] = {None: 0}
    codes.update(category_codes(connection, dataset_id, field, labels))
    return Codes(np.fromiter(map(codes.__getitem__, values), np.int64, len(values)))


def _enrichments(connection: Connection, dataset_id: str, documents: Sequence[SegmentDocument]) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    enrichments = [e for d in documents for e in d.enrichments]
    if enrichments:
        terms = [e.term for e in enrichments]
        codes = term_codes(connection, dataset_id, terms)
        opinions = [e.opinion for e in enrichments]
        columns["TERMS"] = _pairs([len(d.enrichments) for d in documents], terms, opinions, codes)
    topics = [t.code for d in documents for t in d.topics]
    if topics:
        labels = {t.code: t.label for d in documents for t in d.topics}
        codes = category_codes(connection, dataset_id, "TOPICS", labels)
        opinions = [t.opinion for d in documents for t in d.topics]
        columns["TOPICS"] = _pairs([len(d.topics) for d in documents], topics, opinions, codes)
    return columns


def _pairs(lengths: Sequence[int], names: Sequence[str], opinions: Sequence[str], codes: Mapping[str, int]) -> Pairs:
    keys: Int64 = np.fromiter(map(codes.__getitem__, names), np.int64, len(names)) * 3
    keys += np.fromiter(map(_OPINION.__getitem__, opinions), np.int64, len(names))
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), np.fromiter(lengths, np.int64, len(lengths)))
    return Pairs(rows, keys)
