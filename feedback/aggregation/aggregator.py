"""The way in: a request against a dataset in, a reply out, always of the dataset's latest committed state."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine

from feedback.aggregation.answer import Answerer
from feedback.aggregation.choices import Chooser
from feedback.aggregation.cluster import Cluster
from feedback.aggregation.criteria import condition_of, without_terms
from feedback.aggregation.dictionary import Classifiers, Dictionary
from feedback.aggregation.kernel import SurveyJob, Tallies, TallyJob, survey_parts, tally_parts
from feedback.aggregation.loader import Distant, Loader
from feedback.aggregation.plan import Condition, Measure, Plan, Window
from feedback.aggregation.remembered import Remembered
from feedback.aggregation.reply import implicit_period, make_reply
from feedback.aggregation.resolve import Asked, RequestReader, read_search
from feedback.aggregation.rules import Operation
from feedback.aggregation.search import Listed, Listing, Order, SearchJob, candidates, page, term_page, term_survey
from feedback.aggregation.snapshot import Part, Snapshot
from feedback.aggregation.survey import empty_survey
from feedback.aggregation.working_memory import keep_working_memory
from feedback.domain.dataset import Dataset
from feedback.domain.query import Query
from feedback.store.engine import snapshot
from feedback.store.segments.cache import SegmentCache, SegmentGone
from feedback.store.segments.write import OPINIONS

# Under this many documents a second thread costs more than it saves.
WORTH_A_THREAD = 1_000_000
# A worker of a cluster may find that compaction has just replaced a segment; the next snapshot knows what by.
ATTEMPTS = 3
REMEMBER = 32 << 20

Item = TypeVar("Item")
Result = TypeVar("Result")


class Aggregator:
    """Answers aggregations and searches of any dataset of one database. Safe to share between threads."""

    def __init__(
        self,
        engine: Engine,
        *,
        cache_dir: Path | None,
        cache_bytes: int,
        threads: int = cpu_count() or 1,
        worth_a_thread: int = WORTH_A_THREAD,
        cluster: Cluster | None = None,
        remember_bytes: int = REMEMBER,
    ) -> None:
        """`cache_dir` holds decoded segments (None: they are held in memory), at most `cache_bytes` of them.

        `worth_a_thread`: how many documents a further thread is used for. `cluster`: where large datasets are asked.
        `remember_bytes`: how much is kept of what former questions found; 0 for nothing from one to the next.
        """
        keep_working_memory()
        self.remembered = Remembered(remember_bytes)
        self.cluster = cluster
        self.worth_a_thread = worth_a_thread
        self.engine = engine
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, "aggregation") if threads > 1 else None
        cache = SegmentCache(cache_dir, cache_bytes)
        self.loader = Loader(cache, self._map, None if cluster is None else Distant(engine, cluster.worth))

    def aggregate(self, dataset: Dataset, request: Mapping[str, Any], q: str | None = None) -> dict[str, Any]:
        """The reply to an aggregation request. Raises Invalid with every problem of the request."""
        reply: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.reply(dataset, request, q)))
        return reply

    def reply(self, dataset: Dataset, request: Mapping[str, Any], q: str | None = None) -> dict[str, Any]:
        """The same reply as `aggregate` gives, for `msgspec.json.encode` alone."""
        return self._latest(partial(self._aggregate, dataset, request, q))

    def _latest(self, answer: Callable[[Connection], Result]) -> Result:
        """An answer of the latest state: asked anew where compaction has taken away what the one before spoke of."""
        for _ in range(ATTEMPTS - 1):
            with suppress(SegmentGone):
                return self._asked(answer)
        return self._asked(answer)

    def _asked(self, answer: Callable[[Connection], Result]) -> Result:
        with snapshot(self.engine, few_pages=True) as connection, connection.begin():
            return answer(connection)

    def _aggregate(
        self, dataset: Dataset, request: Mapping[str, Any], q: str | None, connection: Connection
    ) -> dict[str, Any]:
        dictionary = self.loader.dictionary(dataset.id)
        asked = RequestReader(dataset, Classifiers(dictionary, connection)).read(request, q)
        found = self.loader.snapshot(connection, dataset.id)
        plan = plan_of(asked, q, connection, dictionary, found)
        ceilings = self.loader.ceilings(dataset.id)
        answers = Answerer(
            plan,
            found,
            Chooser(connection, dictionary),
            lambda column: ceilings.of(column, found, self.run),
            lambda job: self.remembered.run(found, job, self.run),
        ).answer()
        if not self.remembered.budget:
            self.forget()
        periods = [sent for sent, _ in asked.periods] or [implicit_period(found)]
        return make_reply(asked.echo, periods, asked.names, plan, answers)

    def forget(self) -> None:
        """Forget what former questions have left behind, so that the next one costs what a new one does."""
        self.loader.forget()
        self.remembered.forget()

    def search_documents(
        self,
        dataset: Dataset,
        query: Mapping[str, Any] | None,
        *,
        q: str | None = None,
        opinions: frozenset[str] | None = None,
        sort_by: str = "createdAt",
        descending: bool = False,
        offset: int = 0,
        limit: int = 20,
    ) -> tuple[int, list[str]]:
        """How many documents match, and the external ids of a page of them, by a date field."""

        def search(connection: Connection) -> tuple[int, list[str]]:
            plan, found = self._search_plan(connection, dataset, query, q, opinions=opinions, sort_by=sort_by)
            job = SearchJob(plan, _places(opinions), Order(sort_by, descending), offset + limit)
            total, listed = self._page(found, job, offset, limit)
            return total, [external_id.decode() for _, external_id in listed]

        return self._latest(search)

    def _page(self, found: Snapshot, job: SearchJob, offset: int, limit: int) -> tuple[int, list[Listed]]:
        cluster = self._cluster_for(found)
        if cluster is None:
            return page(self._map(partial(candidates, job=job), found.parts), offset, limit)
        listing: Listing = cluster.run(found, job)
        return listing.total, listing.first[offset:]

    def search_terms(
        self,
        dataset: Dataset,
        query: Mapping[str, Any] | None,
        *,
        q: str | None = None,
        opinions: frozenset[str] | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> tuple[int, list[dict[str, Any]]]:
        """How many terms occur in the matching documents, and a page of {id, label, occurrences}."""

        def search(connection: Connection) -> tuple[int, list[dict[str, Any]]]:
            plan, found = self._search_plan(connection, dataset, query, q, opinions=opinions)
            wanted = replace(plan, dimensions=(term_survey("TERMS", _places(opinions)),))
            job = SurveyJob(wanted, {(0, 0): empty_survey(found, wanted.dimensions[0])})
            surveyed = self.run(found, job)
            assert isinstance(surveyed, SurveyJob)  # noqa: S101 -- what running such a job gives
            counts = surveyed.surveys[0, 0].by_term(_places(opinions) or (0, 1, 2))
            return term_page(counts, connection, self.loader.dictionary(dataset.id), offset, limit)

        return self._latest(search)

    def _search_plan(
        self,
        connection: Connection,
        dataset: Dataset,
        query: Mapping[str, Any] | None,
        q: str | None,
        *,
        opinions: frozenset[str] | None,
        sort_by: str = "createdAt",
    ) -> tuple[Plan, Snapshot]:
        dictionary = self.loader.dictionary(dataset.id)
        read = read_search(dataset, Classifiers(dictionary, connection), query, q, opinions=opinions, sort_by=sort_by)
        condition, matching = _looked_up(read, q, connection, dictionary)
        nothing = Measure(Operation.COUNT, "externalId", always=True)
        return Plan(nothing, (None,), condition, matching), self.loader.snapshot(connection, dataset.id)

    def run(self, found: Snapshot, job: SurveyJob | TallyJob) -> SurveyJob | Tallies:
        """Run a job over all parts of a snapshot, on the cluster where there is one and the dataset is large enough."""
        cluster = self._cluster_for(found)
        if cluster is not None:
            answer: SurveyJob | Tallies = cluster.run(found, job)
            return answer
        if isinstance(job, SurveyJob):
            jobs = [job.blank() for _ in range(self._shares(found))]
            surveyed: SurveyJob = self._sum(found, [partial(survey_parts, job=share) for share in jobs])
            return surveyed
        tallied: Tallies = self._sum(found, [partial(tally_parts, job=job)] * self._shares(found))
        return tallied

    def _cluster_for(self, found: Snapshot) -> Cluster | None:
        far = self.cluster is not None and found.documents >= self.cluster.worth
        return self.cluster if far else None

    def _shares(self, found: Snapshot) -> int:
        return max(1, min(self.threads, len(found.parts), found.documents // self.worth_a_thread))

    def _sum(self, found: Snapshot, functions: Sequence[Callable[[Sequence[Part]], Any]]) -> Any:
        shares = [found.parts[i :: len(functions)] for i in range(len(functions))]
        results = list(self._map(lambda work: work[0](work[1]), list(zip(functions, shares, strict=True))))
        for other in results[1:]:
            results[0].add(other)
        return results[0]

    def _map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        if self._pool is None or len(items) < 2:
            return map(function, items)
        return self._pool.map(function, items)


def plan_of(asked: Asked, q: str | None, connection: Connection, dictionary: Dictionary, found: Snapshot) -> Plan:
    """The plan of a legal request: its names looked up in the dataset's dictionaries."""
    condition, matching = _looked_up(asked.query, q, connection, dictionary)
    everything = None if found.created is None else Window("createdAt", *found.created, whole=True)
    windows: tuple[Window | None, ...] = tuple(window for _, window in asked.periods) or (everything,)
    measure = Measure(asked.operation, asked.field.name, asked.field.always)
    return Plan(measure, windows, condition, matching, asked.dimensions)


def _looked_up(
    query: Query | None, q: str | None, connection: Connection, dictionary: Dictionary
) -> tuple[Condition | None, tuple[int, ...] | None]:
    """The query in codes, and the codes of the terms that q matches."""
    matching = None if q is None else dictionary.matching(connection, q)
    return condition_of(query if q is None else without_terms(query), connection, dictionary), matching


def _places(opinions: frozenset[str] | None) -> tuple[int, ...] | None:
    return tuple(sorted(OPINIONS.index(opinion) for opinion in opinions)) if opinions else None
