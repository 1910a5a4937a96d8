"""How stored things look to a caller: one function a resource, so that a field is spelt in one place."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from feedback.domain.dataset import Dataset, MetadataDefinition
from feedback.domain.imports import DocumentError, Import, ImportKind
from feedback.domain.own_entries import FITTED, RULES, ClassifierEntry, OwnEntry
from feedback.domain.timestamps import to_iso
from feedback.domain.webhook import Delivery, DeliveryState, Webhook
from feedback.errors import Code
from feedback.store.documents import Erasure, StoredDocument
from feedback.store.reanalysis import Change

Record = dict[str, Any]


def dataset_record(dataset: Dataset, months: Iterable[tuple[str, int]] = ()) -> Record:
    """A dataset as the interface shows it."""
    return {
        "id": dataset.id,
        "name": dataset.name,
        "lang": dataset.lang,
        "type": dataset.type,
        "industry": dataset.industry,
        "metadataDefinitions": [definition_record(d) for d in dataset.metadata_definitions],
        "masking": dataset.masking,
        "state": dataset.state,
        "createdAt": to_iso(dataset.created_at),
        "updatedAt": to_iso(dataset.updated_at),
        "monthlyImportedDocuments": [{"month": month, "count": count} for month, count in months],
    }


def definition_record(definition: MetadataDefinition) -> Record:
    """A metadata definition; bounds and maxLength are shown where the type has them."""
    record: Record = {
        "code": definition.code,
        "type": definition.sent_type or definition.type,
        "mandatory": definition.mandatory,
        "personalData": definition.personal_data,
        "allowedValues": definition.allowed_values,
    }
    if definition.bounds is not None:
        limits = {"upper": definition.bounds.upper, "lower": definition.bounds.lower}
        record["bounds"] = {name: _plain(limit) for name, limit in limits.items() if limit is not None}
    if definition.max_length is not None:
        record["maxLength"] = definition.max_length
    return record


def import_record(batch: Import, errors: Sequence[DocumentError] = ()) -> Record:
    """An import; `endedAt` is absent until it has ended."""
    record: Record = {
        "id": batch.id,
        "createdAt": to_iso(batch.created_at),
        "updatedAt": to_iso(batch.updated_at),
        "state": batch.state,
        "totalDocuments": batch.total,
        "processedDocuments": batch.processed,
        "failedDocuments": batch.failed,
        "supersededDocuments": batch.superseded,
        "erasedDocuments": batch.erased,
        "errors": [error_record(error) for error in errors],
    }
    if batch.kind is not ImportKind.DOCUMENTS:
        record["kind"] = batch.kind
    if batch.ended_at is not None:
        record["endedAt"] = to_iso(batch.ended_at)
    if batch.failure is not None:
        whole = {"code": Code.IMPORT_FAILED, "description": batch.failure}
        record["errors"].insert(0, whole | {"field": None, "externalId": None, "index": None})
    return record


def error_record(error: DocumentError) -> Record:
    """Why a document of an import was not analysed."""
    return {
        "code": error.code,
        "description": error.description,
        "field": error.field,
        "externalId": error.external_id,
        "index": error.index,
    }


def document_record(document: StoredDocument) -> Record:
    """An analysed document."""
    return {
        "id": document.id,
        "externalId": document.external_id,
        "lang": document.lang,
        "type": document.type,
        "content": document.content,
        "metadata": msgspec.Raw(document.metadata),
        "state": "ANALYZED",
        "enrichments": msgspec.Raw(document.enrichments),
        "topics": msgspec.Raw(document.topics),
        "classifiers": msgspec.Raw(document.classifiers),
        "analysisVersion": document.analysis_version,
        "createdAt": to_iso(document.created_at),
        "updatedAt": to_iso(document.updated_at),
        "lastOpinionEnrichment": to_iso(document.analysed_at),
    }


def erasure_record(erasure: Erasure) -> Record:
    """An erased external id."""
    return {"externalId": erasure.external_id, "erasedAt": to_iso(erasure.erased_at)}


def webhook_record(webhook: Webhook, secret: str | None = None) -> Record:
    """A webhook; its secret is shown only when it is new."""
    record: Record = {
        "id": webhook.id,
        "url": webhook.url,
        "event": webhook.event,
        "datasetId": webhook.dataset_id,
        "state": webhook.state,
        "failingSince": None if webhook.failing_since is None else to_iso(webhook.failing_since),
        "createdAt": to_iso(webhook.created_at),
        "updatedAt": to_iso(webhook.updated_at),
    }
    return record if secret is None else record | {"secret": secret}


def delivery_record(delivery: Delivery) -> Record:
    """A notification and what became of it."""
    record: Record = {
        "id": delivery.id,
        "webhookId": delivery.webhook_id,
        "importId": delivery.import_id,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "lastStatus": delivery.last_status,
        "lastError": delivery.last_error,
        "createdAt": to_iso(delivery.created_at),
        "updatedAt": to_iso(delivery.updated_at),
    }
    if delivery.state is DeliveryState.PENDING:
        record["nextAttemptAt"] = to_iso(delivery.next_at)
    if delivery.ended_at is not None:
        record["endedAt"] = to_iso(delivery.ended_at)
    return record


def change_record(change: Change, count: int) -> Record:
    """Something that a re-analysis found otherwise, and how often; null where there was nothing, or is nothing now."""
    return {
        "change": change.change,
        "value": change.value,
        "before": change.before or None,
        "after": change.after or None,
        "count": count,
    }


def entry_record(entry: OwnEntry) -> Record:
    """A topic, opinion entry or classifier of a dataset's own."""
    definition: Record = msgspec.to_builtins(entry.definition)
    if isinstance(entry.definition, ClassifierEntry):
        fitted = definition.pop("fitted")
        definition["kind"] = FITTED if fitted else RULES
        if fitted:
            del definition["rules"], fitted["model"]
            definition |= fitted
    return {"id": entry.id, **definition, "createdAt": to_iso(entry.created_at)}


def _plain(limit: float) -> float:
    return int(limit) if limit == int(limit) else limit
