"""Webhooks: register an address, see what was delivered to it, have it sent again."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.body import JsonBody
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import delivery_record, webhook_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.webhooks import DeliveryRecord, WebhookBody, WebhookRecord, WebhookWithSecret
from feedback.api.service import Service, ServiceDep
from feedback.domain.reader import Reader
from feedback.domain.webhook import DeliveryState, Event
from feedback.errors import Invalid, NotFound, Problem
from feedback.processing.addresses import MAX_URL, url_problem
from feedback.store.clients import Caller
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot
from feedback.store.webhooks import (
    create_webhook,
    delete_webhook,
    enable_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    redeliver,
    rotate_signing_secret,
)

router = APIRouter(prefix="/management/webhooks", tags=["webhooks"])

StateFilter = Annotated[DeliveryState | None, Query(description="Only notifications in this state.")]

_EXAMPLE = {"url": "https://example.com/feedback-events", "event": "ENDED_IMPORT"}


@router.post(
    "", status_code=201, responses={201: {"model": WebhookWithSecret}}, openapi_extra=documented(WebhookBody, _EXAMPLE)
)
def create(service: ServiceDep, caller: WriterDep, body: JsonBody) -> Response:
    """Register a webhook. Its secret is shown once; notifications are signed with it as Standard Webhooks says."""
    url, event, dataset_id = _registration(service, caller, body)
    with service.engine.begin() as connection:
        if dataset_id is not None:
            get_dataset(connection, caller.organisation_id, dataset_id)
        webhook, secret = create_webhook(connection, caller.organisation_id, url, event, dataset_id)
    return json_reply(webhook_record(webhook, secret), 201)


@router.get("", responses={200: {"model": PageOf[WebhookRecord]}})
def list_all(service: ServiceDep, caller: CallerDep, page: PageDep) -> Response:
    """List webhooks, oldest first, without their secrets."""
    with snapshot(service.engine) as connection, connection.begin():
        total, found = list_webhooks(connection, caller.organisation_id, page.offset, page.size)
    return page_reply(page, total, [webhook_record(webhook) for webhook in found])


@router.get("/{webhook_id}", responses={200: {"model": WebhookRecord}})
def get(service: ServiceDep, caller: CallerDep, webhook_id: str) -> Response:
    """Get a webhook, without its secret."""
    with snapshot(service.engine) as connection, connection.begin():
        webhook = get_webhook(connection, caller.organisation_id, webhook_id)
    return json_reply(webhook_record(webhook))


@router.delete("/{webhook_id}", status_code=204)
def delete(service: ServiceDep, caller: WriterDep, webhook_id: str) -> Response:
    """Delete a webhook; what was still to be sent is not."""
    with service.engine.begin() as connection:
        delete_webhook(connection, get_webhook(connection, caller.organisation_id, webhook_id))
    return Response(status_code=204)


@router.post("/{webhook_id}/secret", responses={200: {"model": WebhookWithSecret}})
def rotate(service: ServiceDep, caller: WriterDep, webhook_id: str) -> Response:
    """Give a webhook a new secret. For a day both sign, so that the receiver can change over without a gap."""
    overlap_ms = int(service.settings.webhook_overlap_seconds * 1000)
    with service.engine.begin() as connection:
        webhook = get_webhook(connection, caller.organisation_id, webhook_id)
        secret = rotate_signing_secret(connection, webhook, overlap_ms)
        webhook = get_webhook(connection, caller.organisation_id, webhook_id)
    return json_reply(webhook_record(webhook, secret))


@router.post("/{webhook_id}/enable", responses={200: {"model": WebhookRecord}})
def enable(service: ServiceDep, caller: WriterDep, webhook_id: str) -> Response:
    """Enable a webhook that was disabled because its receiver was gone or failed for days."""
    with service.engine.begin() as connection:
        webhook = enable_webhook(connection, get_webhook(connection, caller.organisation_id, webhook_id))
    return json_reply(webhook_record(webhook))


@router.get("/{webhook_id}/deliveries", responses={200: {"model": PageOf[DeliveryRecord]}})
def deliveries(
    service: ServiceDep, caller: CallerDep, webhook_id: str, page: PageDep, state: StateFilter = None
) -> Response:
    """List the notifications of a webhook, newest first, with what became of each."""
    with snapshot(service.engine) as connection, connection.begin():
        webhook = get_webhook(connection, caller.organisation_id, webhook_id)
        total, found = list_deliveries(connection, webhook.id, state, page.offset, page.size)
    return page_reply(page, total, [delivery_record(delivery) for delivery in found])


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/redeliver", status_code=202, responses={202: {"model": DeliveryRecord}}
)
def send_again(service: ServiceDep, caller: WriterDep, webhook_id: str, delivery_id: str) -> Response:
    """Have a notification sent again at once, under the same webhook-id."""
    with service.engine.begin() as connection:
        webhook = get_webhook(connection, caller.organisation_id, webhook_id)
        delivery = redeliver(connection, webhook, delivery_id)
    return json_reply(delivery_record(delivery), 202)


def _registration(service: Service, caller: Caller, body: object) -> tuple[str, Event, str | None]:
    reader = Reader()
    members = reader.members(body, "", {"url", "event", "datasetId"})
    url = reader.text(members, "url", "", maximum=MAX_URL)
    event = reader.choice(members, "event", list(Event))
    dataset_id = None if members.get("datasetId") is None else reader.text(members, "datasetId", "")
    if url and (problem := url_problem(url, service.settings.webhook_allowed_hosts)):
        reader.add(problem.code, problem.description, "url")
    unknown = _unknown(service, caller, dataset_id) if dataset_id else []
    try:
        reader.finish()
    except Invalid as error:
        raise Invalid(problems=[*error.problems, *unknown]) from None
    if unknown:
        raise NotFound(problems=unknown)
    return url, Event(event), dataset_id


def _unknown(service: Service, caller: Caller, dataset_id: str) -> list[Problem]:
    with snapshot(service.engine) as connection, connection.begin():
        try:
            get_dataset(connection, caller.organisation_id, dataset_id)
        except NotFound as error:
            return [Problem(problem.code, problem.description, "datasetId") for problem in error.problems]
    return []
