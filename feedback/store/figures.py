"""What an operator watches: figures that every process of the service reads alike from the database."""

from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from feedback.domain.imports import ImportState
from feedback.domain.timestamps import now_ms
from feedback.domain.webhook import DeliveryState, WebhookState
from feedback.store.tables import datasets, deliveries, imports, webhooks


class Figures(msgspec.Struct, frozen=True):
    """The state of the whole service at one instant."""

    datasets: int
    imports: dict[str, int]
    queued_documents: int
    processed_documents: int
    failed_documents: int
    oldest_import_seconds: float
    deliveries: dict[str, int]
    disabled_webhooks: int


def read_figures(connection: Connection) -> Figures:
    """Counts what is there; a few milliseconds, whatever the number of documents."""
    started = imports.c.state == ImportState.STARTED
    sums = connection.execute(select(func.sum(imports.c.processed), func.sum(imports.c.failed))).one()
    queued = connection.scalar(select(func.sum(imports.c.total - imports.c.processed)).where(started))
    oldest = connection.scalar(select(func.min(imports.c.created_at)).where(started))
    return Figures(
        datasets=connection.scalar(select(func.count()).select_from(datasets)) or 0,
        imports=dict.fromkeys(map(str, ImportState), 0) | _counts(connection, imports.c.state),
        queued_documents=int(queued or 0),
        processed_documents=int(sums[0] or 0),
        failed_documents=int(sums[1] or 0),
        oldest_import_seconds=0.0 if oldest is None else (now_ms() - oldest) / 1000,
        deliveries=dict.fromkeys(map(str, DeliveryState), 0) | _counts(connection, deliveries.c.state),
        disabled_webhooks=_counts(connection, webhooks.c.state).get(WebhookState.DISABLED, 0),
    )


def _counts(connection: Connection, column: Any) -> dict[str, int]:
    return {row[0]: row[1] for row in connection.execute(select(column, func.count()).group_by(column))}
