"""The sender: claims notifications that are due, signs and sends them, and decides what follows from the answer."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from standardwebhooks import Webhook as Signer

from feedback.domain.timestamps import now_ms
from feedback.processing.addresses import ForbiddenTarget, Resolve, resolve
from feedback.processing.dialling import Answer, Unreached, post
from feedback.processing.metrics import DELIVERY_ATTEMPTS
from feedback.settings import Settings
from feedback.store import deliveries
from feedback.store.deliveries import DueDelivery
from feedback.store.engine import snapshot

_log = structlog.get_logger()

THREADS = 16
SHARE = 8
"""How many notifications one webhook gets at once, so that a slow receiver holds up no other."""
JITTER = 0.1
MAX_RETRY_AFTER_MS = 86_400_000
GONE = 410
_PAUSE_SECONDS = 5.0
# The worker says when it has ended an import; all else that is due may wait for a few of its polls.
_POLLS = 5
# How often a claim is prolonged while it lasts; so a busy machine may be late once and again.
_RENEWALS = 3


class Sender:
    """Sends until `stop` is called; several may send from one database."""

    def __init__(self, settings: Settings, engine: Engine, name: str, resolver: Resolve = resolve) -> None:
        self._name = name
        self._settings = settings
        self._engine = engine
        self._resolver = resolver
        self._stopping = threading.Event()
        # Set when an answer came, so that the next notification need not wait for the next look.
        self._freed = threading.Event()
        self._lock = threading.Lock()
        self._under_way: dict[str, str] = {}
        self._renewed = time.monotonic()
        self._sending: list[threading.Thread] = []

    def stop(self) -> None:
        """Asks the sender to finish what it is sending, and to end."""
        self._stopping.set()
        self._freed.set()

    def look(self) -> None:
        """Has it look at once for what is due."""
        self._freed.set()

    def run(self) -> None:
        """Sends until stopped."""
        while not self._stopping.is_set():
            self._freed.clear()
            try:
                sent = self.turn()
            except SQLAlchemyError as error:
                _log.error("database fails, notifications wait", error=type(error).__name__)
                self._stopping.wait(_PAUSE_SECONDS)
            except Exception:  # noqa: BLE001  A bug must not end the one thread that sends.
                _log.exception("sender's turn fails")
                self._stopping.wait(_PAUSE_SECONDS)
            else:
                if not sent:
                    self._freed.wait(min(_POLLS * self._settings.poll_seconds, self._renewal_seconds))
        for thread in self._sending:
            thread.join()

    def send_due(self) -> int:
        """Sends everything that is due now, waits for the answers, and returns how many it tried."""
        total = 0
        while begun := self.turn():
            total += len(begun)
            for thread in begun:
                thread.join()
        return total

    def turn(self) -> list[threading.Thread]:
        """Begins sending as much as there is room for."""
        self._renew()
        with self._lock:
            busy = Counter(self._under_way.values())
        room = THREADS - sum(busy.values())
        full = [webhook_id for webhook_id, count in busy.items() if count >= SHARE]
        if room <= 0:
            return []
        with snapshot(self._engine) as connection, connection.begin():
            if not deliveries.deliveries_wait(connection, full):
                return []
        with self._engine.begin() as connection:
            claimed = deliveries.claim_deliveries(
                connection, self._name, claim_ms=self._claim_ms, busy=busy, limit=room, share=SHARE
            )
        with self._lock:
            self._under_way.update((delivery.id, delivery.webhook_id) for delivery in claimed)
        # Daemons: a receiver that never answers must not keep the process from ending; its claim runs out instead.
        begun = [threading.Thread(target=self._deliver, args=(delivery,), daemon=True) for delivery in claimed]
        for thread in begun:
            thread.start()
        self._sending = [thread for thread in self._sending if thread.is_alive()] + begun
        return begun

    @property
    def _claim_ms(self) -> int:
        return int(self._settings.claim_seconds * 1000)

    @property
    def _renewal_seconds(self) -> float:
        return self._settings.claim_seconds / _RENEWALS

    def _renew(self) -> None:
        """Keeps the claims on what is being sent: they may be as short as those of imports, however slow a receiver."""
        if time.monotonic() - self._renewed < self._renewal_seconds:
            return
        self._renewed = time.monotonic()
        with self._lock:
            sending = list(self._under_way)
        if sending:
            with self._engine.begin() as connection:
                deliveries.renew_deliveries(connection, self._name, sending, self._claim_ms)

    def _deliver(self, delivery: DueDelivery) -> None:
        try:
            self._attempt(delivery)
        except SQLAlchemyError as error:
            # The claim runs out and the notification is sent again, under the same webhook-id.
            _log.error("an answer could not be recorded", delivery_id=delivery.id, error=type(error).__name__)
        except Exception:  # noqa: BLE001  A bug met with one receiver must not keep the others waiting.
            _log.exception("notification fails unexpectedly", delivery_id=delivery.id)
        finally:
            with self._lock:
                del self._under_way[delivery.id]
            self._freed.set()

    def _attempt(self, delivery: DueDelivery) -> None:
        started = time.monotonic()
        try:
            answer = self._post(delivery)
        except (ForbiddenTarget, Unreached) as error:
            self._fail(delivery, None, str(error), None)
            return
        if 200 <= answer.status < 300:
            with self._engine.begin() as connection:
                deliveries.end_delivery(connection, self._name, delivery, answer.status)
            DELIVERY_ATTEMPTS.labels("delivered").inc()
            seconds = round(time.monotonic() - started, 3)
            _log.info("notification delivered", delivery_id=delivery.id, status=answer.status, seconds=seconds)
        else:
            self._fail(delivery, answer.status, _reason(answer.status), _wait_ms(answer.retry_after))

    def _post(self, delivery: DueDelivery) -> Answer:
        now = datetime.now(UTC)
        text = delivery.body.decode()
        signatures = [Signer(secret).sign(delivery.id, now, text) for secret in delivery.secrets]
        headers = {
            "webhook-id": delivery.id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }
        return post(
            delivery.url,
            delivery.body,
            headers,
            timeout=self._settings.webhook_timeout_seconds,
            allowed=self._settings.webhook_allowed_hosts,
            resolver=self._resolver,
        )

    def _fail(self, delivery: DueDelivery, status: int | None, error: str, retry_after_ms: int | None) -> None:
        wait_ms = retry_wait_ms(self._settings.webhook_retry_seconds, delivery.attempts, retry_after_ms)
        with self._engine.begin() as connection:
            since = deliveries.fail_delivery(
                connection, self._name, delivery, status=status, error=error, wait_ms=wait_ms
            )
            if since is None:
                return
            limit_ms = self._settings.webhook_disable_seconds * 1000
            if status == GONE:
                deliveries.disable_webhook(connection, delivery.webhook_id, "the receiver answered 410 Gone")
            elif now_ms() - since >= limit_ms:
                deliveries.disable_webhook(connection, delivery.webhook_id, "the receiver has failed for too long")
        DELIVERY_ATTEMPTS.labels("failed").inc()
        _log.warning("notification fails", delivery_id=delivery.id, status=status, attempts=delivery.attempts + 1)


def retry_wait_ms(
    schedule: tuple[float, ...],
    attempts: int,
    retry_after_ms: int | None,
    draw: Callable[[float, float], float] = random.uniform,
) -> int | None:
    """How long to wait after a failed attempt that `attempts` failed ones came before; None: not any more.

    The schedule's wait is spread by a tenth, so that receivers that went down together are not all asked together.
    What the receiver asks for in Retry-After is kept, up to a day.
    """
    if attempts >= len(schedule):
        return None
    wait = schedule[attempts] * 1000 * draw(1 - JITTER, 1 + JITTER)
    return int(max(wait, min(retry_after_ms or 0, MAX_RETRY_AFTER_MS)))


def _wait_ms(retry_after: str | None) -> int | None:
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return min(int(retry_after.strip()[:9]) * 1000, MAX_RETRY_AFTER_MS)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        return None
    return max(0, int(moment.timestamp() * 1000) - now_ms())


def _reason(status: int) -> str:
    if 300 <= status < 400:
        return f"the receiver answered {status}, and redirects are not followed"
    return f"the receiver answered {status}"
