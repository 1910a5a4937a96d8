"""Turns the documents of a committed chunk into a segment, inside the transaction that commits them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from sqlalchemy import Connection, insert

from feedback.domain.dataset import Dataset, MetadataDefinition, MetadataType
from feedback.domain.document import Value
from feedback.domain.fields import CLASSIFIER, METADATA
from feedback.domain.findings import OPINIONS, Findings, Found, Keys
from feedback.store.segments import runs
from feedback.store.segments.codes import category_codes, term_codes
from feedback.store.segments.encode import MAX_DOCUMENTS, compress, encode
from feedback.store.segments.loose import Codes, Column, Instants, Int64, Loose, Pairs, Texts, numbers
from feedback.store.segments.rows import SegmentRows
from feedback.store.tables import segments

__all__ = ["OPINIONS", "insert_packed", "insert_segment", "loosen", "packed", "write"]

_INSERT = insert(segments).returning(segments.c.id)
_BOOLEAN = {False: 1, True: 2, None: 0}


def write(connection: Connection, dataset: Dataset, rows: SegmentRows) -> int:
    """Store documents as one new segment, rows 0..n-1 in the given order, and return the id of its run.

    The caller's transaction holds the dataset's lock (`UPDATE datasets SET generation = generation + 1`), under which
    codes are allocated. At most 65,536 documents.
    """
    count = len(rows.external_ids)
    if not 0 < count <= MAX_DOCUMENTS:
        message = f"a segment holds 1 to {MAX_DOCUMENTS} documents, not {count}"
        raise ValueError(message)
    return insert_segment(connection, dataset.id, loosen(connection, dataset, rows))


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
    return int(connection.execute(_INSERT, {"dataset_id": dataset_id, **row}).scalar_one())


def loosen(connection: Connection, dataset: Dataset, rows: SegmentRows) -> Loose:
    """The columns of documents, their strings replaced by the dataset's codes."""
    count = len(rows.external_ids)
    everywhere = np.ones(count, np.bool_)
    columns: dict[str, Column] = {
        "createdAt": Instants(np.array(rows.created_at, np.int64), everywhere),
        "updatedAt": Instants(np.array(rows.updated_at, np.int64), everywhere),
        "type": _categories(connection, dataset.id, "type", rows.types),
        "lang": _categories(connection, dataset.id, "lang", rows.langs),
        "externalId": Texts([external_id.encode() for external_id in rows.external_ids]),
    }
    held = frozenset[str]().union(*rows.metadata)
    for definition in dataset.metadata_definitions:
        if definition.code not in held or definition.personal_data:
            continue
        values = [metadata.get(definition.code) for metadata in rows.metadata]
        if any(v is not None for v in values):
            name = METADATA + definition.code
            columns[name] = _metadata(connection, dataset.id, name, definition, values)
    return Loose(count, columns | _found(connection, dataset.id, rows.found))


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


def _found(connection: Connection, dataset_id: str, found: Sequence[Found]) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    if any(findings.classifiers for _, findings in found):
        chosen = [findings.classifiers[place] if findings.classifiers else {} for place, findings in found]
        for code in sorted(set().union(*chosen)):
            values = [one.get(code) for one in chosen]
            columns[CLASSIFIER + code] = _categories(connection, dataset_id, CLASSIFIER + code, values)
    lots = list(_lots(found))
    terms = [_Part(findings.terms, places) for findings, places in lots]
    if any(part.used for part in terms):
        names = dict.fromkeys(name for part in terms for name in part.used)
        columns["TERMS"] = _pairs(terms, term_codes(connection, dataset_id, names))
    topics = [_Part(findings.topics, places) for findings, places in lots]
    if any(part.used for part in topics):
        labels = {
            name: findings.labels[name] for part, (findings, _) in zip(topics, lots, strict=True) for name in part.used
        }
        columns["TOPICS"] = _pairs(topics, category_codes(connection, dataset_id, "TOPICS", labels))
    return columns


def _lots(found: Sequence[Found]) -> Iterator[tuple[Findings, list[int]]]:
    """The findings that texts which lie together are among, and their places there."""
    for _, lot in groupby(found, key=lambda one: id(one[1])):
        listed = list(lot)
        yield listed[0][1], [place for place, _ in listed]


class _Part:
    """The keys of some texts among those that were analysed together."""

    def __init__(self, held: Keys, places: list[int]) -> None:
        keys, counts = np.frombuffer(held.keys, np.uint32), np.frombuffer(held.counts, np.uint32)
        if places != list(range(len(counts))):
            ends = np.cumsum(counts)
            keys = np.concatenate([keys[ends[place] - counts[place] : ends[place]] for place in places])
            counts = counts[places]
        self.counts = counts
        self._keys = keys.astype(np.int64)
        self._names = held.names
        self._held = np.flatnonzero(np.bincount(self._keys // 3, minlength=len(held.names)))
        self.used = [held.names[place] for place in self._held.tolist()]

    def recoded(self, codes: Mapping[str, int]) -> Int64:
        """The same keys, of codes in place of the names."""
        by_place = np.zeros(len(self._names), np.int64)
        by_place[self._held] = [codes[name] for name in self.used]
        place, opinion = np.divmod(self._keys, 3)
        return by_place[place] * 3 + opinion


def _pairs(parts: Sequence[_Part], codes: Mapping[str, int]) -> Pairs:
    counts = np.concatenate([part.counts for part in parts])
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return Pairs(rows, np.concatenate([part.recoded(codes) for part in parts]))
