"""What a process knows of segments that others count: the same answers, and nothing fetched that is not needed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from feedback.aggregation import Aggregator
from feedback.aggregation.loader import Distant
from feedback.aggregation.snapshot import Part
from feedback.domain.dataset import Dataset, MetadataDefinition, MetadataType
from feedback.errors import Invalid
from feedback.store.engine import open_engine, snapshot
from feedback.store.segments.cache import HEAD
from feedback.store.segments.layout import body_of, outline_in
from feedback.store.tables import segments
from tests.aggregation import strategies
from tests.aggregation.reference import DAY, Doc
from tests.aggregation.shelf import Shelf
from tests.aggregation.test_kernel_against_reference import EXAMPLES, chunks, erasures, fill, thorough
from tests.conftest import make_database
from tests.postgres import PostgresServer


def make_aggregator(shelf: Shelf, *, far: bool) -> Aggregator:
    """One that fetches a segment when its columns are needed, or all before."""
    made = Aggregator(shelf.engine, cache_dir=None, cache_bytes=0, threads=1)
    made.loader.distant = Distant(shelf.engine, 0) if far else None
    return made


def told(aggregator: Aggregator, dataset: Dataset, request: dict[str, Any], q: str | None) -> Any:
    try:
        return aggregator.aggregate(dataset, request, q)
    except Invalid as error:
        return error.problems


def parts_of(aggregator: Aggregator, dataset: Dataset) -> list[Part]:
    with snapshot(aggregator.engine) as connection, connection.begin():
        return list(aggregator.loader.snapshot(connection, dataset.id).parts)


def make_doc(n: int, **metadata: Any) -> Doc:
    return Doc(f"d{n}", n * DAY, n * DAY, metadata=metadata, terms=[(f"t{n}__NOUN__1", "NEGATIVE")])


@thorough(EXAMPLES // 8)
@given(data=st.data(), history=chunks, erased=erasures)
def test_outlines_plan_a_question_as_segments_do(
    shelf: Shelf, data: st.DataObject, history: list[list[Doc]], erased: set[str]
) -> None:
    dataset = shelf.dataset()
    fill(shelf, dataset, history, erased)
    far, near = make_aggregator(shelf, far=True), make_aggregator(shelf, far=False)
    for _ in range(2):
        request, q = data.draw(strategies.requests(dataset))
        assert told(far, dataset, request, q) == told(near, dataset, request, q)


@pytest.fixture
def dataset(shelf: Shelf) -> Dataset:
    """Six documents of as many days in three segments."""
    made = shelf.dataset()
    for start in (0, 2, 4):
        shelf.put(made, [make_doc(n, nps=n, amount=n / 4, store="Paris") for n in (start, start + 1)])
    return made


def test_segments_of_earlier_versions_tell_the_same_outlines(shelf: Shelf, dataset: Dataset) -> None:
    outlines = [part.outline for part in parts_of(make_aggregator(shelf, far=True), dataset)]
    with shelf.engine.begin() as connection:
        for part in parts_of(make_aggregator(shelf, far=True), dataset):
            mine = segments.c.id == part.id
            payload = connection.execute(segments.select().where(mine)).one().payload
            connection.execute(update(segments).where(mine).values(payload=bytes(body_of(payload))))
    assert [part.outline for part in parts_of(make_aggregator(shelf, far=True), dataset)] == outlines


def test_an_outline_of_very_many_columns_is_read_whole(shelf: Shelf) -> None:
    names = [f"number{n:03d}" for n in range(100)]
    dataset = shelf.dataset([MetadataDefinition(name, MetadataType.NUMBER) for name in names])
    shelf.put(dataset, [make_doc(1, **dict.fromkeys(names, 7.5))])
    with shelf.engine.connect() as connection:
        payload = connection.execute(segments.select().where(segments.c.dataset_id == dataset.id)).one().payload
    assert outline_in(payload[:HEAD]) is None
    assert f"metadata.{names[-1]}" in parts_of(make_aggregator(shelf, far=True), dataset)[0].outline.columns


def test_only_segments_that_lost_their_first_or_last_document_are_looked_into(shelf: Shelf, dataset: Dataset) -> None:
    shelf.erase(dataset, ["d0", "d3"])
    aggregator = make_aggregator(shelf, far=True)
    with snapshot(shelf.engine) as connection, connection.begin():
        found = aggregator.loader.snapshot(connection, dataset.id)
    assert found.created == (1 * DAY, 5 * DAY)
    assert ["segment" in vars(part) for part in found.parts] == [True, False, False]


def test_postgresql_tells_the_outlines_that_its_segments_have(postgres: PostgresServer) -> None:
    engine = open_engine(make_database(postgres))
    shelf = Shelf(engine)
    dataset = shelf.dataset()
    shelf.put(dataset, [make_doc(n, nps=n, store="Paris") for n in range(3)])
    far, near = (parts_of(make_aggregator(shelf, far=far), dataset) for far in (True, False))
    assert [part.outline for part in far] == [part.segment.outline for part in near]
    engine.dispose()
