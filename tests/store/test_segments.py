"""Segments: what goes in comes out, through packing, compression, compaction and the local cache."""

import math
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_struct
from sqlalchemy import func, select

from feedback.aggregation import Aggregator
from feedback.aggregation.loader import Loader
from feedback.domain.dataset import Dataset
from feedback.store.engine import open_engine, snapshot
from feedback.store.segments import write
from feedback.store.segments.cache import SegmentCache, SegmentGone
from feedback.store.segments.codes import existing_categories, existing_terms
from feedback.store.segments.compaction import MAX_TINY, Source, choose, compact, gather, settle
from feedback.store.segments.decode import Floating, Packed, Segment
from feedback.store.segments.encode import compress, decompress, encode
from feedback.store.segments.join import join
from feedback.store.segments.loose import Decimals, Integers, Loose, decimals, numbers
from feedback.store.tables import documents, runs, segments, tombstones
from tests.aggregation.reference import DAY, Doc
from tests.aggregation.shelf import Shelf, as_rows

MONDAY = 19_000 * DAY
finite = st.floats(allow_nan=False, allow_infinity=False)
human = st.decimals(-10_000, 10_000, places=2).map(float) | st.integers(-1000, 1000).map(float)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """A shelf on a database of its own."""
    engine = open_engine(f"sqlite:///{tmp_path / 'feedback.db'}")
    yield Shelf(engine)
    engine.dispose()


def make_docs(count: int, first: int = 0) -> list[Doc]:
    return [
        Doc(f"d{n:05d}", MONDAY + n, MONDAY + n, metadata={"nps": n % 11}, terms=[(f"t{n % 50}__NOUN__1", "NEUTRAL")])
        for n in range(first, first + count)
    ]


def count(shelf: Shelf, table: Any) -> int:
    with shelf.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


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


def part_of(shelf: Shelf, dataset: Dataset) -> Segment:
    with snapshot(shelf.engine) as connection, connection.begin():
        return Loader(SegmentCache(None, 0)).snapshot(connection, dataset.id).parts[0].segment


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


def test_nothing_is_due_for_compaction_in_a_few_small_segments() -> None:
    assert choose([Source(n, 100, 0) for n in range(MAX_TINY - 1)]) == []


def test_enough_tiny_segments_are_merged() -> None:
    assert len(choose([Source(n, 100, 0) for n in range(MAX_TINY)])) == MAX_TINY


def test_documents_of_ordinary_chunks_are_moved_once() -> None:
    listed: list[Source] = []
    moved = 0
    for number in range(200):
        listed.append(Source(number, 500, 0))
        if chosen := choose(listed):
            moved += sum(s.documents for s in chosen)
            merged = Source(number, sum(s.documents for s in chosen), 0)
            listed = [*(s for s in listed if s not in chosen), merged]
    assert moved + sum(s.documents for s in listed if s.documents == 500) == 100_000


def test_small_segments_are_merged_when_they_fill_half_a_large_one() -> None:
    assert len(choose([Source(n, 5_000, 0) for n in range(7)])) == 7


def test_a_worn_segment_is_rewritten_alone() -> None:
    assert [s.id for s in choose([Source(1, 60_000, 12_000), Source(2, 65_536, 0)])] == [1]


def test_merged_segments_hold_at_most_65536_documents() -> None:
    chosen = choose([Source(n, 30_000, 0) for n in range(4)])
    assert [s.id for s in chosen] == [0, 1]


def test_compaction_moves_every_document_to_the_row_of_its_columns(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    for start in range(0, 40, 8):
        shelf.put(dataset, make_docs(8, start))
    shelf.put(dataset, make_docs(5, 10))
    shelf.erase(dataset, ["d00003", "d00039"])
    assert shelf.compact(dataset) == 6
    strings = part_of(shelf, dataset).strings("externalId")
    assert strings is not None
    assert {row: text.encode() for (_, row), text in shelf.places(dataset).items()} == dict(enumerate(strings.values()))
    assert (count(shelf, segments), count(shelf, tombstones)) == (1, 0)


def test_a_document_that_dies_during_compaction_stays_dead(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(10))
    shelf.put(dataset, make_docs(10, 10))
    gathered = gather(shelf.engine, dataset, eager=True)
    shelf.erase(dataset, ["d00007", "d00012"])
    assert settle(shelf.engine, dataset, gathered) == 2
    reply = aggregator(shelf, None).aggregate(dataset, {"field": "externalId"})
    assert reply["periods"][0]["total"] == {"value": 18, "volume": 18}
    assert count(shelf, tombstones) == 2


def test_documents_stay_found_when_what_was_merged_is_merged_again(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    for start in range(0, 40, 8):
        shelf.put(dataset, make_docs(8, start))
        shelf.erase(dataset, [f"d{start + 2:05d}", f"d{max(0, start - 5):05d}"])
        shelf.compact(dataset)
        shelf.put(dataset, make_docs(3, start))
    shelf.compact(dataset)
    strings = part_of(shelf, dataset).strings("externalId")
    assert strings is not None
    assert {row: text.encode() for (_, row), text in shelf.places(dataset).items()} == dict(enumerate(strings.values()))


def test_merging_leaves_the_documents_as_they_are(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    for start in range(0, 40, 8):
        shelf.put(dataset, make_docs(8, start))

    def rows() -> list[Any]:
        with shelf.engine.connect() as connection:
            return list(connection.execute(select(documents).order_by(documents.c.external_id)).all())

    before = rows()
    shelf.compact(dataset)
    assert rows() == before


def test_a_run_whose_last_document_is_gone_is_forgotten(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(4))
    shelf.put(dataset, make_docs(4, 10))
    shelf.put(dataset, make_docs(4))
    shelf.compact(dataset)
    assert count(shelf, runs) == 2


def test_two_compactions_at_once_merge_once(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    for start in range(0, 60, 6):
        shelf.put(dataset, make_docs(6, start))
    merged: list[int] = []
    threads = [Thread(target=lambda: merged.append(shelf.compact(dataset))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(merged) == 10
    assert aggregator(shelf, None).aggregate(dataset, {"field": "externalId"})["periods"][0]["total"]["value"] == 60


def test_a_dataset_of_erased_documents_compacts_to_nothing(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(4))
    shelf.erase(dataset, [d.external_id for d in make_docs(4)])
    assert shelf.compact(dataset) == 1
    assert count(shelf, segments) == 0


def test_a_segment_that_holds_an_erased_document_for_too_long_is_written_without_it(shelf: Shelf) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(40))
    shelf.erase(dataset, ["d00003"], at=1_000)
    assert compact(shelf.engine, dataset, erased_before=999) == 0
    assert "d00003" in held(shelf)
    assert compact(shelf.engine, dataset, erased_before=1_000) == 1
    assert held(shelf) == {doc.external_id for doc in make_docs(40)} - {"d00003"}
    assert compact(shelf.engine, dataset, erased_before=2_000) == 0


def test_the_copy_of_a_segment_that_was_written_anew_leaves_the_cache(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(40))
    asked = aggregator(shelf, tmp_path / "cache")
    for at, ids in ((1_000, ["d00003"]), (2_000, ["d00005"])):
        assert asked.aggregate(dataset, {"field": "externalId"})["periods"][0]["total"]["value"] > 0
        files_of(tmp_path / "cache")
        shelf.erase(dataset, ids, at=at)
        compact(shelf.engine, dataset, erased_before=at)
    asked.aggregate(dataset, {"field": "externalId"})
    (left,) = files_of(tmp_path / "cache")
    assert f"-{segment_of(shelf)}-" in left.name


def test_files_of_segments_that_are_no_more_leave_the_cache_with_the_next_question_of_any_dataset(
    shelf: Shelf, tmp_path: Path
) -> None:
    dataset, other = shelf.dataset(), shelf.dataset()
    shelf.put(dataset, make_docs(4))
    aggregator(shelf, tmp_path / "cache").aggregate(dataset, {"field": "externalId"})
    (file,) = files_of(tmp_path / "cache")
    os.utime(file, (time.time() - 100, time.time() - 100))
    shelf.erase(dataset, [doc.external_id for doc in make_docs(4)], at=1_000)
    compact(shelf.engine, dataset, erased_before=1_000)
    aggregator(shelf, tmp_path / "cache").aggregate(other, {"field": "externalId"})
    assert files_of(tmp_path / "cache") == []


def segment_of(shelf: Shelf) -> int:
    with shelf.engine.connect() as connection:
        return int(connection.execute(select(segments.c.id)).scalar_one())


def held(shelf: Shelf) -> set[str]:
    """The external ids that lie in segments, of living and dead documents."""
    with shelf.engine.connect() as connection:
        rows = connection.execute(select(segments.c.id, segments.c.payload)).all()
    columns = [Segment(row.id, decompress(row.payload)).strings("externalId") for row in rows]
    return {value.decode() for column in columns if column is not None for value in column.values()}


def aggregator(shelf: Shelf, directory: Path | None, budget: int = 2**30) -> Aggregator:
    return Aggregator(shelf.engine, cache_dir=directory, cache_bytes=budget, threads=1)


def files_of(directory: Path) -> list[Path]:
    """The cache's files, once those being published have their names."""
    deadline = time.monotonic() + 10
    while any(directory.glob("*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.01)
    return sorted(directory.glob("*.segment"))


NPS = {"field": "metadata.nps", "type": "AVG"}


def test_a_second_process_reads_the_cache_instead_of_the_database(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(20))
    expected = aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS)
    assert len(files_of(tmp_path / "cache")) == 1
    with shelf.engine.begin() as connection:
        connection.execute(segments.update().values(payload=b"unreadable"))
    assert aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS) == expected


@pytest.mark.parametrize("damage", [b"", b"FBSEG001", b"rubbish" * 100])
def test_a_damaged_cache_file_is_made_anew(shelf: Shelf, tmp_path: Path, damage: bytes) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(20))
    expected = aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS)
    files_of(tmp_path / "cache")[0].write_bytes(damage)
    assert aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS) == expected


def test_a_cache_file_of_an_earlier_version_is_made_anew_and_goes(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(20))
    expected = aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS)
    (file,) = files_of(tmp_path / "cache")
    earlier = file.rename(file.with_name(f"{file.stem.rpartition('-')[0]}-1.segment"))
    os.utime(earlier, (0, 0))
    assert aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS) == expected
    assert files_of(tmp_path / "cache") == [file]


def test_a_truncated_cache_file_is_made_anew(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(20))
    expected = aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS)
    (file,) = files_of(tmp_path / "cache")
    file.write_bytes(file.read_bytes()[:-64])
    assert aggregator(shelf, tmp_path / "cache").aggregate(dataset, NPS) == expected


def test_the_cache_keeps_to_its_budget_and_answers_stay_right(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    for start in range(0, 60, 20):
        shelf.put(dataset, make_docs(20, start))
    one = aggregator(shelf, tmp_path / "cache")
    one.aggregate(dataset, NPS)
    size = files_of(tmp_path / "cache")[0].stat().st_size
    shelf.put(dataset, make_docs(20, 60))
    small = aggregator(shelf, tmp_path / "cache", budget=size * 2)
    reply = small.aggregate(dataset, {"field": "externalId"})
    assert reply["periods"][0]["total"]["value"] == 80
    assert len(files_of(tmp_path / "cache")) <= 3


def test_a_cache_directory_that_cannot_be_written_costs_no_answer(shelf: Shelf, tmp_path: Path) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(20))
    one = aggregator(shelf, tmp_path / "cache")
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("a file stands where the directory was")
    assert one.aggregate(dataset, {"field": "externalId"})["periods"][0]["total"]["value"] == 20


def test_a_segment_that_compaction_took_away_is_reported_as_gone(shelf: Shelf) -> None:
    with snapshot(shelf.engine) as connection, connection.begin(), pytest.raises(SegmentGone):
        SegmentCache(None, 0).load(connection, [(999, "none")])


@pytest.mark.parametrize("change", ["put", "replace", "erase", "compact"])
def test_another_process_answers_from_the_latest_state_at_once(shelf: Shelf, tmp_path: Path, change: str) -> None:
    dataset = shelf.dataset()
    shelf.put(dataset, make_docs(10))
    shelf.put(dataset, make_docs(10, 10))
    reader = aggregator(shelf, tmp_path / "cache")
    reader.aggregate(dataset, NPS)
    if change == "put":
        shelf.put(dataset, make_docs(2, 30))
    elif change == "replace":
        shelf.put(dataset, [replace(d, metadata={"nps": 10}) for d in make_docs(3)])
    elif change == "erase":
        shelf.erase(dataset, ["d00001"])
    else:
        shelf.compact(dataset)
    fresh = aggregator(shelf, None).aggregate(dataset, NPS)
    assert reader.aggregate(dataset, NPS) == fresh
    assert fresh["periods"][0]["total"]["volume"] == {"put": 22, "replace": 20, "erase": 19, "compact": 20}[change]
