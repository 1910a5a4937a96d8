"""Follows the service's erasures: what a person had erased there must not live on in the warehouse."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, delete, exists, func, select

from feedback.client.models import Erasure
from tasks.warehouse.database import Warehouse
from tasks.warehouse.tables import document_topics, documents, enrichments, erasures, refused_documents

OVERLAP = timedelta(minutes=10)


def erased_until(warehouse: Warehouse, dataset_id: str) -> datetime | None:
    """Since when to ask the service, somewhat before the last erasure known: clocks and commits are not in step."""
    with warehouse.read() as connection:
        last = connection.execute(
            select(func.max(erasures.c.erased_at)).where(erasures.c.dataset_id == dataset_id)
        ).scalar()
    return last - OVERLAP if last else None


def follow(warehouse: Warehouse, dataset_id: str, found: Iterable[Erasure]) -> int:
    """Remove what was erased, unless it was imported again since; the number of documents removed."""
    latest: dict[str, datetime] = {}
    for each in found:
        latest[each.external_id] = max(each.erased_at, latest.get(each.external_id, each.erased_at))
    rows = [{"dataset_id": dataset_id, "external_id": key, "erased_at": moment} for key, moment in latest.items()]
    with warehouse.write() as connection:
        warehouse.upsert(connection, erasures, rows)
        if rows:
            # What was refused of the same person says why, in words that may quote them.
            same = and_(
                refused_documents.c.dataset_id == dataset_id, refused_documents.c.external_id == bindparam("erased")
            )
            connection.execute(delete(refused_documents).where(same), [{"erased": key} for key in latest])
        outdated = exists().where(
            and_(
                erasures.c.dataset_id == documents.c.dataset_id,
                erasures.c.external_id == documents.c.external_id,
                erasures.c.erased_at >= documents.c.updated_at,
            )
        )
        gone = delete(documents).where(documents.c.dataset_id == dataset_id, outdated)
        removed = int(connection.execute(gone).rowcount)
        for table in (enrichments, document_topics) if removed else ():
            alive = exists().where(
                and_(documents.c.dataset_id == table.c.dataset_id, documents.c.external_id == table.c.external_id)
            )
            connection.execute(delete(table).where(table.c.dataset_id == dataset_id, ~alive))
    return removed


def datasets_in(warehouse: Warehouse) -> list[str]:
    """The datasets the warehouse holds documents of."""
    with warehouse.read() as connection:
        return sorted(connection.execute(select(documents.c.dataset_id).distinct()).scalars())
