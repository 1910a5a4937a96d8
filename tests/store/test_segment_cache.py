"""The local cache of segments: what makes, damages and clears its files, and that answers stay right."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from feedback.store.engine import snapshot
from feedback.store.segments.cache import SegmentCache, SegmentGone
from feedback.store.segments.compaction import compact
from feedback.store.tables import segments
from tests.aggregation.shelf import Shelf
from tests.store.shelved import aggregator, files_of, make_docs, segment_of

NPS = {"field": "metadata.nps", "type": "AVG"}


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
