"""Segments: what goes in comes out, through packing, compression and joining."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_struct

from feedback.store.segments import write
from feedback.store.segments.codes import existing_categories, existing_terms
from feedback.store.segments.decode import Floating, Packed, Segment
from feedback.store.segments.encode import compress, decompress, encode
from feedback.store.segments.join import join
from feedback.store.segments.loose import Decimals, Integers, Loose, decimals, numbers
from tests.aggregation.reference import Doc
from tests.aggregation.shelf import Shelf, as_rows
from tests.store.shelved import MONDAY, aggregator, part_of

finite = st.floats(allow_nan=False, allow_infinity=False)
human = st.decimals(-10_000, 10_000, places=2).map(float) | st.integers(-1000, 1000).map(float)


def stored_numbers(column: Integers | Decimals) -> list[float | None]:
    """The column's values after packing and unpacking."""
    packed = Segment(1, decompress(compress(encode(Loose(len(column.present), {"metadata.n": column})))))
    view = packed.columns["metadata.n"]
    if isinstance(view, Floating):
        return [None if math.isnan(v) else v for v in view.floats.tolist()]
    assert isinstance(view, Packed)
    power = 10**view.scale
    return [None if s == 0 else (s + view.base - 1) / power for s in view.stored.tolist()]


@settings(deadline=None)
@given(st.lists(st.none() | finite | human, min_size=1))
def test_every_number_comes_out_as_it_went_in(values: list[float | None]) -> None:
    assert stored_numbers(numbers(values)) == values


@settings(deadline=None)
@given(st.lists(finite | human, min_size=1), st.lists(st.none() | human, min_size=1))
def test_joined_numbers_come_out_as_they_went_in(first: list[float], second: list[float | None]) -> None:
    parts = [Loose(len(v), {"metadata.n": numbers(v)}) for v in (first, second)]
    column = join(parts).columns["metadata.n"]
    assert isinstance(column, Integers | Decimals)
    assert stored_numbers(column) == [*first, *second]


@given(finite)
def test_a_decimal_reads_back_as_its_double(value: float) -> None:
    column = decimals(np.array([value]))
    assert float(f"{int(column.digits[0])}e{-int(column.scales[0])}") == value


def test_amounts_with_cents_take_four_bytes_and_scores_one() -> None:
    amounts, scores = numbers([1234.56, 0.1, None]), numbers([0, 10, None])
    segment = Segment(1, encode(Loose(3, {"metadata.a": amounts, "metadata.s": scores})))
    assert [segment.columns[n].stored.itemsize for n in ("metadata.a", "metadata.s")] == [4, 1]  # type: ignore[union-attr]


def test_personal_data_never_enters_a_segment(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, [Doc("a", MONDAY, MONDAY, metadata={"phone": "0123", "nps": 3})])
    assert "metadata.phone" not in part_of(shelf, dataset).metas


def test_a_segment_holds_at_most_65536_documents(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    with shelf.engine.begin() as connection, pytest.raises(ValueError, match="1 to 65536 documents, not 0"):
        write(connection, dataset, as_rows([]))


def test_codes_of_a_chunk_that_was_rolled_back_are_not_used(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    fresh = as_rows([Doc(f"r{n}", MONDAY, MONDAY, terms=[("ghost__NOUN__1", "NEUTRAL")]) for n in range(3)])
    with shelf.engine.connect() as connection, connection.begin() as transaction:
        write(connection, dataset, fresh)
        write(connection, dataset, fresh)
        transaction.rollback()
    shelf.put(dataset, [Doc("a", MONDAY, MONDAY, terms=[("real__NOUN__1", "NEUTRAL"), ("ghost__NOUN__1", "POSITIVE")])])
    shelf.put(dataset, [Doc("b", MONDAY, MONDAY, terms=[("ghost__NOUN__1", "NEGATIVE")])])
    _, found = aggregator(shelf, None).search_terms(dataset, None)
    assert [(t["id"], t["occurrences"]) for t in found] == [("ghost__NOUN__1", 2), ("real__NOUN__1", 1)]


def test_of_texts_analysed_together_only_those_that_are_written_are_counted(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    docs = [
        Doc(f"d{n}", MONDAY, MONDAY, terms=[(f"t{n}__NOUN__1", "POSITIVE")] * n, topics=[(f"c{n}", f"C{n}", "NEUTRAL")])
        for n in range(5)
    ]
    findings = as_rows(docs).found[0][1]
    written = replace_struct(as_rows([docs[3], docs[1]]), found=[(n, findings) for n in (3, 1)])
    with shelf.engine.begin() as connection:
        write(connection, dataset, written)
        assert set(existing_terms(connection, dataset.id, [f"t{n}__NOUN__1" for n in range(5)])) == {
            "t1__NOUN__1",
            "t3__NOUN__1",
        }
        assert set(existing_categories(connection, dataset.id, "TOPICS", [f"c{n}" for n in range(5)])) == {"c1", "c3"}
    terms = part_of(shelf, dataset).postings("TERMS")
    assert terms is not None
    assert terms.rows.tolist() == [1, 0]
