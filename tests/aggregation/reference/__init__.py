"""The naive evaluator: what the interface and its decisions say, in plain loops, sharing nothing with the kernel."""

from tests.aggregation.reference.documents import DAY, OPINIONS, Doc, World, iso, label_of, pairs_of
from tests.aggregation.reference.queries import matches, without_terms
from tests.aggregation.reference.reply import TooLong, evaluate

__all__ = [
    "DAY",
    "OPINIONS",
    "Doc",
    "TooLong",
    "World",
    "evaluate",
    "iso",
    "label_of",
    "matches",
    "pairs_of",
    "without_terms",
]
