"""Aggregations asked twice and compared: what drives a score, what changed, what goes together."""

from feedback.insights.associations import associations
from feedback.insights.changes import changes
from feedback.insights.drivers import drivers

__all__ = ["associations", "changes", "drivers"]
