"""One plan asked of one snapshot: survey, choose, tally, and the figures that the reply shows, period by period."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from feedback.aggregation.ceilings import Ceiling
from feedback.aggregation.choices import Choice, Chooser, Item, fixed, stored_items
from feedback.aggregation.columns import Reach
from feedback.aggregation.domains import Domain
from feedback.aggregation.figures import Figures, collapsed, figures, volumes, volumes_at
from feedback.aggregation.frame import Frame
from feedback.aggregation.grid import Grid, grid_of
from feedback.aggregation.kernel import SurveyJob, Tallies, TallyJob
from feedback.aggregation.leaders import Leaders
from feedback.aggregation.partial import Ints, Partial
from feedback.aggregation.places import Places, is_spread
from feedback.aggregation.plan import (
    Buckets,
    Categories,
    Dimension,
    NpsGroups,
    Numbers,
    Plan,
    Polarities,
    Ranges,
    Terms,
)
from feedback.aggregation.rules import MAX_ITEMS
from feedback.aggregation.snapshot import Snapshot
from feedback.aggregation.spread import Axis
from feedback.aggregation.survey import Survey
from feedback.aggregation.tally import volume_alone
from feedback.aggregation.timeline import BucketItems, Stretch, bucket_domain, bucket_items, seen_buckets
from feedback.errors import Code, Invalid

WHOLE = Frame((), ())
NO_GRID = Grid(WHOLE, ())


@dataclass(frozen=True, slots=True)
class PeriodAnswer:
    """The figures of one period: of the whole (row 0 of `total`), and of combinations of `items`, row by row.

    `combinations` are their numbers among all combinations, the first dimension's items outermost.
    """

    total: Figures
    items: tuple[tuple[Item, ...], ...]
    rows: Figures
    combinations: Ints


@dataclass(slots=True)
class _Period:
    """What is known of a period while its question is worked on."""

    place: int
    stretches: dict[int, Stretch]
    laid_out: frozenset[int]
    surveys: dict[int, Survey]
    choices: dict[int, Choice]
    frame: Frame = WHOLE
    grid: Grid = NO_GRID


class Answerer:
    """Asks one plan of one snapshot."""

    def __init__(
        self,
        plan: Plan,
        snapshot: Snapshot,
        chooser: Chooser,
        ceiling: Callable[[str], Ceiling],
        run: Callable[[SurveyJob | TallyJob], object],
    ) -> None:
        """`ceiling(column)`: the bounds of its terms; `run(job)` runs a job over all parts and returns the sum."""
        self.plan = plan
        self.snapshot = snapshot
        self.chooser = chooser
        self.run = run
        self.leaders = Leaders(plan, snapshot, ceiling, run)
        self.places = Places(plan, snapshot)
        self.ranked = any(_is_ranked(d) for d in plan.dimensions)
        self.items = 0

    def answer(self) -> list[PeriodAnswer]:
        """The figures of every period. Raises Invalid where the reply would hold more than 100,000 items."""
        periods = [self._period(place) for place in range(len(self.plan.windows))]
        self._survey(periods)
        for period in periods:
            self._frame(period)
        frames = tuple(
            (WHOLE, None) if self._surveyed(p) else (p.frame, WHOLE if p.frame.axes else None) for p in periods
        )
        tallies = self.run(TallyJob(self.plan, frames))
        assert isinstance(tallies, Tallies)  # noqa: S101 -- what the runner gives for this job
        partials = [
            (self._from_survey(period), grouped) if self._surveyed(period) else (grouped, whole)
            for period, (grouped, whole) in zip(periods, tallies.partials, strict=True)
        ]
        return [self._answer(p, *pair) for p, pair in zip(periods, partials, strict=True)]

    def _surveyed(self, period: _Period) -> bool:
        """Whether the survey already says everything: the only dimension is of terms, and the value is the volume."""
        alone = len(self.plan.dimensions) == 1 and isinstance(self.plan.dimensions[0], Terms)
        return alone and volume_alone(self.plan, period.frame)

    def _from_survey(self, period: _Period) -> Partial:
        dimension, survey, chosen = self.plan.dimensions[0], period.surveys[0], period.choices[0].domain.chosen
        assert isinstance(dimension, Terms)  # noqa: S101 -- so the survey says everything
        assert chosen is not None  # noqa: S101 -- every choice of terms has it
        counts = survey.counts.astype(np.int64) if dimension.apart else survey.by_term(dimension.opinions)
        # As in a frame without singles, every second group is for documents outside the population.
        volume = np.zeros((len(chosen), period.frame.inner + 1), np.int64)
        volume[:, 0] = counts[chosen]
        return Partial(period.frame.groups, volume=volume.ravel(), count=volume.ravel())

    def _period(self, place: int) -> _Period:
        window = self.plan.windows[place]
        stretches = self.places.stretches(window)
        return _Period(place, stretches, self.places.laid_out(window, stretches), {}, {})

    def _survey(self, periods: Sequence[_Period]) -> None:
        wanted = {
            (p.place, i): d
            for p in periods
            for i, d in enumerate(self.plan.dimensions)
            if i not in p.laid_out and not isinstance(d, Ranges | NpsGroups)
        }
        for (place, i), survey in self.leaders.survey(wanted).items():
            periods[place].surveys[i] = survey

    def _frame(self, period: _Period) -> None:
        """Choose the domains of a period's dimensions and lay out its groups."""
        axes: dict[int, Axis] = {}
        singles: dict[int, tuple[Dimension, Domain]] = {}
        for i, dimension in enumerate(self.plan.dimensions):
            domain = self._domain(period, i, dimension)
            if isinstance(dimension, Polarities) and dimension.qualifies is not None:
                continue
            if is_spread(dimension):
                assert isinstance(dimension, Terms | Polarities | Ranges)  # noqa: S101 -- they alone are spread
                axes[i] = Axis(dimension, domain, self._qualifier(i))
            else:
                singles[i] = (dimension, domain)
        period.frame = Frame(tuple(axes.values()), tuple(singles.values()))
        period.grid = grid_of(self.plan.dimensions, period.frame, list(axes), list(singles))
        if period.frame.groups > 2**62:
            raise _too_many(period.frame.groups)

    def _qualifier(self, place: int) -> Polarities | None:
        found = (d for d in self.plan.dimensions if isinstance(d, Polarities) and d.qualifies == place)
        return next(found, None)

    def _domain(self, period: _Period, i: int, dimension: Dimension) -> Domain:
        if isinstance(dimension, Buckets):
            return bucket_domain(period.stretches[i], period.surveys.get(i))
        if i in period.laid_out and isinstance(dimension, Categories | Numbers):
            codes = self.places.pinned.get(dimension.column)
            size = (self.places.size(dimension, None) or 1) - 1
            return Domain(size, direct=True) if codes is None else Domain(size, chosen=codes)
        if isinstance(dimension, Ranges | NpsGroups):
            choice = fixed(dimension)
        else:
            choice = self.chooser.choose(dimension, period.surveys[i])
        period.choices[i] = choice
        return choice.domain

    def _answer(self, period: _Period, partial: Partial, whole: Partial | None) -> PeriodAnswer:
        total = figures(collapsed(partial, period.frame.inner) if whole is None else collapsed(whole, 1), _FIRST)
        if not self.plan.dimensions:
            return PeriodAnswer(total, (), figures(partial, _NONE), _NONE)
        listed = self._listed(period, partial)
        if not self.ranked:
            self._reserve(prod(len(items) for items in listed))
        items = tuple(b.items() if isinstance(b, BucketItems) else b for b in listed)
        groups, combinations = period.grid.combinations(items, partial)
        if self.ranked:
            kept = np.flatnonzero(volumes_at(partial, groups))
            self._reserve(len(kept))
            if len(kept) < len(groups):
                groups, combinations = groups[kept], combinations[kept]
        return PeriodAnswer(total, items, figures(partial, groups), combinations)

    def _reserve(self, items: int) -> None:
        self.items += items
        if self.items > MAX_ITEMS:
            raise _too_many(self.items)

    def _listed(self, period: _Period, partial: Partial) -> list[tuple[Item, ...] | BucketItems]:
        window = self.plan.windows[period.place]
        listed: list[tuple[Item, ...] | BucketItems] = []
        held = volumes(partial)
        for i, dimension in enumerate(self.plan.dimensions):
            if isinstance(dimension, Buckets):
                seen = self._seen(period, i, dimension, partial, held)
                domain = self._domain(period, i, dimension)
                listed.append(bucket_items(dimension, window, domain, seen, sparse=self.ranked))
            elif i in period.choices:
                listed.append(period.choices[i].items)
            elif isinstance(dimension, Numbers):
                base, scale, _ = self.snapshot.column(dimension.column).scores or (0, 0, 0)
                counts = period.grid.marginal(i, partial, held)[1:]
                survey = Survey(counts.astype(np.uint32), reach=Reach(scale, base, base + len(counts) - 1))
                listed.append(stored_items(self.chooser.choose(dimension, survey), base, scale))
            elif isinstance(dimension, Categories):
                counts = period.grid.marginal(i, partial, held)
                listed.append(self.chooser.laid_out(dimension, counts, self.places.pinned[dimension.column]).items)
        return listed

    def _seen(self, period: _Period, i: int, dimension: Buckets, partial: Partial, held: Ints) -> list[int]:
        if i in period.surveys:
            return sorted(period.surveys[i].buckets)
        if self.places.spread:
            stretch = period.stretches[i]
            return list(range(stretch.first, stretch.last + 1))
        counts = period.grid.marginal(i, partial, held)
        return seen_buckets(self._domain(period, i, dimension), np.flatnonzero(counts).tolist())


_FIRST: Ints = np.zeros(1, np.int64)
_NONE: Ints = np.zeros(0, np.int64)


def _is_ranked(dimension: Dimension) -> bool:
    """Whether combinations that are empty are left out because of it: DISTINCT and POLARITY_* do so."""
    return not isinstance(dimension, Buckets | Ranges | NpsGroups)


def _too_many(items: int) -> Invalid:
    message = f"the reply would hold {items} items or more, and may hold {MAX_ITEMS}; set limits, or ask for less"
    return Invalid(message, code=Code.TOO_MANY, field="dimensions")
