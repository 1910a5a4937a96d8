"""Collects one import into the warehouse; started by the receiver, by the sweep, or by hand."""

from typing import Annotated

from prefect import flow
from pydantic import BaseModel, Field

from config.settings import load_settings
from tasks.connections import open_connections
from tasks.steps import collect_documents


class CollectSummary(BaseModel):
    """How the documents of an import ended."""

    import_id: str
    sent: int
    listed: int
    failed: int
    superseded: int
    erased: int


@flow(name="collect-import", validate_parameters=True)
def collect_import(
    dataset_id: Annotated[str, Field(description="The dataset.", min_length=1)],
    import_id: Annotated[str, Field(description="The import, which must have ended.", min_length=1)],
) -> CollectSummary:
    """Collect one import that has ended."""
    with open_connections(load_settings()) as connections:
        found = collect_documents(connections, dataset_id, import_id)
    return CollectSummary(
        import_id=found.import_id,
        sent=found.sent,
        listed=found.listed,
        failed=found.failed,
        superseded=found.superseded,
        erased=found.erased,
    )
