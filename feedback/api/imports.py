"""Imports: accept a batch of documents, and tell what became of it."""

from collections.abc import Iterator
from typing import IO, Annotated

import msgspec
from fastapi import APIRouter, Header, Query, Request, Response

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.body import JSON, media_type
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.receiving import KEY_HEADER, Split, receive_import
from feedback.api.records import document_record, error_record, import_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.documents import DocumentRecord
from feedback.api.schemas.imports import DocumentErrorRecord, ImportBody, ImportRecord
from feedback.api.service import ServiceDep
from feedback.domain.dataset import Dataset
from feedback.domain.imports import MAX_SHOWN_ERRORS, ImportKind
from feedback.errors import Code, Invalid, Malformed, UnsupportedMedia
from feedback.processing.intake.csv_body import split_csv
from feedback.processing.intake.json_body import split_json
from feedback.processing.intake.multipart_body import extract_file
from feedback.processing.intake.ndjson_body import split_ndjson
from feedback.store.datasets import get_dataset
from feedback.store.documents import list_documents, list_reanalysed
from feedback.store.engine import snapshot
from feedback.store.imports import count_errors, get_import, list_errors, list_imports
from feedback.store.reanalysis import count_changed

router = APIRouter(prefix="/management/datasets/{dataset_id}/imports", tags=["imports"])

_EXAMPLE = {
    "documents": [
        {
            "externalId": "review-1",
            "content": "Friendly staff, but the queue was far too long.",
            "metadata": [{"code": "nps", "value": 6}],
        }
    ]
}

NDJSON = "application/x-ndjson"
CSV = "text/csv"
MULTIPART = "multipart/form-data"
_FORMATS: dict[str, Split] = {
    JSON: lambda file, _: split_json(file),
    NDJSON: lambda file, _: split_ndjson(file),
}
_NDJSON_EXAMPLE = '{"externalId": "review-1", "content": "Friendly staff."}\n'
_CSV_EXAMPLE = "externalId,content,metadata.nps\nreview-1,Friendly staff.,9\n"

Key = Annotated[
    str | None,
    Header(alias=KEY_HEADER, description="The same key and body again get the first reply; kept for 7 days."),
]


@router.post(
    "",
    status_code=201,
    responses={201: {"model": ImportRecord}},
    openapi_extra=documented(
        ImportBody, _EXAMPLE, {NDJSON: {"schema": {"type": "string"}, "example": _NDJSON_EXAMPLE}}
    ),
)
async def create(request: Request, service: ServiceDep, caller: WriterDep, dataset_id: str, _: Key = None) -> Response:
    """Import any number of documents. 201 means: on disk, and it will be processed."""
    split = _FORMATS.get(media_type(request))
    if split is None:
        raise UnsupportedMedia(f"send the body as {' or '.join(_FORMATS)}")
    return await receive_import(request, service, caller, dataset_id, split)


@router.post(
    "/csv",
    status_code=201,
    responses={201: {"model": ImportRecord}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                CSV: {"schema": {"type": "string"}, "example": _CSV_EXAMPLE},
                MULTIPART: {
                    "schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
                },
            },
        }
    },
)
async def create_from_csv(  # noqa: PLR0917  FastAPI passes them by name.
    request: Request,
    service: ServiceDep,
    caller: WriterDep,
    dataset_id: str,
    mapping: Annotated[
        str | None,
        Query(
            description='JSON, column to field: {"Comment": "content", "Score": "metadata.nps"}; others are left out.'
        ),
    ] = None,
    delimiter: Annotated[str, Query(min_length=1, max_length=1, description="What separates the fields.")] = ",",
    _: Key = None,
) -> Response:
    """Import a UTF-8 CSV file whose first row names the columns: externalId, content, lang, type, metadata.<code>."""
    kind = media_type(request)
    if kind not in (CSV, MULTIPART):
        raise UnsupportedMedia(f"send the file as {CSV} or {MULTIPART}")
    fields = _mapping(mapping)
    _require_delimiter(delimiter)
    directory = service.settings.spool_dir

    def split(file: IO[bytes], dataset: Dataset) -> Iterator[bytes]:
        if kind == CSV:
            yield from split_csv(file, dataset, fields, delimiter)
        else:
            with extract_file(file, request.headers["content-type"], directory) as upload:
                yield from split_csv(upload, dataset, fields, delimiter)

    return await receive_import(request, service, caller, dataset_id, split)


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
    """List the analysed documents of an import, in the order they were sent; of a re-analysis those that it changed."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        if batch.kind is ImportKind.DOCUMENTS:
            total, found = batch.listed, list_documents(connection, batch.id, page.offset, page.size)
        else:
            total = count_changed(connection, batch.id)
            found = list_reanalysed(connection, batch.id, page.offset, page.size)
        return page_reply(page, total, map(document_record, found))


@router.get("/{import_id}/errors", responses={200: {"model": PageOf[DocumentErrorRecord]}})
def errors(service: ServiceDep, caller: CallerDep, dataset_id: str, import_id: str, page: PageDep) -> Response:
    """List everything that kept documents of an import from being analysed, in the order they were sent."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        batch = get_import(connection, dataset_id, import_id)
        total = count_errors(connection, batch.id)
        found = list_errors(connection, batch.id, page.offset, page.size)
    return page_reply(page, total, [error_record(error) for error in found])


def _mapping(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, str])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        description = f'an object of strings such as {{"Comment": "content"}}: {error}'
        raise Malformed(description, code=Code.MALFORMED_PARAMETER, field="mapping") from None


def _require_delimiter(delimiter: str) -> None:
    if delimiter in '"\r\n\0' or "\ud800" <= delimiter <= "\udfff":
        raise Invalid("a character that is no quote and no line end", code=Code.INVALID_VALUE, field="delimiter")
