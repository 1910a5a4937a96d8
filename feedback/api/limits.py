"""A brake on the token endpoint, so that secrets cannot be guessed at speed."""

import math
import threading
import time
from collections import OrderedDict

from feedback.errors import Busy

_REMEMBERED = 10_000


class TokenLimiter:
    """A token bucket for each address: a minute's worth at once, then an even flow."""

    def __init__(self, per_minute: int) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, address: str) -> None:
        """Counts one request; Busy where the address has sent too many."""
        now = time.monotonic()
        with self._lock:
            level, since = self._buckets.pop(address, (self._capacity, now))
            level = min(self._capacity, level + (now - since) * self._per_second)
            allowed = level >= 1
            self._buckets[address] = (level - 1 if allowed else level, now)
            # The address unseen for longest has a full bucket again by now, or soon.
            while len(self._buckets) > _REMEMBERED:
                self._buckets.popitem(last=False)
        if not allowed:
            wait = math.ceil((1 - level) / self._per_second)
            message = "too many token requests from this address; a token lives an hour, so keep it"
            raise Busy(message, retry_after=wait)
