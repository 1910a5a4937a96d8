"""The kernel gives what the naive evaluator gives, on whatever history a dataset has had."""

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedback.aggregation import Aggregator
from feedback.domain.dataset import Dataset
from feedback.errors import Code, Invalid
from tests.aggregation import strategies
from tests.aggregation.reference import Doc, TooLong, World, evaluate
from tests.aggregation.shelf import Shelf, make_world

EXAMPLES = int(os.environ.get("AGGREGATION_EXAMPLES", "120"))
QUESTIONS = 8

thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES <= 1000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
chunks = st.lists(st.lists(strategies.docs(), min_size=1, max_size=12, unique_by=lambda d: d.external_id), max_size=5)


def fill(shelf: Shelf, dataset: Dataset, history: list[list[Doc]], erased: set[str]) -> list[Doc]:
    """Stores the history chunk by chunk and returns the documents that live at its end."""
    living: dict[str, Doc] = {}
    for chunk in history:
        shelf.put(dataset, chunk)
        for doc in chunk:
            living.pop(doc.external_id, None)
            living[doc.external_id] = doc
    shelf.erase(dataset, erased & set(living))
    return [doc for doc in living.values() if doc.external_id not in erased]


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


@thorough
@given(data=st.data(), history=chunks, erased=st.sets(st.sampled_from(["id1", "id2", "id3", "Ünï"])))
def test_every_answer_equals_the_naive_one(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    world = make_world(fill(shelf, dataset, history, erased))
    aggregator = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    for _ in range(QUESTIONS):
        request, q = data.draw(strategies.requests(dataset))
        assert told(aggregator, dataset, request, q) == expected(world, request, q)
