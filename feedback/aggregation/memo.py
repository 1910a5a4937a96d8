"""Remembers what the last filters selected of a segment: a question asks twice, and those of one page share filters."""

from collections.abc import Callable, Hashable
from threading import Lock

import numpy as np

from feedback.aggregation.selection import Selection

# Filters and periods by segment, a bit a document: at most 8 KiB each.
KEPT = 8


class Memo:
    """The selections of one part, whose dead rows do not change. Safe to share between threads."""

    def __init__(self, documents: int) -> None:
        """`documents`: rows of the part's segment."""
        self._documents = documents
        self._held: dict[Hashable, bool | bytes] = {}
        self._lock = Lock()

    def selection(self, key: Hashable, select: Callable[[], Selection]) -> Selection:
        """What `select()` gives, or gave when it was last asked under this key."""
        held = self._held.get(key)
        if held is None:
            found = select()
            self._keep(key, found if isinstance(found, bool) else np.packbits(found).tobytes())
            return found
        if isinstance(held, bytes):
            return np.unpackbits(np.frombuffer(held, np.uint8), count=self._documents).view(np.bool_)
        return held

    def _keep(self, key: Hashable, selected: bool | bytes) -> None:  # noqa: FBT001 -- all of them, or none
        with self._lock:
            self._held[key] = selected
            while len(self._held) > KEPT:
                del self._held[next(iter(self._held))]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._held.clear()
