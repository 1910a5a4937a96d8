"""Surveys of terms that count only those that can be among the largest, by their ceilings.

The terms with the highest ceilings are counted first. As many as are asked for have then at least some number of
documents, and a term whose ceiling is under that number needs no counting. Those that tie with the last are counted,
since names decide between them. How many to count first is guessed from a few segments; a bad guess costs a second
round.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from feedback.aggregation.ceilings import Ceiling, Codes
from feedback.aggregation.kernel import SurveyJob
from feedback.aggregation.masks import population
from feedback.aggregation.partial import Ints
from feedback.aggregation.plan import Dimension, Plan, Terms, Window
from feedback.aggregation.snapshot import Snapshot
from feedback.aggregation.survey import Survey, empty_survey, matching_of

# So many segments are asked which share of the documents is selected.
SAMPLES = 8
# The last of the largest is expected to have at least this part of its ceiling times that share.
MARGIN = 0.7
# Where counting some would cost more than this share of counting all, all are counted, which takes no look-ups.
FEW = 0.9
# Looking a term up in a segment takes as long as counting so many mentions.
LOOK_UP = 200

Key = tuple[int, int]
Run = Callable[[SurveyJob], object]


@dataclass(frozen=True, slots=True)
class Leaders:
    """Surveys the dimensions of one plan. `ceiling(column)`: the bounds of its terms."""

    plan: Plan
    snapshot: Snapshot
    ceiling: Callable[[str], Ceiling]
    run: Run

    def survey(self, wanted: Mapping[Key, Dimension]) -> dict[Key, Survey]:
        """The surveys of some dimensions, by period and place."""
        # The same dimension of the same period is surveyed once, however often it stands in the request.
        first_of: dict[tuple[Window | None, Dimension], Key] = {}
        same = {key: first_of.setdefault((self.plan.windows[key[0]], wanted[key]), key) for key in wanted}
        found = self._known({key: wanted[key] for key in first_of.values()})
        return {key: found[same[key]] for key in wanted}

    def _known(self, wanted: Mapping[Key, Dimension]) -> dict[Key, Survey]:
        found: dict[Key, Survey] = {}
        asked: dict[Key, Survey] = {}
        for key, dimension in wanted.items():
            survey = empty_survey(self.snapshot, dimension)
            if isinstance(dimension, Terms) and matching_of(self.plan, dimension.column) is None:
                ceiling = self.ceiling(dimension.column)
                if self._everything(key) and ceiling.exact_for(self.snapshot):
                    found[key] = ceiling.survey
                    continue
                survey.among = self._first(key, dimension, ceiling)
            asked[key] = survey
        found |= self._asked(asked)
        again = {key: rest for key in asked if (rest := self._rest(found[key], wanted[key])) is not None}
        for key, survey in self._asked(again).items():
            if survey.among is not None:
                survey.add(found[key])
            found[key] = survey
        return found

    def _asked(self, surveys: dict[Key, Survey]) -> dict[Key, Survey]:
        if not surveys:
            return {}
        found = self.run(SurveyJob(self.plan, surveys))
        assert isinstance(found, SurveyJob)  # noqa: S101 -- what the runner gives for this job
        return found.surveys

    def _everything(self, key: Key) -> bool:
        window = self.plan.windows[key[0]]
        return self.plan.condition is None and self.plan.matching is None and (window is None or window.whole)

    def _first(self, key: Key, dimension: Terms, ceiling: Ceiling) -> Ints | None:
        """The codes to count first, None for all."""
        codes, bounds = ceiling.descending(dimension.opinions)
        if len(codes) <= dimension.limit:
            return None
        least = max(1.0, MARGIN * self._share(key) * int(bounds[dimension.limit - 1]))
        return self._worth(codes, bounds, dimension.limit, least, 0)

    def _share(self, key: Key) -> float:
        """About which share of the documents is selected."""
        parts = self.snapshot.parts[:: max(1, len(self.snapshot.parts) // SAMPLES)]
        living = 0
        for part in parts:
            found = population(part, self.plan, self.plan.windows[key[0]])
            living += found * part.documents if isinstance(found, bool) else int(np.count_nonzero(found))
        return living / max(1, sum(part.documents for part in parts))

    def _worth(self, codes: Codes, bounds: Codes, limit: int, least: float, begin: int) -> Ints | None:
        """The codes from `begin` whose ceiling is `least` or more, None where counting all of them takes less."""
        end = max(limit, len(bounds) - int(np.searchsorted(bounds[::-1], least)))
        cost = bounds[begin:end].sum() + (end - begin) * LOOK_UP * len(self.snapshot.parts)
        return None if cost > FEW * bounds.sum() else np.sort(codes[begin:end]).astype(np.int64)

    def _rest(self, survey: Survey, dimension: Dimension) -> Survey | None:
        """An empty survey for those that may yet be among the largest; None where there are none."""
        if survey.among is None or not isinstance(dimension, Terms):
            return None
        codes, bounds = self.ceiling(dimension.column).descending(dimension.opinions)
        least = _least(survey.by_term(dimension.opinions)[survey.among], dimension.limit)
        begin = len(survey.among)
        if begin == len(bounds) or bounds[begin] < least:
            return None
        rest = survey.blank()
        rest.among = self._worth(codes, bounds, dimension.limit, least, begin)
        return rest


def _least(totals: Ints, limit: int) -> int:
    """How many documents the last of the `limit` largest has; 1 where there are not so many."""
    return max(1, int(np.partition(totals, len(totals) - limit)[len(totals) - limit])) if len(totals) >= limit else 1
