"""Runs a plan over parts: surveys where the largest values must be found first, then figures of every combination.

What runs on a part is a pure function of the part and of small picklable arguments, so that threads, and workers of a
cluster, can each take some of the parts and the results be added in any order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from feedback.aggregation.cube import cube_of
from feedback.aggregation.frame import Frame, nothing
from feedback.aggregation.masks import population
from feedback.aggregation.partial import Partial
from feedback.aggregation.plan import Plan, Window
from feedback.aggregation.selection import Selection
from feedback.aggregation.snapshot import Part
from feedback.aggregation.survey import Survey, take
from feedback.aggregation.tally import overfull, tally


@dataclass(slots=True)
class SurveyJob:
    """Dimensions to survey, by period: an empty survey for each, which is filled."""

    plan: Plan
    surveys: dict[tuple[int, int], Survey]

    def blank(self) -> "SurveyJob":
        """The same job with nothing surveyed yet, for another thread or worker."""
        return SurveyJob(self.plan, {key: survey.blank() for key, survey in self.surveys.items()})

    def add(self, other: "SurveyJob") -> None:
        """Take in what was surveyed on other parts."""
        for key, survey in other.surveys.items():
            self.surveys[key].add(survey)


@dataclass(slots=True)
class TallyJob:
    """Frames to fill, by period; the second of a pair is the whole population, None where the first says it."""

    plan: Plan
    frames: tuple[tuple[Frame, Frame | None], ...]


@dataclass(slots=True)
class Tallies:
    """The figures of a tally job: by period, those of its frames."""

    partials: list[tuple[Partial, Partial | None]]

    def add(self, other: "Tallies") -> None:
        """Take in the figures of other parts."""
        for (mine, my_whole), (theirs, their_whole) in zip(self.partials, other.partials, strict=True):
            mine.add(theirs)
            if my_whole is not None and their_whole is not None:
                my_whole.add(their_whole)


def survey_parts(parts: Sequence[Part], job: SurveyJob) -> SurveyJob:
    """Fill the job's surveys from some parts."""
    for part in parts:
        selections: dict[int, Selection] = {}
        for (period, place), survey in job.surveys.items():
            if period not in selections:
                selections[period] = population(part, job.plan, job.plan.windows[period])
            take(survey, part, job.plan, job.plan.dimensions[place], selections[period])
    return job


def tally_parts(parts: Sequence[Part], job: TallyJob) -> Tallies:
    """The figures of some parts."""
    return Tallies([_tally(parts, job.plan, *pair) for pair in zip(job.plan.windows, job.frames, strict=True)])


def _tally(
    parts: Sequence[Part], plan: Plan, window: Window | None, frames: tuple[Frame, Frame | None]
) -> tuple[Partial, Partial | None]:
    """The figures of one period, by its frame and of the whole."""
    frame, overall = frames
    cube = cube_of(parts, plan, frame)
    grouped, whole = nothing(frame), None if overall is None else nothing(overall)
    for part in parts:
        selection = population(part, plan, window)
        if cube is not None:
            cube.take(part, selection)
        else:
            grouped.add(tally(part, plan, frame, selection))
        if whole is not None and overall is not None:
            whole.add(tally(part, plan, overall, selection))
        if overfull(frame, grouped):
            break
    return grouped if cube is None else cube.partial(), whole
