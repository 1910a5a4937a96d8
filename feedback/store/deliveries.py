"""Which sender sends which notification: claims like those of imports, so that none is lost with its sender."""

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, bindparam, delete, or_, select, update

from feedback.domain.timestamps import now_ms
from feedback.domain.webhook import DeliveryState, WebhookState
from feedback.store.engine import AnyRow
from feedback.store.tables import deliveries, webhooks

_CANDIDATES = 64
_SIGNING = ("url", "secret", "previous_secret", "previous_secret_until")


# Asked several times a second: a statement that is made once takes a seventh of the time.
_DUE = (
    select(deliveries.c.id)
    .where(deliveries.c.state == DeliveryState.PENDING, deliveries.c.next_at <= bindparam("due"))
    .where(or_(deliveries.c.claimed_by.is_(None), deliveries.c.claim_until < bindparam("due")))
    .limit(1)
)


class DueDelivery(msgspec.Struct, frozen=True):
    """A notification that its claimer may send now, and the secrets that sign it, the newest first."""

    id: str
    webhook_id: str
    url: str
    body: bytes
    attempts: int
    secrets: tuple[str, ...]


def deliveries_wait(connection: Connection, full: Collection[str]) -> bool:
    """Whether anything could be claimed, `full` webhooks aside; a plain read, so that an idle sender locks nothing."""
    if connection.execute(_DUE, {"due": now_ms()}).first() is None:
        return False
    return connection.execute(_claimable(select(deliveries.c.id), now_ms(), full).limit(1)).first() is not None


def claim_deliveries(
    connection: Connection, sender: str, *, claim_ms: int, busy: dict[str, int], limit: int, share: int
) -> list[DueDelivery]:
    """Claims at most `limit` notifications that are due, those due longest first.

    No webhook gets more than `share` at once, `busy` (how many of each are being sent) counted in, so that a receiver
    that answers slowly holds up nobody else's.
    """
    now = now_ms()
    full = [webhook_id for webhook_id, count in busy.items() if count >= share]
    wanted = select(deliveries, *(webhooks.c[name] for name in _SIGNING))
    oldest = _claimable(wanted, now, full).order_by(deliveries.c.next_at).limit(_CANDIDATES)
    rows = connection.execute(oldest.with_for_update(skip_locked=True, of=deliveries)).all()
    taken = dict(busy)
    claimed: list[DueDelivery] = []
    for row in rows:
        if len(claimed) < limit and taken.get(row.webhook_id, 0) < share:
            taken[row.webhook_id] = taken.get(row.webhook_id, 0) + 1
            claimed.append(_claimed(row, now))
    if claimed:
        ids = [delivery.id for delivery in claimed]
        mine = {"claimed_by": sender, "claim_until": now + claim_ms}
        connection.execute(update(deliveries).where(deliveries.c.id.in_(ids)).values(mine))
    return claimed


def renew_deliveries(connection: Connection, sender: str, ids: Collection[str], claim_ms: int) -> None:
    """Prolongs a sender's claims on notifications that it is still sending."""
    mine = (deliveries.c.claimed_by == sender) & deliveries.c.id.in_(ids)
    connection.execute(update(deliveries).where(mine).values(claim_until=now_ms() + claim_ms))


def end_delivery(connection: Connection, sender: str, delivery: DueDelivery, status: int) -> bool:
    """Records that the receiver took a notification; False where the claim was lost meanwhile."""
    now = now_ms()
    values = {"state": DeliveryState.DELIVERED, "last_status": status, "last_error": None, "ended_at": now}
    if not _record(connection, sender, delivery, values, now):
        return False
    recovered = (webhooks.c.id == delivery.webhook_id) & webhooks.c.failing_since.is_not(None)
    connection.execute(update(webhooks).where(recovered).values(failing_since=None))
    return True


def fail_delivery(
    connection: Connection, sender: str, delivery: DueDelivery, *, status: int | None, error: str, wait_ms: int | None
) -> int | None:
    """Records a failed attempt, to be repeated after `wait_ms`, or not at all where that is None.

    Returns since when the webhook has been failing; None where the claim was lost meanwhile.
    """
    now = now_ms()
    values: dict[str, object] = {"last_status": status, "last_error": error}
    values |= {"state": DeliveryState.FAILED, "ended_at": now} if wait_ms is None else {"next_at": now + wait_ms}
    if not _record(connection, sender, delivery, values, now):
        return None
    own = webhooks.c.id == delivery.webhook_id
    connection.execute(update(webhooks).where(own, webhooks.c.failing_since.is_(None)).values(failing_since=now))
    since: int | None = connection.scalar(select(webhooks.c.failing_since).where(own))
    return since


def disable_webhook(connection: Connection, webhook_id: str, reason: str) -> None:
    """Stops telling a webhook anything; what was still to be sent fails, and can be redelivered once it is enabled."""
    now = now_ms()
    state = {"state": WebhookState.DISABLED, "updated_at": now}
    connection.execute(update(webhooks).where(webhooks.c.id == webhook_id).values(state))
    pending = (deliveries.c.webhook_id == webhook_id) & (deliveries.c.state == DeliveryState.PENDING)
    given_up = {"state": DeliveryState.FAILED, "last_error": reason, "ended_at": now, "updated_at": now}
    connection.execute(update(deliveries).where(pending).values(given_up))


def purge_deliveries(connection: Connection, before: int) -> int:
    """Deletes notifications that ended before an instant; returns how many."""
    return connection.execute(delete(deliveries).where(deliveries.c.ended_at < before)).rowcount


def _claimable(query: Select[Any], now: int, full: Collection[str]) -> Select[Any]:
    free = or_(deliveries.c.claimed_by.is_(None), deliveries.c.claim_until < now)
    return query.join(webhooks, webhooks.c.id == deliveries.c.webhook_id).where(
        deliveries.c.state == DeliveryState.PENDING,
        deliveries.c.next_at <= now,
        free,
        webhooks.c.state == WebhookState.ACTIVE,
        deliveries.c.webhook_id.not_in(full),
    )


def _claimed(row: AnyRow, now: int) -> DueDelivery:
    overlaps = row.previous_secret is not None and row.previous_secret_until > now
    secrets = (row.secret, row.previous_secret) if overlaps else (row.secret,)
    return DueDelivery(row.id, row.webhook_id, row.url, row.body, row.attempts, secrets)


def _record(connection: Connection, sender: str, delivery: DueDelivery, values: dict[str, object], now: int) -> bool:
    # Every transaction that changes both takes the webhook before its deliveries, so that no two wait for each other.
    own = select(webhooks.c.id).where(webhooks.c.id == delivery.webhook_id)
    connection.execute(own.with_for_update(key_share=True))
    mine = (deliveries.c.id == delivery.id) & (deliveries.c.claimed_by == sender)
    ended = values | {"attempts": deliveries.c.attempts + 1, "claimed_by": None, "claim_until": None, "updated_at": now}
    return connection.execute(update(deliveries).where(mine).values(ended)).rowcount == 1
