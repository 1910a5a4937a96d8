"""Merges the analysed documents of one import: staged page by page, then taken over in one short transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, and_, delete, exists, or_, select, tuple_

from feedback.client.models import Document
from tasks.warehouse.database import Warehouse
from tasks.warehouse.staging import drop, fill, make_empty, staged
from tasks.warehouse.tables import document_topics, documents, enrichments, erasures
from tasks.warehouse.types import stamp

DETAILS = (enrichments, document_topics)
TWINS: dict[str, Table] = {table.name: staged(table) for table in (documents, *DETAILS)}


@dataclass(frozen=True, slots=True)
class Origin:
    """What the warehouse notes of every document of an import; `lines` maps external id to source line."""

    dataset_id: str
    feed: str
    import_id: str
    source_file: str
    lines: Mapping[str, int]


def merge(warehouse: Warehouse, origin: Origin, pages: Iterable[list[Document]]) -> set[str]:
    """Take over the documents of an import, replacing older ones; the external ids that were listed. Safe to repeat."""
    listed: set[str] = set()
    with warehouse.engine.connect() as connection:
        connection.execution_options(read_only=True)
        make_empty(connection, TWINS.values())
        connection.commit()
        for page in pages:
            _stage(connection, warehouse, origin, page)
            listed.update(document.external_id for document in page)
        connection.commit()
        connection.execution_options(read_only=False)
        with connection.begin():
            complete = not _drop_outdated(connection)
            _take_over(connection, warehouse, complete=complete)
        drop(connection, TWINS.values())
        connection.commit()
    return listed


def _stage(connection: Connection, warehouse: Warehouse, origin: Origin, page: list[Document]) -> None:
    moment = stamp if warehouse.dialect == "sqlite" else _as_it_is
    fill(connection, TWINS["documents"], [_document_row(origin, document, moment) for document in page])
    fill(connection, TWINS["enrichments"], [row for document in page for row in _enrichment_rows(origin, document)])
    fill(connection, TWINS["document_topics"], [row for document in page for row in _topic_rows(origin, document)])


def _as_it_is(moment: datetime) -> datetime:
    return moment


def _document_row(origin: Origin, document: Document, moment: Any) -> tuple[Any, ...]:
    values = {each.code: each.value for each in document.metadata}
    analysed = document.last_opinion_enrichment
    return (
        origin.dataset_id,
        document.external_id,
        document.id,
        origin.feed,
        document.lang,
        document.type,
        document.state,
        document.content,
        msgspec.json.encode(values).decode(),
        msgspec.json.encode(document.classifiers).decode(),
        moment(document.created_at),
        moment(document.updated_at),
        moment(analysed) if analysed else None,
        document.analysis_version,
        origin.import_id,
        origin.source_file,
        origin.lines.get(document.external_id),
    )


def _enrichment_rows(origin: Origin, document: Document) -> Iterable[tuple[Any, ...]]:
    for position, found in enumerate(document.enrichments):
        begin, end = found.offset.begin, found.offset.end
        surface = document.content[begin:end]
        yield (
            origin.dataset_id,
            document.external_id,
            position,
            found.term,
            found.label,
            found.opinion,
            begin,
            end,
            surface,
        )


def _topic_rows(origin: Origin, document: Document) -> Iterable[tuple[Any, ...]]:
    for position, topic in enumerate(document.topics):
        yield origin.dataset_id, document.external_id, position, topic.code, topic.label, topic.opinion


def _drop_outdated(connection: Connection) -> int:
    """A document that was replaced or erased while its import was being read must not come back; how many did."""
    twin = TWINS["documents"]
    newer = exists().where(and_(_same(documents, twin), documents.c.updated_at > twin.c.updated_at))
    erased = exists().where(and_(_same(erasures, twin), erasures.c.erased_at >= twin.c.updated_at))
    return int(connection.execute(delete(twin).where(or_(newer, erased))).rowcount)


def _take_over(connection: Connection, warehouse: Warehouse, *, complete: bool) -> None:
    twin = TWINS["documents"]
    keys = ["dataset_id", "external_id"]
    rows = warehouse.insert(documents).from_select([c.name for c in twin.columns], select(twin).where(_true(twin)))
    others = {c.name: rows.excluded[c.name] for c in documents.columns if c.name not in keys}
    connection.execute(rows.on_conflict_do_update(index_elements=keys, set_=others))
    # A key IN the staged keys is looked up by the index; EXISTS would walk the whole table for every import.
    keys_taken = select(twin.c.dataset_id, twin.c.external_id)
    for table in DETAILS:
        detail = TWINS[table.name]
        connection.execute(delete(table).where(_key(table).in_(keys_taken)))
        current = select(detail) if complete else select(detail).where(_key(detail).in_(keys_taken))
        connection.execute(table.insert().from_select([c.name for c in detail.columns], current))


def _key(table: Table) -> Any:
    return tuple_(table.c.dataset_id, table.c.external_id)


def _same(left: Table, right: Table) -> Any:
    return and_(left.c.dataset_id == right.c.dataset_id, left.c.external_id == right.c.external_id)


def _true(twin: Table) -> Any:
    # SQLite takes ON CONFLICT after a SELECT for a join condition unless the SELECT has a WHERE.
    return twin.c.external_id.is_not(None)
