"""Aggregations over the documents of a dataset."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from feedback.api.auth import CallerDep
from feedback.api.body import JsonBody
from feedback.api.openapi import documented
from feedback.api.pages import json_reply
from feedback.api.schemas.questions import AggregationBody, AggregationRecord
from feedback.api.service import ServiceDep
from feedback.errors import Code, Invalid
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot

router = APIRouter(prefix="/aggregation/datasets", tags=["aggregation"])

TermText = Annotated[str | None, Query(description="Text that a term's label must contain; 2 characters or more.")]

_EXAMPLE = {"field": "metadata.nps", "type": "NPS", "dimensions": [{"field": "createdAt", "group": "MONTH"}]}


@router.post(
    "/{dataset_id}/documents",
    responses={200: {"model": AggregationRecord}},
    openapi_extra=documented(AggregationBody, _EXAMPLE),
)
def aggregate(service: ServiceDep, caller: CallerDep, dataset_id: str, body: JsonBody, q: TermText = None) -> Response:
    """Aggregate a field over documents, by periods and dimensions."""
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
    if not isinstance(body, dict):
        message = "the body is an object with the field to aggregate"
        raise Invalid(message, code=Code.WRONG_TYPE)
    return json_reply(service.aggregator.reply(dataset, body, q))
