"""Re-analysis: has a dataset's documents analysed once more, and tells what came out differently."""

from fastapi import APIRouter, Response

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import change_record, import_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.imports import ChangeRecord, ImportRecord
from feedback.api.service import ServiceDep
from feedback.processing.reanalysis import accept_reanalysis
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot
from feedback.store.imports import get_import
from feedback.store.reanalysis import list_changes

router = APIRouter(prefix="/management/datasets/{dataset_id}", tags=["analysis"])


@router.post("/reanalyse", status_code=201, responses={201: {"model": ImportRecord}})
def reanalyse(service: ServiceDep, caller: WriterDep, dataset_id: str) -> Response:
    """Analyse all documents again, with today's engine and the dataset's own entries.

    The job is polled like an import, and its end is announced like an import's. Its documents are those that changed.
    """
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
    batch = accept_reanalysis(service.engine, dataset, caller.client_id, service.settings.spool_dir)
    return json_reply(import_record(batch), 201)


@router.get("/imports/{import_id}/changes", responses={200: {"model": PageOf[ChangeRecord]}})
def changes(service: ServiceDep, caller: CallerDep, dataset_id: str, import_id: str, page: PageDep) -> Response:
    """List what a re-analysis found otherwise, the most frequent first; an import of documents changes nothing."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        total, found = list_changes(connection, batch.id, page.offset, page.size)
    return page_reply(page, total, [change_record(change, count) for change, count in found])
