"""The kernel gives what the naive evaluator gives, whatever history a dataset has had.

`AGGREGATION_EXAMPLES=5000 pytest tests/aggregation/test_kernel_against_reference.py` asks some 60,000 random questions.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from feedback.aggregation import Aggregator, counting, domains, leaders, places, spread, tally
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from feedback.store.engine import open_engine
from tests.aggregation import strategies
from tests.aggregation.reference import Doc, TooLong, World, evaluate, label_of, matches, pairs_of, without_terms
from tests.aggregation.shelf import Shelf, make_world
from tests.conftest import make_database
from tests.postgres import PostgresServer

EXAMPLES = int(os.environ.get("AGGREGATION_EXAMPLES", "80"))
QUESTIONS = 4
# As many questions as were asked for take as long as they take.
pytestmark = [pytest.mark.timeout(0)] if "AGGREGATION_EXAMPLES" in os.environ else []


def thorough(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize="AGGREGATION_EXAMPLES" not in os.environ,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


chunks = st.lists(st.lists(strategies.docs(), min_size=1, max_size=12, unique_by=lambda d: d.external_id), max_size=5)
erasures = st.sets(st.sampled_from(["id1", "id2", "id3", "Ünï"]))


def fill(shelf: Shelf, dataset: Dataset, history: list[list[Doc]], erased: set[str]) -> list[Doc]:
    """Stores the history chunk by chunk and returns the documents that live at its end."""
    living: dict[str, Doc] = {}
    for chunk in history:
        shelf.put(dataset, chunk)
        living |= {doc.external_id: doc for doc in chunk}
    shelf.erase(dataset, erased & set(living))
    return [doc for doc in living.values() if doc.external_id not in erased]


def make_aggregator(shelf: Shelf, threads: int = 1) -> Aggregator:
    return Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=threads, worth_a_thread=1)


@contextmanager
def as_if_large(full: float) -> Iterator[None]:
    """The ways that large datasets are counted in, taken by a small one; `full`: documents to a cell of a cube."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "CUBE", 2)
        patch.setattr(places, "FULL", full)
        patch.setattr(tally, "MAX_CELLS", 4)
        patch.setattr(tally, "FEW", 1)
        patch.setattr(spread, "AT_ONCE", 5)
        patch.setattr(domains, "SMALL_TABLE", 0)
        patch.setattr(counting, "WORTH_LANES", 0)
        patch.setattr(leaders, "MARGIN", 3)
        patch.setattr(leaders, "LOOK_UP", 0)
        patch.setattr(leaders, "FEW", 10)
        yield


def told(aggregator: Aggregator, dataset: Dataset, request: dict[str, Any], q: str | None) -> Any:
    """The reply, or the code of the error."""
    try:
        return aggregator.aggregate(dataset, request, q)
    except Invalid as error:
        return error.code


def expected(world: World, request: dict[str, Any], q: str | None) -> Any:
    try:
        return evaluate(world, request, q)
    except TooLong:
        return Code.TOO_MANY


@thorough(EXAMPLES)
@given(data=st.data(), history=chunks, erased=erasures)
def test_every_answer_equals_the_naive_one_before_and_after_compaction(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    world = make_world(fill(shelf, dataset, history, erased))
    aggregator = make_aggregator(shelf)
    asked = [data.draw(strategies.requests(dataset)) for _ in range(QUESTIONS)]
    for request, q in asked:
        assert told(aggregator, dataset, request, q) == expected(world, request, q)
    shelf.compact(dataset)
    aggregator.loader.cache.bitmaps = data.draw(st.integers(0, 3))
    for request, q in [*asked, *(data.draw(strategies.requests(dataset)) for _ in range(QUESTIONS))]:
        with as_if_large(full=data.draw(st.sampled_from((4, 0.001)))):
            assert told(aggregator, dataset, request, q) == expected(world, request, q)


@thorough(EXAMPLES // 4)
@given(data=st.data(), history=chunks, erased=erasures)
def test_a_question_asked_again_counts_what_has_come_and_gone_since(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    aggregator = make_aggregator(shelf)
    asked = [data.draw(strategies.requests(dataset)) for _ in range(2)]
    living: dict[str, Doc] = {}
    for chunk in history:
        shelf.put(dataset, chunk)
        living |= {doc.external_id: doc for doc in chunk}
        for request, q in asked:
            assert told(aggregator, dataset, request, q) == expected(make_world(living.values()), request, q)
    shelf.erase(dataset, erased & set(living))
    left = [doc for doc in living.values() if doc.external_id not in erased]
    for _ in range(2):
        for request, q in asked:
            assert told(aggregator, dataset, request, q) == expected(make_world(left), request, q)
        shelf.compact(dataset)


@thorough(EXAMPLES // 4)
@given(data=st.data(), docs=st.lists(strategies.docs(), max_size=30, unique_by=lambda d: d.external_id))
def test_segmentation_order_and_threads_do_not_change_a_figure(
    shelf: Shelf, data: st.DataObject, docs: list[Doc]
) -> None:
    request, q = data.draw(strategies.requests(shelf.dataset()))
    shuffled = data.draw(st.permutations(docs))
    size = data.draw(st.integers(1, 30))
    replies = []
    for ordered, step, threads in ((docs, 30, 1), (shuffled, size, 1), (docs, max(1, size // 2), 3)):
        dataset = shelf.dataset()
        for start in range(0, len(ordered), step):
            shelf.put(dataset, ordered[start : start + step])
        replies.append(told(make_aggregator(shelf, threads), dataset, request, q))
    assert replies[0] == replies[1] == replies[2] == expected(make_world(docs), request, q)


@thorough(EXAMPLES // 2)
@given(data=st.data(), history=chunks, erased=erasures)
def test_found_documents_are_those_the_naive_query_matches_in_order(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    living = fill(shelf, dataset, history, erased)
    if data.draw(st.booleans()):
        shelf.compact(dataset)
    query, q, opinions = data.draw(searches(dataset))
    sort_by, descending = data.draw(st.sampled_from(("createdAt", "metadata.when"))), data.draw(st.booleans())
    offset, limit = data.draw(st.integers(0, 8)), data.draw(st.integers(1, 10))
    total, page = make_aggregator(shelf).search_documents(
        dataset, query, q=q, opinions=opinions, sort_by=sort_by, descending=descending, offset=offset, limit=limit
    )
    found = selected(make_world(living), query, q, opinions)
    ordered = sorted(found, key=lambda d: sort_key(d, sort_by, descending=descending))
    assert total == len(found)
    assert page == [d.external_id for d in ordered[offset : offset + limit]]


@thorough(EXAMPLES // 2)
@given(data=st.data(), history=chunks, erased=erasures)
def test_found_terms_are_counted_as_the_naive_loop_counts_them(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    living = fill(shelf, dataset, history, erased)
    query, q, opinions = data.draw(searches(dataset))
    offset, limit = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 6))
    total, items = make_aggregator(shelf).search_terms(
        dataset, query, q=q, opinions=opinions, offset=offset, limit=limit
    )
    held: dict[str, int] = {}
    for doc in selected(make_world(living), query, q, None):
        for term in {t for t, _, o in pairs_of(doc, "TERMS", q) if opinions is None or o in opinions}:
            held[term] = held.get(term, 0) + 1
    ranked = sorted(held, key=lambda t: (-held[t], label_of(t), t))[offset : offset + limit]
    assert total == len(held)
    assert items == [{"id": t, "label": label_of(t), "occurrences": held[t]} for t in ranked]


@st.composite
def searches(draw: st.DrawFn, dataset: Dataset) -> tuple[dict[str, Any] | None, str | None, frozenset[str] | None]:
    """A query, q and opinions."""
    query = draw(st.none() | strategies.queries(strategies.fields_of(dataset)))
    opinions = draw(st.none() | st.frozensets(strategies.opinions, min_size=1))
    return query, draw(st.none() | st.sampled_from(strategies.QS)), opinions


def selected(world: World, query: Any, q: str | None, opinions: frozenset[str] | None) -> list[Doc]:
    if q is not None and query:
        query = without_terms(query)
    found = [d for d in world.docs if matches(world, d, query) and (q is None or pairs_of(d, "TERMS", q))]
    return [d for d in found if opinions is None or any(p[2] in opinions for p in pairs_of(d, "TERMS", q))]


def sort_key(doc: Doc, sort_by: str, *, descending: bool) -> tuple[bool, int, str]:
    value = doc.created_at if sort_by == "createdAt" else doc.metadata.get("when")
    return (value is None, 0 if value is None else -value if descending else value, doc.external_id)


@pytest.fixture
def postgres_shelf(postgres: PostgresServer) -> Iterator[Shelf]:
    """A shelf on PostgreSQL."""
    engine = open_engine(make_database(postgres))
    yield Shelf(engine)
    engine.dispose()


def test_postgresql_gives_the_same_answers(postgres_shelf: Shelf) -> None:
    @thorough(max(10, EXAMPLES // 8))
    @given(data=st.data(), history=chunks, erased=erasures)
    def check(data: st.DataObject, history: list[list[Doc]], erased: set[str]) -> None:
        dataset = postgres_shelf.dataset()
        world = make_world(fill(postgres_shelf, dataset, history, erased))
        aggregator = make_aggregator(postgres_shelf)
        for _ in range(2):
            request, q = data.draw(strategies.requests(dataset))
            assert told(aggregator, dataset, request, q) == expected(world, request, q)
            postgres_shelf.compact(dataset)

    check()
