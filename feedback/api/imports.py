"""Imports: accept a batch of documents, and tell what became of it."""

from collections.abc import Callable, Iterator
from typing import IO

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.body import JSON, media_type
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import document_record, error_record, import_record
from feedback.api.schemas import DocumentErrorRecord, DocumentRecord, ImportBody, ImportRecord, PageOf
from feedback.api.service import Service, ServiceDep
from feedback.api.spool import spool_body
from feedback.domain.imports import MAX_SHOWN_ERRORS, Import
from feedback.errors import Busy, Code, UnsupportedMedia
from feedback.processing.intake.acceptance import accept
from feedback.processing.intake.json_body import split_json
from feedback.store.clients import Caller
from feedback.store.datasets import get_dataset
from feedback.store.documents import list_documents
from feedback.store.engine import snapshot
from feedback.store.imports import count_errors, get_import, list_errors, list_imports, queued_documents

router = APIRouter(prefix="/management/datasets/{dataset_id}/imports", tags=["imports"])

# Taking bodies apart is bound by the processor; more at once would only starve the other routes.
_intake = CapacityLimiter(2)
_QUEUE_RETRY_SECONDS = 30

_EXAMPLE = {
    "documents": [
        {
            "externalId": "review-1",
            "content": "Friendly staff, but the queue was far too long.",
            "metadata": [{"code": "nps", "value": 6}],
        }
    ]
}

Split = Callable[[IO[bytes]], Iterator[bytes]]
_FORMATS: dict[str, Split] = {JSON: split_json}


@router.post(
    "", status_code=201, responses={201: {"model": ImportRecord}}, openapi_extra=documented(ImportBody, _EXAMPLE)
)
async def create(request: Request, service: ServiceDep, caller: WriterDep, dataset_id: str) -> Response:
    """Import any number of documents. 201 means: on disk, and it will be processed."""
    split = _FORMATS.get(media_type(request))
    if split is None:
        message = f"send the body as {' or '.join(_FORMATS)}"
        raise UnsupportedMedia(message)
    await to_thread.run_sync(_require_room, service, caller, dataset_id)
    file, _ = await spool_body(request, service.settings.spool_dir, service.settings.max_body_bytes)
    with file:
        batch = await to_thread.run_sync(_accept, service, caller, dataset_id, file, split, limiter=_intake)
    return json_reply(import_record(batch), 201)


@router.get("", responses={200: {"model": PageOf[ImportRecord]}})
def list_all(service: ServiceDep, caller: CallerDep, dataset_id: str, page: PageDep) -> Response:
    """List the imports of a dataset in the order of acceptance; their errors are not shown here."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        total, batches = list_imports(connection, dataset_id, page.offset, page.size)
    return page_reply(page, total, [import_record(batch) for batch in batches])


@router.get("/{import_id}", responses={200: {"model": ImportRecord}})
def get(service: ServiceDep, caller: CallerDep, dataset_id: str, import_id: str) -> Response:
    """Get an import. Poll it until its state is COMPLETED or FAILED."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        errors = list_errors(connection, batch.id, 0, MAX_SHOWN_ERRORS)
    return json_reply(import_record(batch, errors))


@router.get("/{import_id}/documents", responses={200: {"model": PageOf[DocumentRecord]}})
def documents(service: ServiceDep, caller: CallerDep, dataset_id: str, import_id: str, page: PageDep) -> Response:
    """List the analysed documents of an import, in the order they were sent."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        found = list_documents(connection, batch.id, page.offset, page.size)
    return page_reply(page, batch.listed, [document_record(document) for document in found])


@router.get("/{import_id}/errors", responses={200: {"model": PageOf[DocumentErrorRecord]}})
def errors(service: ServiceDep, caller: CallerDep, dataset_id: str, import_id: str, page: PageDep) -> Response:
    """List everything that kept documents of an import from being analysed, in the order they were sent."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        total = count_errors(connection, batch.id)
        found = list_errors(connection, batch.id, page.offset, page.size)
    return page_reply(page, total, [error_record(error) for error in found])


def _require_room(service: Service, caller: Caller, dataset_id: str) -> None:
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        queued = queued_documents(connection)
    if queued >= service.settings.max_queued_documents:
        message = f"{queued:,} documents wait to be analysed; send more when they are"
        raise Busy(message, code=Code.QUEUE_FULL, retry_after=_QUEUE_RETRY_SECONDS)


def _accept(service: Service, caller: Caller, dataset_id: str, file: IO[bytes], split: Split) -> Import:
    return accept(
        service.engine,
        split(file),
        dataset_id=dataset_id,
        client_id=caller.client_id,
        spool_dir=service.settings.spool_dir,
    )
