"""Immutable column segments, through which alone documents are aggregated and searched."""

from feedback.store.segments.document import SegmentDocument

__all__ = ["SegmentDocument"]
