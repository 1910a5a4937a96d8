"""Aggregations and searches over a dataset's segments: exact, of the latest committed state, in milliseconds.

A request is read (`resolve`) into a plan of codes and numbers; the plan is run over every segment (`kernel`: `masks`
select, `survey` finds the largest values, `tally` and `cube` count); findings are added (`partial`), chosen from
(`answer`) and told (`reply`).
"""

from feedback.aggregation.aggregator import Aggregator
from feedback.aggregation.cluster import Cluster, Place

__all__ = ["Aggregator", "Cluster", "Place"]
