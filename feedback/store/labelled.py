"""The texts of documents that people labelled, as they are stored."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from feedback.store import dialects
from feedback.store.tables import documents


def contents_of(connection: Connection, dataset_id: str, external_ids: Sequence[str]) -> dict[str, str]:
    """What the documents of those external ids say; unknown ones are left out."""
    storable = [external_id for external_id in external_ids if "\0" not in external_id]
    wanted = dialects.is_any(connection, documents.c.external_id, storable)
    rows = connection.execute(
        select(documents.c.external_id, documents.c.content).where(documents.c.dataset_id == dataset_id, wanted)
    )
    return {row.external_id: row.content for row in rows}
