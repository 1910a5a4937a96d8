"""Keeps the figures of the last questions: asked again, they cost what has come since. Segments never change.

What was counted is known by the segments and the number of their dead rows. Where one of them is gone or has lost a row
since, the question is counted anew.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from feedback.aggregation.counting import Counts
from feedback.aggregation.domains import Domain
from feedback.aggregation.frame import Frame
from feedback.aggregation.kernel import SurveyJob, Tallies, TallyJob
from feedback.aggregation.numbers import NumberCounts
from feedback.aggregation.partial import Ints, Partial
from feedback.aggregation.snapshot import Snapshot
from feedback.aggregation.survey import Survey

# No single question takes more than this share of what may be kept.
LARGEST = 4

Job = SurveyJob | TallyJob
Found = SurveyJob | Tallies
Mark = tuple[int, int]
"""(segment id, dead rows)."""


@dataclass(frozen=True, slots=True)
class _Sparse:
    """A survey's counts without its zeros, which are most of them."""

    survey: Survey
    keys: Counts
    counts: Counts
    codes: Counts
    surplus: Counts


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a job found in some segments, and about how many bytes that takes."""

    marks: frozenset[Mark]
    found: dict[tuple[int, int], _Sparse] | Tallies
    size: int


class Remembered:
    """Figures of the jobs run last, at most `budget` bytes of them. Safe to share between threads."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def run(self, snapshot: Snapshot, job: Job, run: Callable[[Snapshot, Job], Found]) -> Found:
        """What `run(snapshot, job)` finds; it is run over those parts alone that are not remembered."""
        if not self.budget:
            return run(snapshot, job)
        key, marks = (snapshot.dataset_id, _key(job)), snapshot.marks
        with self._lock:
            kept = self._kept.get(key)
        if kept is None or not kept.marks <= marks:
            found = run(snapshot, job)
        else:
            found = _recalled(kept, job)
            if kept.marks == marks:
                return found
            parts = [part for part in snapshot.parts if part.mark not in kept.marks]
            fresh = run(replace(snapshot, parts=parts), job)
            _add(fresh, found)
            found = fresh
        self._keep(key, _kept(marks, found))
        return found

    def forget(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()
            self._size = 0

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        if kept.size * LARGEST > self.budget:
            return
        with self._lock:
            old = self._kept.pop(key, None)
            self._size += kept.size - (0 if old is None else old.size)
            self._kept[key] = kept
            while self._size > self.budget:
                self._size -= self._kept.popitem(last=False)[1].size


def _key(job: Job) -> Hashable:
    """What a job asks, whatever the data."""
    windows = tuple(None if window is None or window.whole else window for window in job.plan.windows)
    plan = replace(job.plan, windows=windows)
    if isinstance(job, SurveyJob):
        return plan, tuple((key, _bytes(survey.among), survey.reach) for key, survey in job.surveys.items())
    return plan, tuple((_frame(frame), whole is None) for frame, whole in job.frames)


def _frame(frame: Frame) -> Hashable:
    axes = tuple((axis.dimension, _domain(axis.domain), axis.polarities) for axis in frame.axes)
    return axes, tuple((dimension, _domain(domain)) for dimension, domain in frame.singles)


def _domain(domain: Domain) -> Hashable:
    return domain.size, domain.first, _bytes(domain.chosen), domain.numbers, domain.texts, domain.direct


def _bytes(array: Ints | None) -> bytes | None:
    return None if array is None else array.tobytes()


def _kept(marks: frozenset[Mark], found: Found) -> _Kept:
    if isinstance(found, Tallies):
        partials = [partial for pair in found.partials for partial in pair if partial is not None]
        return _Kept(marks, _copied(found), 1_000 + sum(_size(partial) for partial in partials))
    held = {key: _sparse(survey) for key, survey in found.surveys.items()}
    return _Kept(marks, held, 1_000 + sum(_sparse_size(sparse) for sparse in held.values()))


def _recalled(kept: _Kept, job: Job) -> Found:
    if isinstance(kept.found, Tallies):
        return _copied(kept.found)
    assert isinstance(job, SurveyJob)  # noqa: S101 -- the key says so
    blank = job.blank()
    return SurveyJob(job.plan, {key: _dense(sparse, blank.surveys[key]) for key, sparse in kept.found.items()})


def _add(fresh: Found, found: Found) -> None:
    if isinstance(fresh, SurveyJob) and isinstance(found, SurveyJob):
        fresh.add(found)
    if isinstance(fresh, Tallies) and isinstance(found, Tallies):
        fresh.add(found)


def _copied(found: Tallies) -> Tallies:
    """The same figures in objects of their own, since adding to one of them gives it other arrays."""
    return Tallies([(copy(grouped), copy(whole)) for grouped, whole in found.partials])


def _size(partial: Partial) -> int:
    arrays = [partial.keys, partial.volume, partial.count, partial.net, partial.low, partial.high]
    held = {id(a): a.nbytes for a in [*arrays, *partial.sums.values(), *partial.histograms.values()] if a is not None}
    return sum(held.values())


def _sparse(survey: Survey) -> _Sparse:
    keys, codes = (np.flatnonzero(counts).astype(np.uint32) for counts in (survey.counts, survey.surplus))
    # Not an empty view, which would keep the whole array.
    nothing = np.zeros(0, np.uint32)
    bare = replace(survey, counts=nothing, surplus=nothing, numbers=_same(survey.numbers), buckets=set(survey.buckets))
    return _Sparse(bare, keys, survey.counts[keys], codes, survey.surplus[codes])


def _sparse_size(sparse: _Sparse) -> int:
    arrays = (sparse.keys, sparse.counts, sparse.codes, sparse.surplus)
    texts = sum(len(text) + 50 for text in sparse.survey.texts)
    return (
        sum(array.nbytes for array in arrays) + sparse.survey.numbers.nbytes + 60 * len(sparse.survey.buckets) + texts
    )


def _dense(sparse: _Sparse, blank: Survey) -> Survey:
    blank.counts[sparse.keys], blank.surplus[sparse.codes] = sparse.counts, sparse.surplus
    blank.numbers, blank.buckets = _same(sparse.survey.numbers), set(sparse.survey.buckets)
    blank.texts = list(sparse.survey.texts)
    return blank


def _same(numbers: NumberCounts) -> NumberCounts:
    """The same counts, to be added to; runs never change."""
    return NumberCounts(list(numbers.runs))
