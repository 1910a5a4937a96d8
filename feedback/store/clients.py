"""Organisations, their API clients, and the tokens those are given; only hashes of secrets are ever stored."""

import hashlib
import hmac
from typing import Literal

import msgspec
from sqlalchemy import Connection, and_, bindparam, func, insert, or_, select, update

from feedback.domain.identifiers import new_id, new_secret
from feedback.domain.timestamps import now_ms
from feedback.errors import Code, Conflict, NotFound, Unauthorised
from feedback.store.engine import AnyRow
from feedback.store.tables import client_secrets, clients, organisations, tokens

Scope = Literal["write", "read"]
MAX_LIVE_SECRETS = 2
# Every request asks it: a statement that is made once takes a seventh of the time.
_CALLER = (
    select(clients.c.id, clients.c.organisation_id, clients.c.scope)
    .join(tokens, tokens.c.client_id == clients.c.id)
    .where(
        tokens.c.token_hash == bindparam("hashed"),
        tokens.c.expires_at > bindparam("present"),
        tokens.c.revoked_at.is_(None),
        clients.c.revoked_at.is_(None),
    )
)


class Caller(msgspec.Struct, frozen=True):
    """Who a token speaks for."""

    client_id: str
    organisation_id: str
    scope: Scope


class Client(msgspec.Struct, frozen=True, rename="camel"):
    """An API client as its operator sees it."""

    client_id: str
    organisation: str
    scope: Scope
    created_at: int
    revoked_at: int | None
    live_secrets: int


def hashed(secret: str) -> str:
    """What is stored of a secret, which carries 256 random bits: a fast hash is enough, and cannot stall us."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def create_client(connection: Connection, organisation: str, scope: Scope = "write") -> tuple[str, str]:
    """A new client id and its secret, in an organisation that is created where it does not exist."""
    now = now_ms()
    organisation_id = connection.scalar(select(organisations.c.id).where(organisations.c.name == organisation))
    if organisation_id is None:
        organisation_id = new_id()
        connection.execute(insert(organisations).values(id=organisation_id, name=organisation, created_at=now))
    client_id = new_id()
    connection.execute(
        insert(clients).values(id=client_id, organisation_id=organisation_id, scope=scope, created_at=now)
    )
    return client_id, _add_secret(connection, client_id, now)


def list_clients(connection: Connection) -> list[Client]:
    """All clients, oldest first."""
    live = (
        select(func.count())
        .where(client_secrets.c.client_id == clients.c.id, client_secrets.c.revoked_at.is_(None))
        .scalar_subquery()
    )
    rows = connection.execute(
        select(clients.c.id, organisations.c.name, clients.c.scope, clients.c.created_at, clients.c.revoked_at, live)
        .join(organisations)
        .order_by(clients.c.created_at, clients.c.id)
    )
    return [Client(*row) for row in rows]


def rotate_secret(connection: Connection, client_id: str, *, revoke_others: bool = False) -> str:
    """A further secret of a client. At most two are live, so that a client can be moved from one to the other."""
    _require_live(connection, client_id)
    if revoke_others:
        _revoke_secrets(connection, client_id)
    live = connection.scalar(
        select(func.count()).where(client_secrets.c.client_id == client_id, client_secrets.c.revoked_at.is_(None))
    )
    if live is not None and live >= MAX_LIVE_SECRETS:
        message = "the client has two live secrets already; revoke the older one first (--revoke-others)"
        raise Conflict(message, code=Code.TOO_MANY)
    return _add_secret(connection, client_id, now_ms())


def revoke_client(connection: Connection, client_id: str) -> None:
    """Ends a client, its secrets and its tokens at once."""
    _require_live(connection, client_id)
    now = now_ms()
    connection.execute(update(clients).where(clients.c.id == client_id).values(revoked_at=now))
    _revoke_secrets(connection, client_id)
    connection.execute(
        update(tokens).where(tokens.c.client_id == client_id, tokens.c.revoked_at.is_(None)).values(revoked_at=now)
    )


def issue_token(connection: Connection, client_id: str, secret: str, lifetime_seconds: int) -> str:
    """A new access token for a client that shows one of its live secrets; Unauthorised otherwise."""
    rows = connection.execute(
        select(client_secrets.c.secret_hash)
        .join(clients)
        .where(clients.c.id == client_id, clients.c.revoked_at.is_(None), client_secrets.c.revoked_at.is_(None))
    ).all()
    shown = hashed(secret)
    # Every secret is compared, so that the time taken says nothing about which one is near.
    matches = [hmac.compare_digest(shown, row.secret_hash) for row in rows]
    if not any(matches):
        message = "unknown client, or wrong or revoked secret"
        raise Unauthorised(message, code=Code.INVALID_CLIENT)
    token, now = new_secret(), now_ms()
    connection.execute(
        insert(tokens).values(
            token_hash=hashed(token), client_id=client_id, created_at=now, expires_at=now + lifetime_seconds * 1000
        )
    )
    return token


def find_caller(connection: Connection, token: str) -> Caller | None:
    """Whom a token speaks for; None where it is unknown, expired or revoked."""
    row: AnyRow | None = connection.execute(_CALLER, {"hashed": hashed(token), "present": now_ms()}).first()
    return None if row is None else Caller(*row)


def revoke_token(connection: Connection, token: str, client_id: str) -> None:
    """Ends one of a client's tokens at once; an unknown one is no error (RFC 7009)."""
    connection.execute(
        update(tokens)
        .where(tokens.c.token_hash == hashed(token), tokens.c.client_id == client_id, tokens.c.revoked_at.is_(None))
        .values(revoked_at=now_ms())
    )


def purge_tokens(connection: Connection, before: int) -> int:
    """Deletes tokens that ended before an instant; returns how many."""
    ended = or_(tokens.c.expires_at < before, and_(tokens.c.revoked_at.is_not(None), tokens.c.revoked_at < before))
    return connection.execute(tokens.delete().where(ended)).rowcount


def _add_secret(connection: Connection, client_id: str, now: int) -> str:
    secret = new_secret()
    connection.execute(insert(client_secrets).values(client_id=client_id, secret_hash=hashed(secret), created_at=now))
    return secret


def _revoke_secrets(connection: Connection, client_id: str) -> None:
    connection.execute(
        update(client_secrets)
        .where(client_secrets.c.client_id == client_id, client_secrets.c.revoked_at.is_(None))
        .values(revoked_at=now_ms())
    )


def _require_live(connection: Connection, client_id: str) -> None:
    found = connection.scalar(select(clients.c.id).where(clients.c.id == client_id, clients.c.revoked_at.is_(None)))
    if found is None:
        message = f"there is no live client {client_id}"
        raise NotFound(message)
