"""The interface's calls as methods: one connection pool, tokens renewed by themselves, retries where they are safe."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from feedback.client.errors import Permanent
from feedback.client.models import (
    Aggregation,
    Dataset,
    Document,
    DocumentError,
    Erasure,
    Import,
    Page,
    Webhook,
)
from feedback.client.session import Retrying, Session

T = TypeVar("T")
PAGE_SIZE = 500


def batch_body(documents: Iterable[Mapping[str, Any]]) -> bytes:
    """The body of an import, as bytes: the same documents always give the same bytes, as an Idempotency-Key demands."""
    return b'{"documents":[' + b",".join(msgspec.json.encode(document) for document in documents) + b"]}"


class FeedbackClient:
    """A client of one organisation. Raises `Transient` or `Permanent`, nothing else of its own.

    `timeout` bounds one attempt in seconds, `patience` all attempts of one call together.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        timeout: float = 60.0,
        patience: float = 120.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        http = httpx.Client(base_url=base_url.rstrip("/"), timeout=timeout, transport=transport)
        self._session = Session(http, client_id, client_secret, Retrying(patience))

    def __enter__(self) -> Self:
        """The client closes its connections at the end of a `with` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; the client is of no use afterwards."""
        self._session.close()

    def create_dataset(self, definition: Mapping[str, Any]) -> Dataset:
        """Declare a dataset. `Permanent` with code `name_taken` when the organisation has one of that name."""
        return self._post("/v1/management/datasets", definition, Dataset)

    def get_dataset(self, dataset_id: str) -> Dataset:
        """One dataset."""
        return self._get(f"/v1/management/datasets/{quote(dataset_id, safe='')}", Dataset)

    def datasets(self) -> Iterator[Dataset]:
        """Every dataset of the organisation."""
        return self._pages("/v1/management/datasets", Dataset)

    def find_dataset(self, name: str) -> Dataset | None:
        """The dataset of that name, or None."""
        return next((dataset for dataset in self.datasets() if dataset.name == name), None)

    def add_to_dataset(self, dataset_id: str, additions: Mapping[str, Any]) -> Dataset:
        """Add metadata definitions or allowed values to a dataset."""
        return self._session.send(
            "PATCH", f"/v1/management/datasets/{quote(dataset_id, safe='')}", Dataset, json=additions, safe=True
        )

    def create_import(
        self, dataset_id: str, documents: Iterable[Mapping[str, Any]] | bytes, *, idempotency_key: str | None = None
    ) -> Import:
        """Send documents (or a body made by `batch_body`); with the same key and body nothing is imported twice."""
        body = documents if isinstance(documents, bytes) else batch_body(documents)
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex, "Content-Type": "application/json"}
        return self._session.send("POST", self._imports(dataset_id), Import, content=body, headers=headers, safe=True)

    def get_import(self, dataset_id: str, import_id: str) -> Import:
        """The import as it stands now."""
        return self._get(f"{self._imports(dataset_id)}/{quote(import_id, safe='')}", Import)

    def import_errors(self, dataset_id: str, import_id: str) -> Iterator[DocumentError]:
        """Every document error of an import."""
        return self._pages(f"{self._imports(dataset_id)}/{quote(import_id, safe='')}/errors", DocumentError)

    def import_documents(self, dataset_id: str, import_id: str) -> Iterator[Page[Document]]:
        """The analysed documents of an import, a page at a time; some come twice where others go meanwhile."""
        path = f"{self._imports(dataset_id)}/{quote(import_id, safe='')}/documents"
        return self._page_by_page(path, Document)

    def get_document(self, dataset_id: str, external_id: str) -> Document:
        """One document by the id its sender gave it, which may hold any character."""
        return self._get(_document(dataset_id, external_id), Document)

    def erase_document(self, dataset_id: str, external_id: str) -> None:
        """Erase one document from everything."""
        self._session.delete(_document(dataset_id, external_id))

    def erasures(self, dataset_id: str, since: datetime | None = None) -> Iterator[Erasure]:
        """What was erased from a dataset, oldest first."""
        query = {"since": since.isoformat(timespec="milliseconds").replace("+00:00", "Z")} if since else {}
        return self._pages(f"/v1/management/datasets/{quote(dataset_id, safe='')}/erasures", Erasure, query)

    def create_webhook(self, url: str, event: str = "ENDED_IMPORT", dataset_id: str | None = None) -> Webhook:
        """Register an address on an event; only this reply shows the secret that signs the notifications."""
        body = {"url": url, "event": event} | ({"datasetId": dataset_id} if dataset_id else {})
        return self._post("/v1/management/webhooks", body, Webhook)

    def webhooks(self) -> Iterator[Webhook]:
        """Every webhook of the organisation, without secrets."""
        return self._pages("/v1/management/webhooks", Webhook)

    def delete_webhook(self, webhook_id: str) -> None:
        """Stop notifying."""
        self._session.delete(f"/v1/management/webhooks/{quote(webhook_id, safe='')}")

    def aggregate(self, dataset_id: str, question: Mapping[str, Any], q: str | None = None) -> Aggregation:
        """Ask one aggregation question, in the words of the interface."""
        path = f"/v1/aggregation/datasets/{quote(dataset_id, safe='')}/documents"
        return self._post(path, question, Aggregation, query={"q": q} if q else None, safe=True)

    def insights(self, dataset_id: str, kind: str, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """Ask for drivers, changes or associations; None when this service does not answer such questions."""
        path = f"/v1/insights/datasets/{quote(dataset_id, safe='')}/{quote(kind, safe='')}"
        try:
            return self._post(path, question, dict[str, Any], safe=True)
        except Permanent as error:
            if error.status in {httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED}:
                return None
            raise

    def search_documents(
        self, dataset_id: str, query: Mapping[str, Any] | None = None, *, page: int = 1, page_size: int = 20
    ) -> Page[Document]:
        """One page of the documents that match a query."""
        path = f"/v1/search/datasets/{quote(dataset_id, safe='')}/documents"
        paging = {"page": page, "pageSize": page_size}
        return self._post(path, query or {}, Page[Document], query=paging, safe=True)

    def _imports(self, dataset_id: str) -> str:
        return f"/v1/management/datasets/{quote(dataset_id, safe='')}/imports"

    def _get(self, path: str, reads: type[T]) -> T:
        return self._session.send("GET", path, reads, safe=True)

    def _post(
        self,
        path: str,
        body: Mapping[str, Any],
        reads: type[T],
        *,
        query: Mapping[str, Any] | None = None,
        safe: bool = False,
    ) -> T:
        return self._session.send("POST", path, reads, json=body, query=query, safe=safe)

    def _pages(self, path: str, reads: type[T], query: Mapping[str, Any] | None = None) -> Iterator[T]:
        for page in self._page_by_page(path, reads, query):
            yield from page.items

    def _page_by_page(self, path: str, reads: type[T], query: Mapping[str, Any] | None = None) -> Iterator[Page[T]]:
        number, seen, total = 1, 0, 0
        while True:
            asked = {**(query or {}), "page": number, "pageSize": PAGE_SIZE}
            page: Page[T] = self._session.send("GET", path, Page[reads], query=asked, safe=True)  # type: ignore[valid-type]
            gone, total = total - page.total, page.total
            if number > 1 and gone > 0:
                # Items taken out of the pages read so far have moved others from this page into those.
                size = seen // (number - 1)
                number = max(0, seen - gone) // size + 1
                seen = (number - 1) * size
                continue
            if not page.items:
                return
            yield page
            seen += len(page.items)
            if seen >= page.total:
                return
            number += 1


def _document(dataset_id: str, external_id: str) -> str:
    # Dots that stand alone would be taken for a way up and left out of the address.
    name = quote(external_id, safe="").replace(".", "%2E")
    return f"/v1/management/datasets/{quote(dataset_id, safe='')}/documents/{name}"
