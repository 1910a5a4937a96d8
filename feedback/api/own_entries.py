"""A dataset's own topics, opinion entries and classifiers: create, list, get, delete."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from feedback.api.auth import CallerDep, WriterDep
from feedback.api.body import JsonBody
from feedback.api.fitting import fit_classifier
from feedback.api.openapi import documented
from feedback.api.pages import PageDep, json_reply, page_reply
from feedback.api.records import entry_record
from feedback.api.schemas.common import PageOf
from feedback.api.schemas.own_entries import (
    ClassifierBody,
    ClassifierRecord,
    OpinionEntryBody,
    OpinionEntryRecord,
    TopicBody,
    TopicRecordOfDataset,
)
from feedback.api.service import Service, ServiceDep
from feedback.domain.labelled import asks_for_fitting
from feedback.domain.own_entries import ClassifierEntry, Kind, read_entry
from feedback.store.clients import Caller
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot
from feedback.store.own_entries import create_entry, delete_entry, get_entry, list_entries

router = APIRouter(prefix="/management/datasets/{dataset_id}", tags=["analysis"])

_TOPIC = {"code": "parking", "label": "parking", "terms": ["parking", "car park"], "exclusions": ["parking ticket"]}
_OPINION = {"term": "sick", "opinion": "POSITIVE", "context": ["beat", "show"]}
_CLASSIFIER = {
    "code": "urgency",
    "rules": [
        {"value": "high", "anyTerms": ["refund", "lawyer"], "metadata": [{"code": "nps", "value": 0}]},
        {"value": "normal"},
    ],
}


def _mount(kind: Kind, body_model: type[BaseModel], record: type[BaseModel], example: dict[str, Any]) -> None:
    """The four routes of one kind of entry."""
    noun = {Kind.TOPIC: "topic", Kind.OPINION: "opinion entry", Kind.CLASSIFIER: "classifier"}[kind]

    @router.post(
        f"/{kind}",
        status_code=201,
        summary=f"Add a{'n' if kind is Kind.OPINION else ''} {noun} of the dataset's own",
        responses={201: {"model": record}},
        openapi_extra=documented(body_model, example),
    )
    def create(service: ServiceDep, caller: WriterDep, dataset_id: str, body: JsonBody) -> Response:
        """It applies to what is imported from now on; POST .../reanalyse applies it to what is there."""
        fitted = _fitted(service, caller, dataset_id, body) if kind is Kind.CLASSIFIER else None
        with service.engine.begin() as connection:
            dataset = get_dataset(connection, caller.organisation_id, dataset_id)
            entry = create_entry(connection, dataset, kind, fitted or read_entry(kind, dataset, body))
        return json_reply(entry_record(entry), 201)

    @router.get(f"/{kind}", summary=f"List the dataset's own {kind}", responses={200: {"model": PageOf[record]}})  # type: ignore[valid-type]
    def list_all(service: ServiceDep, caller: CallerDep, dataset_id: str, page: PageDep) -> Response:
        """The oldest come first."""
        with snapshot(service.engine) as connection, connection.begin():
            dataset = get_dataset(connection, caller.organisation_id, dataset_id)
            total, entries = list_entries(connection, dataset, kind, page.offset, page.size)
        return page_reply(page, total, [entry_record(entry) for entry in entries])

    @router.get(
        f"/{kind}/{{entry_id}}", summary=f"Get one of the dataset's own {kind}", responses={200: {"model": record}}
    )
    def get(service: ServiceDep, caller: CallerDep, dataset_id: str, entry_id: str) -> Response:
        """Entries are not changed: delete one and add it anew."""
        with snapshot(service.engine) as connection, connection.begin():
            dataset = get_dataset(connection, caller.organisation_id, dataset_id)
            entry = get_entry(connection, dataset, kind, entry_id)
        return json_reply(entry_record(entry))

    @router.delete(f"/{kind}/{{entry_id}}", status_code=204, summary=f"Delete one of the dataset's own {kind}")
    def delete(service: ServiceDep, caller: WriterDep, dataset_id: str, entry_id: str) -> Response:
        """What is analysed already keeps what it found; POST .../reanalyse has it forget."""
        with service.engine.begin() as connection:
            dataset = get_dataset(connection, caller.organisation_id, dataset_id)
            delete_entry(connection, get_entry(connection, dataset, kind, entry_id))
        return Response(status_code=204)


def _fitted(service: Service, caller: Caller, dataset_id: str, body: object) -> ClassifierEntry | None:
    """The classifier fitted as a body asks; None where it asks for none. Fitting takes seconds."""
    if not asks_for_fitting(body):
        return None
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
    return fit_classifier(service, dataset, body)


_mount(Kind.TOPIC, TopicBody, TopicRecordOfDataset, _TOPIC)
_mount(Kind.OPINION, OpinionEntryBody, OpinionEntryRecord, _OPINION)
_mount(Kind.CLASSIFIER, ClassifierBody, ClassifierRecord, _CLASSIFIER)
