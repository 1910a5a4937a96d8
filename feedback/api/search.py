"""Search: the documents of a dataset that match a query, and the terms they hold."""

from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Query, Response

from feedback.api.auth import CallerDep
from feedback.api.body import OptionalJsonBody
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, page_reply
from feedback.api.records import document_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.documents import DocumentRecord
from feedback.api.schemas.questions import QueryBody, TermRecord
from feedback.api.service import Service, ServiceDep
from feedback.domain.dataset import Dataset
from feedback.domain.document import Opinion
from feedback.errors import Code, Invalid, Problem
from feedback.store.datasets import get_dataset
from feedback.store.documents import StoredDocument, documents_of
from feedback.store.engine import snapshot

router = APIRouter(prefix="/search/datasets/{dataset_id}", tags=["search"])

_ATTEMPTS = 5
_EXAMPLE = {
    "operator": "AND",
    "criteria": [
        {"field": "metadata.nps", "operator": "LTE", "value": 6},
        {"field": "TERMS", "operator": "IN", "value": ["queue__NOUN__1"], "opinion": "NEGATIVE"},
    ],
}


class Wanted(msgspec.Struct, frozen=True):
    """What a search's query parameters ask for."""

    q: str | None
    opinions: frozenset[str] | None


def get_wanted(
    q: Annotated[
        str | None, Query(description="Text inside a term's label; 2 characters or more, for Chinese 1.")
    ] = None,
    opinions: Annotated[
        str | None, Query(description="Opinions a term must have, separated by commas.", examples=["NEGATIVE,POSITIVE"])
    ] = None,
) -> Wanted:
    """The parameters, checked as far as they need no dataset."""
    if opinions is None:
        return Wanted(q, None)
    names = [name.strip().upper() for name in opinions.split(",")]
    wrong = [name for name in names if name not in set(Opinion)]
    if wrong:
        message = f"{wrong[0][:40]!r} is none of: {', '.join(Opinion)}"
        raise Invalid(message, code=Code.INVALID_VALUE, field="opinions")
    return Wanted(q, frozenset(names))


WantedDep = Annotated[Wanted, Depends(get_wanted)]
SortBy = Annotated[str, Query(alias="sortBy", description="createdAt, updatedAt or a Datetime metadata.<code>.")]
SortOrder = Annotated[Literal["ASC", "DESC"], Query(alias="sortOrder", description="DESC: the latest first.")]


@router.post(
    "/documents",
    responses={200: {"model": PageOf[DocumentRecord]}},
    openapi_extra=documented(QueryBody, _EXAMPLE, required=False),
)
def documents(
    *,
    service: ServiceDep,
    caller: CallerDep,
    dataset_id: str,
    page: PageDep,
    wanted: WantedDep,
    body: OptionalJsonBody,
    sort_by: SortBy = "createdAt",
    sort_order: SortOrder = "DESC",
) -> Response:
    """Find documents. The body is a query; without one every document is found."""
    dataset, query = _asked(service, caller.organisation_id, dataset_id, body)
    for _ in range(_ATTEMPTS):
        total, external_ids = service.aggregator.search_documents(
            dataset,
            query,
            q=wanted.q,
            opinions=wanted.opinions,
            sort_by=sort_by,
            descending=sort_order == "DESC",
            offset=page.offset,
            limit=page.size,
        )
        found = _read(service, dataset_id, external_ids)
        # Where a document was erased since the search saw it, the page is looked for again: it is to be full.
        if len(found) == len(external_ids):
            break
    return page_reply(page, total, map(document_record, found))


@router.post(
    "/terms",
    responses={200: {"model": PageOf[TermRecord]}},
    openapi_extra=documented(QueryBody, _EXAMPLE, required=False),
)
def terms(
    *,
    service: ServiceDep,
    caller: CallerDep,
    dataset_id: str,
    page: PageDep,
    wanted: WantedDep,
    body: OptionalJsonBody,
) -> Response:
    """List the terms of the documents that match, the most frequent first; occurrences count documents.

    With a criterion on TERMS this tells which terms go together with it.
    """
    dataset, query = _asked(service, caller.organisation_id, dataset_id, body)
    total, items = service.aggregator.search_terms(
        dataset, query, q=wanted.q, opinions=wanted.opinions, offset=page.offset, limit=page.size
    )
    return page_reply(page, total, items)


def _asked(
    service: Service, organisation_id: str, dataset_id: str, body: object
) -> tuple[Dataset, dict[str, Any] | None]:
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, organisation_id, dataset_id)
    if body is not None and not isinstance(body, dict):
        problem = Problem(Code.WRONG_TYPE, "the body is a query: a condition, or a group of them", None)
        raise Invalid(problems=[problem])
    return dataset, body


def _read(service: Service, dataset_id: str, external_ids: list[str]) -> list[StoredDocument]:
    with snapshot(service.engine) as connection, connection.begin():
        return documents_of(connection, dataset_id, external_ids)
