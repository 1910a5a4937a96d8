"""Insights: what moves a score, what changed between two periods, and what goes together."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Response

from feedback.aggregation import Aggregator
from feedback.api.auth import CallerDep
from feedback.api.body import JsonBody
from feedback.api.openapi import documented
from feedback.api.pages import json_reply
from feedback.api.schemas.insights import AssociationsBody, ChangesBody, DriversBody, InsightRecord
from feedback.api.service import Service, ServiceDep
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot

router = APIRouter(prefix="/insights/datasets/{dataset_id}", tags=["insights"])

Insight = Callable[[Aggregator, Dataset, Mapping[str, Any] | None], dict[str, Any]]

_MONTHS = [
    {"field": "createdAt", "from": "2026-01-01T00:00:00.000Z", "to": "2026-01-31T23:59:59.999Z"},
    {"field": "createdAt", "from": "2026-02-01T00:00:00.000Z", "to": "2026-02-28T23:59:59.999Z"},
]


@router.post(
    "/drivers",
    responses={200: {"model": InsightRecord}},
    openapi_extra=documented(DriversBody, {"field": "metadata.nps", "by": "TOPICS"}),
)
def drivers(service: ServiceDep, caller: CallerDep, dataset_id: str, body: JsonBody) -> Response:
    """Find the terms or topics whose documents score most differently from all others.

    Each item names the query that lists its documents.
    """
    from feedback.insights import drivers as insight  # noqa: PLC0415  Loaded when it is asked for.

    return _answer(service, caller.organisation_id, dataset_id, body, insight)


@router.post(
    "/changes",
    responses={200: {"model": InsightRecord}},
    openapi_extra=documented(ChangesBody, {"periods": _MONTHS, "opinion": "NEGATIVE"}),
)
def changes(service: ServiceDep, caller: CallerDep, dataset_id: str, body: JsonBody) -> Response:
    """Find the terms or topics whose share of documents changed most between two periods."""
    from feedback.insights import changes as insight  # noqa: PLC0415  As above.

    return _answer(service, caller.organisation_id, dataset_id, body, insight)


@router.post(
    "/associations",
    responses={200: {"model": InsightRecord}},
    openapi_extra=documented(AssociationsBody, {"id": "delivery__NOUN__1", "opinion": "NEGATIVE"}),
)
def associations(service: ServiceDep, caller: CallerDep, dataset_id: str, body: JsonBody) -> Response:
    """Find the terms or topics that occur together with one more often than chance has it."""
    from feedback.insights import associations as insight  # noqa: PLC0415  As above.

    return _answer(service, caller.organisation_id, dataset_id, body, insight)


def _answer(service: Service, organisation_id: str, dataset_id: str, body: object, insight: Insight) -> Response:
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, organisation_id, dataset_id)
    if not isinstance(body, dict):
        raise Invalid("the body is an object", code=Code.WRONG_TYPE)
    return json_reply(insight(service.aggregator, dataset, body))
