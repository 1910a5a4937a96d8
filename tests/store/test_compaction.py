"""Compaction: which segments are merged, and that documents are found where their columns went."""

from threading import Thread
from typing import Any

from sqlalchemy import select

from feedback.store.segments.compaction import MAX_TINY, Source, choose, compact, gather, settle
from feedback.store.tables import documents, runs, segments, tombstones
from tests.aggregation.shelf import Shelf
from tests.store.shelved import aggregator, count, held, make_docs, part_of


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
