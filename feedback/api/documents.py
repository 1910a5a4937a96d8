"""Documents by external id, their erasure, and the list of what was erased."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from starlette.convertors import Convertor, register_url_convertor

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import document_record, erasure_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.documents import DocumentRecord, ErasureRecord
from feedback.api.service import ServiceDep
from feedback.domain.timestamps import from_iso
from feedback.errors import Code, Invalid
from feedback.store.datasets import get_dataset
from feedback.store.documents import count_erasures, erase_document, get_document, list_erasures
from feedback.store.engine import snapshot


class AnyText(Convertor[str]):
    """An external id in an address. Starlette's `path` stops before a line end: `a%0A` would be the document `a`."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """The id as it stands."""
        return value

    def to_string(self, value: str) -> str:
        """The id as it stands."""
        return value


register_url_convertor("any_text", AnyText())

router = APIRouter(prefix="/management/datasets/{dataset_id}", tags=["documents"])


@router.get("/documents/{external_id:any_text}", responses={200: {"model": DocumentRecord}})
def get(service: ServiceDep, caller: CallerDep, dataset_id: str, external_id: str) -> Response:
    """Get a document by its external id, which may contain slashes."""
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        document = get_document(connection, dataset_id, external_id)
    return json_reply(document_record(document))


@router.delete("/documents/{external_id:any_text}", status_code=204)
def erase(service: ServiceDep, caller: WriterDep, dataset_id: str, external_id: str) -> Response:
    """Erase a document from everything, figures included; imports accepted before cannot bring it back."""
    with service.engine.begin() as connection:
        get_dataset(connection, caller.organisation_id, dataset_id)
        erase_document(connection, dataset_id, external_id)
    return Response(status_code=204)


@router.get("/erasures", responses={200: {"model": PageOf[ErasureRecord]}})
def erasures(
    service: ServiceDep,
    caller: CallerDep,
    dataset_id: str,
    page: PageDep,
    since: Annotated[str | None, Query(description="An ISO 8601 instant with a zone; default: the beginning.")] = None,
) -> Response:
    """List the external ids that were erased at or after an instant, oldest first."""
    start = _instant(since)
    with snapshot(service.engine) as connection, connection.begin():
        get_dataset(connection, caller.organisation_id, dataset_id)
        total = count_erasures(connection, dataset_id, start)
        found = list_erasures(connection, dataset_id, start, page.offset, page.size)
    return page_reply(page, total, [erasure_record(erasure) for erasure in found])


def _instant(text: str | None) -> int:
    if text is None:
        return 0
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        message = "an ISO 8601 instant with a zone, such as 2026-11-21T10:15:00Z; in an address a + is written %2B"
        raise Invalid(message, code=Code.INVALID_VALUE, field="since") from None
