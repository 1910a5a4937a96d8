"""Takes an import's body in, whatever its format: spooled, taken apart, accepted, and done once where a key says so."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO

import msgspec
from anyio import CancelScope, CapacityLimiter, to_thread
from fastapi import Request, Response
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from feedback.api.body import JSON, media_type
from feedback.api.records import import_record
from feedback.api.service import Service
from feedback.api.spool import spool_body
from feedback.domain.dataset import Dataset
from feedback.domain.imports import Import
from feedback.errors import Busy, Code, Invalid
from feedback.processing.intake.acceptance import accept
from feedback.store.clients import Caller
from feedback.store.datasets import get_dataset
from feedback.store.engine import snapshot
from feedback.store.idempotency import Lease, StoredReply, begin_request
from feedback.store.imports import queued_documents

Split = Callable[[IO[bytes], Dataset], Iterator[bytes]]
"""Takes a body apart into raw documents."""

KEY_HEADER = "Idempotency-Key"
MAX_KEY = 255
CREATED = 201
_QUEUE_RETRY_SECONDS = 30
_TOUCH_EVERY = 1024

# Taking bodies apart is bound by the processor; more at once would only starve the other routes.
_intake = CapacityLimiter(2)


async def receive_import(request: Request, service: Service, caller: Caller, dataset_id: str, split: Split) -> Response:
    """Accepts the import in a request's body; a repeated Idempotency-Key gets the first reply again."""
    key = _key(request)
    dataset = await to_thread.run_sync(_admit, service, caller, dataset_id)
    settings = service.settings
    claim = None
    if key is not None:
        lease_seconds = settings.idempotency_lease_seconds
        claim = await to_thread.run_sync(begin_request, service.engine, caller.client_id, key, lease_seconds)
    lease = claim if isinstance(claim, Lease) else None
    try:
        alive = None if lease is None else lease.touch
        file, digest = await spool_body(request, settings.spool_dir, settings.max_body_bytes, alive=alive)
        with file:
            asked = _identity(request, digest)
            if isinstance(claim, StoredReply):
                claim.require_same(asked)
                return Response(claim.reply, claim.status, media_type=JSON)
            arrival = _Arrival(service, caller, dataset, lease, asked)
            reply = await to_thread.run_sync(arrival.accept, file, split, limiter=_intake)
    except BaseException:
        if lease is not None:
            # What went wrong is told, whether or not the key can be given up: its lease runs out by itself.
            with CancelScope(shield=True), suppress(DBAPIError):
                await to_thread.run_sync(lease.give_up)
        raise
    return Response(reply, CREATED, media_type=JSON)


class _Arrival:
    """One import on its way into the database."""

    def __init__(self, service: Service, caller: Caller, dataset: Dataset, lease: Lease | None, asked: str) -> None:
        self._service = service
        self._caller = caller
        self._dataset = dataset
        self._lease = lease
        self._asked = asked

    def accept(self, file: IO[bytes], split: Split) -> bytes:
        documents = split(file, self._dataset)
        batch = accept(
            self._service.engine,
            documents if self._lease is None else _touching(documents, self._lease),
            dataset_id=self._dataset.id,
            client_id=self._caller.client_id,
            spool_dir=self._service.settings.spool_dir,
            within=self._fulfil,
        )
        return _reply(batch)

    def _fulfil(self, connection: Connection, batch: Import) -> None:
        if self._lease is not None:
            self._lease.fulfil(connection, self._asked, CREATED, _reply(batch))


def _touching(documents: Iterable[bytes], lease: Lease) -> Iterator[bytes]:
    for number, document in enumerate(documents):
        if number % _TOUCH_EVERY == 0:
            lease.touch()
        yield document


def _reply(batch: Import) -> bytes:
    return msgspec.json.encode(import_record(batch))


def _key(request: Request) -> str | None:
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        description = f"an Idempotency-Key is 1 to {MAX_KEY} printable ASCII characters"
        raise Invalid(description, code=Code.INVALID_VALUE, field=KEY_HEADER)
    return key


def _identity(request: Request, digest: str) -> str:
    """What a request asks, in one hash: the same key may only ever ask the same."""
    parts = (request.method, request.url.path, request.url.query, media_type(request), digest)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _admit(service: Service, caller: Caller, dataset_id: str) -> Dataset:
    with snapshot(service.engine) as connection, connection.begin():
        dataset = get_dataset(connection, caller.organisation_id, dataset_id)
        queued = queued_documents(connection)
    if queued >= service.settings.max_queued_documents:
        description = f"{queued:,} documents wait to be analysed; send more when they are"
        raise Busy(description, code=Code.QUEUE_FULL, retry_after=_QUEUE_RETRY_SECONDS)
    return dataset
