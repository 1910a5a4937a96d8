"""Remembers the replies to requests with an Idempotency-Key, so that one sent twice is done once."""

import secrets
import time

import msgspec
from sqlalchemy import Connection, Engine, Update, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from feedback.domain.timestamps import now_ms
from feedback.errors import Code, Conflict, Invalid
from feedback.store.tables import idempotency_keys

_keys = idempotency_keys.c


class StoredReply(msgspec.Struct, frozen=True):
    """The reply that was given to the first request, and the hash of what that asked."""

    request_hash: str
    status: int
    reply: bytes

    def require_same(self, request_hash: str) -> None:
        """Invalid where another request is sent under the key."""
        if request_hash != self.request_hash:
            description = "this Idempotency-Key was used for another request; use a new one"
            raise Invalid(description, code=Code.IDEMPOTENCY_KEY_REUSED, field="Idempotency-Key")


class Lease:
    """The right to answer a key's request. It must be touched while the request is under way, or another may take it.

    While a request is in flight, the column of its hash holds the lease's own name.
    """

    def __init__(self, engine: Engine, client_id: str, key: str, seconds: float) -> None:
        self.seconds = seconds
        self._engine = engine
        self._mine = (_keys.client_id == client_id) & (_keys.key == key)
        self.name = secrets.token_hex(16)
        self._touched = time.monotonic()

    def touch(self) -> None:
        """Says that the request is still under way."""
        if time.monotonic() - self._touched < self.seconds / 4:
            return
        self._touched = time.monotonic()
        with self._engine.begin() as connection:
            connection.execute(self._update().values(created_at=now_ms()))

    def fulfil(self, connection: Connection, request_hash: str, status: int, reply: bytes) -> None:
        """Stores the reply, in the transaction that makes it true; Conflict where the lease was lost."""
        stored = connection.execute(
            self._update().values(request_hash=request_hash, status=status, reply=reply, created_at=now_ms())
        )
        if stored.rowcount != 1:
            raise _in_flight()

    def give_up(self) -> None:
        """Forgets the key: the request changed nothing, so it may be sent again."""
        with self._engine.begin() as connection:
            connection.execute(
                delete(idempotency_keys).where(self._mine, _keys.status.is_(None), _keys.request_hash == self.name)
            )

    def _update(self) -> Update:
        return update(idempotency_keys).where(self._mine, _keys.status.is_(None), _keys.request_hash == self.name)


def begin_request(engine: Engine, client_id: str, key: str, lease_seconds: float) -> Lease | StoredReply:
    """The right to answer a key's request, or the reply it has; Conflict while another request has that right.

    A right that was not touched for `lease_seconds` is another's to take.
    """
    lease = Lease(engine, client_id, key, lease_seconds)
    row = {"client_id": client_id, "key": key, "request_hash": lease.name, "created_at": now_ms()}
    try:
        with engine.begin() as connection:
            connection.execute(insert(idempotency_keys).values(row))
    except IntegrityError:
        return _resume(engine, client_id, key, lease)
    return lease


def _resume(engine: Engine, client_id: str, key: str, lease: Lease) -> Lease | StoredReply:
    mine = (_keys.client_id == client_id) & (_keys.key == key)
    with engine.begin() as connection:
        found = connection.execute(select(idempotency_keys).where(mine)).first()
        if found is not None and found.status is not None:
            return StoredReply(found.request_hash, found.status, found.reply)
        # A process that died left the key in flight; after a while its request may be done by another.
        stale = _keys.created_at < now_ms() - int(lease.seconds * 1000)
        taken = connection.execute(
            update(idempotency_keys)
            .where(mine, _keys.status.is_(None), stale)
            .values(request_hash=lease.name, created_at=now_ms())
        )
    if taken.rowcount != 1:
        raise _in_flight()
    return lease


def _in_flight() -> Conflict:
    description = "a request with this Idempotency-Key is under way; its reply can be had when it is done"
    return Conflict(description, code=Code.REQUEST_IN_FLIGHT, field="Idempotency-Key", retry_after=2)
