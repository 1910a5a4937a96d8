"""Datasets: declare, read, list, amend, delete."""

from fastapi import APIRouter, Response

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.body import JsonBody
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import dataset_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.datasets import DatasetBody, DatasetChange, DatasetRecord
from feedback.api.service import ServiceDep
from feedback.domain.declaration import amended_definitions, declared_dataset
from feedback.store.datasets import (
    amend_dataset,
    create_dataset,
    delete_dataset,
    get_dataset,
    list_datasets,
    lock_dataset,
    monthly_counts,
)
from feedback.store.engine import snapshot

router = APIRouter(prefix="/management/datasets", tags=["datasets"])

_EXAMPLE = {
    "name": "Store reviews",
    "lang": "en",
    "type": "SATISFACTION_SURVEY_RESPONSE",
    "industry": "RETAIL_B2C",
    "metadataDefinitions": [
        {"code": "nps", "type": "NPS", "mandatory": False},
        {"code": "store", "type": "STRING", "mandatory": False, "allowedValues": ["Paris", "London"]},
    ],
}


@router.post(
    "", status_code=201, responses={201: {"model": DatasetRecord}}, openapi_extra=documented(DatasetBody, _EXAMPLE)
)
def create(service: ServiceDep, caller: WriterDep, body: JsonBody) -> Response:
    """Create a dataset."""
    declaration = declared_dataset(body)
    with service.engine.begin() as connection:
        dataset = create_dataset(connection, caller.organisation_id, declaration)
    return json_reply(dataset_record(dataset), 201)


@router.get("", responses={200: {"model": PageOf[DatasetRecord]}})
def list_all(service: ServiceDep, caller: CallerDep, page: PageDep) -> Response:
    """List datasets, oldest first."""
    with snapshot(service.engine) as connection, connection.begin():
        total, datasets = list_datasets(connection, caller.organisation_id, page.offset, page.size)
        months = monthly_counts(connection, [d.id for d in datasets])
    return page_reply(page, total, [dataset_record(d, months[d.id]) for d in datasets])


@router.get("/{dataset_id}", responses={200: {"model": DatasetRecord}})
def get(service: ServiceDep, caller: CallerDep, dataset_id: str) -> Response:
    """Get a dataset."""
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
        months = monthly_counts(connection, [dataset.id])
    return json_reply(dataset_record(dataset, months[dataset.id]))


@router.patch(
    "/{dataset_id}",
    responses={200: {"model": DatasetRecord}},
    openapi_extra=documented(
        DatasetChange, {"metadataDefinitions": [{"code": "visit", "type": "DATETIME", "mandatory": False}]}
    ),
)
def amend(service: ServiceDep, caller: WriterDep, dataset_id: str, body: JsonBody) -> Response:
    """Add metadata definitions, or allowed values to definitions that have a list of them."""
    with service.engine.begin() as connection:
        # The lock comes before the read, so that two changes at once do not undo each other.
        get_dataset(connection, caller.organisation_id, dataset_id)
        lock_dataset(connection, dataset_id)
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
        amended = amend_dataset(connection, dataset, amended_definitions(dataset, body))
        months = monthly_counts(connection, [dataset.id])
    return json_reply(dataset_record(amended, months[dataset.id]))


@router.delete("/{dataset_id}", status_code=204)
def delete(service: ServiceDep, caller: WriterDep, dataset_id: str) -> Response:
    """Delete a dataset with its imports, documents and figures."""
    with service.engine.begin() as connection:
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
        lock_dataset(connection, dataset_id)
        delete_dataset(connection, dataset)
    return Response(status_code=204)
