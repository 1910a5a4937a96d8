"""The way in: a request against a dataset in, a reply out, always of the dataset's latest committed state."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from feedback.aggregation.answer import Answerer
from feedback.aggregation.choices import Chooser
from feedback.aggregation.criteria import condition_of, without_terms
from feedback.aggregation.dictionary import Dictionary
from feedback.aggregation.kernel import SurveyJob, Tallies, TallyJob, survey_parts, tally_parts
from feedback.aggregation.plan import Measure, Plan, Window
from feedback.aggregation.reply import implicit_period, make_reply
from feedback.aggregation.resolve import Asked, RequestReader
from feedback.aggregation.loader import Loader
from feedback.aggregation.snapshot import Part, Snapshot
from feedback.domain.dataset import Dataset
from feedback.store.engine import snapshot
from feedback.store.segments.cache import SegmentCache

# Under this many documents a second thread costs more than it saves.
WORTH_A_THREAD = 200_000

Item = TypeVar("Item")
Result = TypeVar("Result")


class Aggregator:
    """Answers aggregations and searches of any dataset of one database. Safe to share between threads."""

    def __init__(
        self, engine: Engine, *, cache_dir: Path | None, cache_bytes: int, threads: int = cpu_count() or 1
    ) -> None:
        """`cache_dir` holds decoded segments (None: they are held in memory), at most `cache_bytes` of them."""
        self.engine = engine
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, "aggregation") if threads > 1 else None
        self.loader = Loader(SegmentCache(cache_dir, cache_bytes), self._map)

    def aggregate(self, dataset: Dataset, request: Mapping[str, Any], q: str | None = None) -> dict[str, Any]:
        """The reply to an aggregation request. Raises Invalid with every problem of the request."""
        with snapshot(self.engine) as connection, connection.begin():
            dictionary = self.loader.dictionary(dataset.id)
            asked = RequestReader(dataset, dictionary.classifiers(connection)).read(request, q)
            found = self.loader.snapshot(connection, dataset.id)
            plan = plan_of(asked, q, connection, dictionary, found)
            chooser = Chooser(connection, dictionary)
            answers = Answerer(plan, found, chooser, partial(self.run, found)).answer()
        periods = [sent for sent, _ in asked.periods] or [implicit_period(found)]
        return make_reply(asked.echo, periods, asked.names, plan, answers)

    def run(self, found: Snapshot, job: SurveyJob | TallyJob) -> SurveyJob | Tallies:
        """Run a job over all parts of a snapshot."""
        if isinstance(job, SurveyJob):
            jobs = [job.blank() for _ in range(self._shares(found))]
            surveyed: SurveyJob = self._sum(found, [partial(survey_parts, job=share) for share in jobs])
            return surveyed
        tallied: Tallies = self._sum(found, [partial(tally_parts, job=job)] * self._shares(found))
        return tallied

    def _shares(self, found: Snapshot) -> int:
        documents = sum(part.documents for part in found.parts)
        return max(1, min(self.threads, len(found.parts), documents // WORTH_A_THREAD))

    def _sum(self, found: Snapshot, functions: Sequence[Callable[[Sequence[Part]], Any]]) -> Any:
        shares = [found.parts[i :: len(functions)] for i in range(len(functions))]
        results = list(self._map(lambda work: work[0](work[1]), list(zip(functions, shares, strict=True))))
        for other in results[1:]:
            results[0].add(other)
        return results[0]

    def _map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        if self._pool is None or len(items) < 2:  # noqa: PLR2004 -- one item needs no pool
            return map(function, items)
        return self._pool.map(function, items)


def plan_of(asked: Asked, q: str | None, connection: Connection, dictionary: Dictionary, found: Snapshot) -> Plan:
    """The plan of a legal request: its names looked up in the dataset's dictionaries."""
    matching = None if q is None else dictionary.matching(connection, q)
    query = asked.query if q is None else without_terms(asked.query)
    everything = None if found.created is None else Window("createdAt", *found.created)
    windows: tuple[Window | None, ...] = tuple(window for _, window in asked.periods) or (everything,)
    return Plan(
        Measure(asked.operation, asked.field.name, asked.field.always),
        windows,
        condition_of(query, connection, dictionary),
        matching,
        asked.dimensions,
    )
