"""The one place where instants become text and back: epoch milliseconds inside, ISO 8601 UTC outside."""

import time
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
DAY_MS = 86_400_000


def now_ms() -> int:
    """The present, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def to_iso(ms: int) -> str:
    """`2026-11-21T10:11:05.120Z` for epoch milliseconds."""
    return (EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds")[:-6] + "Z"


def from_iso(text: str) -> int:
    """Epoch milliseconds of an ISO 8601 instant; ValueError where it is none or names no zone.

    OverflowError where it lies before the year 1 or after 9999 in UTC, and so cannot be written. What is finer than a
    millisecond is cut off, towards the past.
    """
    if "T" not in text and " " not in text:
        message = "no time of day"
        raise ValueError(message)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        message = "no zone"
        raise ValueError(message)
    return (moment.astimezone(UTC) - EPOCH) // MILLISECOND


def month_of(ms: int) -> str:
    """The month an instant lies in, as `2026-11`."""
    return to_iso(ms)[:7]
