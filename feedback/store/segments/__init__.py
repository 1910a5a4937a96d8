"""Immutable column segments, through which alone documents are aggregated and searched.

A segment holds at most 65,536 documents and is never changed: replaced and erased documents become tombstones, and
compaction writes a new segment in place of several. Nothing here commits; `compact` alone opens its own transaction.
"""

from feedback.store.segments.compaction import compact, holding_erased
from feedback.store.segments.rows import SegmentRows
from feedback.store.segments.tombstones import bury
from feedback.store.segments.write import write

__all__ = ["SegmentRows", "bury", "compact", "holding_erased", "write"]
