"""How many documents hold each term or topic at most: what can be among the largest under a filter, and what cannot.

Counted over whole segments, each once when it is first seen. No filter, period or erasure can add a document to a term,
so these counts bound every question's; they are exact for one that selects all documents while none is dead.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import numpy.typing as npt

from feedback.aggregation.kernel import SurveyJob
from feedback.aggregation.plan import Measure, Plan, Terms
from feedback.aggregation.rules import Operation
from feedback.aggregation.snapshot import NONE_DEAD, Part, Snapshot
from feedback.aggregation.survey import Survey, empty_survey

# Counts of segments that are gone make the bounds too high; above this share of them all are counted anew.
STALE = 0.25

Codes = npt.NDArray[np.uint32]
Run = Callable[[Snapshot, SurveyJob], object]


@dataclass(frozen=True)
class Ceiling:
    """The survey of some segments, all of their rows included."""

    survey: Survey
    segments: dict[int, int]
    orders: dict[tuple[int, ...], tuple[Codes, Codes]] = field(default_factory=dict)

    def descending(self, opinions: tuple[int, ...]) -> tuple[Codes, Codes]:
        """Codes that occur with one of the opinions, those of most documents first, and the bound of each."""
        if opinions not in self.orders:
            bounds = self.survey.by_term(opinions)
            codes = np.flatnonzero(bounds)
            codes = codes[np.argsort(-bounds[codes], kind="stable")]
            self.orders[opinions] = codes.astype(np.uint32), bounds[codes].astype(np.uint32)
        return self.orders[opinions]

    def exact_for(self, found: Snapshot) -> bool:
        """Whether these are the counts of all living documents."""
        parts = found.parts
        return len(parts) == len(self.segments) and all(not len(p.dead) and p.id in self.segments for p in parts)


class Ceilings:
    """The ceilings of a dataset, by column. Safe to share between threads."""

    def __init__(self) -> None:
        self._held: dict[str, Ceiling] = {}
        self._lock = Lock()

    def of(self, column: str, found: Snapshot, run: Run) -> Ceiling:
        """Bounds for a snapshot. `run(snapshot, job)` counts the segments that have not been."""
        held = self._held.get(column)
        here = {part.id for part in found.parts}
        gone = 0 if held is None else sum(n for segment, n in held.segments.items() if segment not in here)
        if held is None or gone > STALE * sum(part.documents for part in found.parts):
            held = Ceiling(Survey(), {})
        fresh = [part for part in found.parts if part.id not in held.segments]
        if not fresh and len(held.segments):
            return held
        counted = _count(column, found, fresh, run)
        counted.add(held.survey)
        made = Ceiling(counted, held.segments | {part.id: part.documents for part in fresh})
        with self._lock:
            self._held[column] = made
        return made


def _count(column: str, found: Snapshot, parts: list[Part], run: Run) -> Survey:
    """The survey of all rows of some parts, with room for every code of the snapshot."""
    dimension = Terms(column, 1)
    plan = Plan(Measure(Operation.COUNT, "externalId", always=True), (None,), dimensions=(dimension,))
    whole = Snapshot(found.dataset_id, found.generation, [replace(part, dead=NONE_DEAD) for part in parts])
    surveyed = run(whole, SurveyJob(plan, {(0, 0): empty_survey(found, dimension)}))
    assert isinstance(surveyed, SurveyJob)  # noqa: S101 -- what running such a job gives
    return surveyed.surveys[0, 0]
