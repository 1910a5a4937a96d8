"""What the ledger knows at every moment, so that a crash at any of them loses nothing and doubles nothing."""

from datetime import timedelta

from feedback.client import Import
from tasks.warehouse import Warehouse
from tasks.warehouse.ledger import (
    Load,
    announce,
    begin_load,
    complete,
    find_import,
    finish_load,
    half_sent,
    loaded_before,
    manifest_of,
    note_collected,
    note_event,
    open_imports,
)

HOUR = timedelta(hours=1)
LOAD = Load("visits", "d1", "visits.csv", "hash")
MANIFEST = [("a", 2), ("b", 3)]


def started(import_id: str = "i1") -> Import:
    return Import(id=import_id, state="STARTED", total_documents=2)


def announced(warehouse: Warehouse, batch: int = 1) -> str:
    key = LOAD.key(batch, "body")
    assert announce(warehouse, LOAD, batch, key, MANIFEST) is None
    return key


def test_a_batch_is_known_before_it_is_posted(warehouse: Warehouse) -> None:
    announced(warehouse)
    assert [(entry.batch, entry.import_id, entry.state) for entry in half_sent(warehouse)] == [(1, None, "PENDING")]
    assert open_imports(warehouse) == []


def test_a_batch_that_may_have_been_posted_is_posted_again_under_the_same_key(warehouse: Warehouse) -> None:
    key = announced(warehouse)
    assert announce(warehouse, LOAD, 1, key, MANIFEST) is None
    assert len(half_sent(warehouse)) == 1


def test_a_completed_batch_names_its_import_instead(warehouse: Warehouse) -> None:
    key = announced(warehouse)
    complete(warehouse, key, started(), HOUR)
    assert announce(warehouse, LOAD, 1, key, MANIFEST) == "i1"
    assert [entry.import_id for entry in open_imports(warehouse)] == ["i1"]


def test_a_collected_import_is_open_no_more(warehouse: Warehouse) -> None:
    complete(warehouse, announced(warehouse), started(), HOUR)
    note_collected(warehouse, Import(id="i1", state="COMPLETED", total_documents=2), 2)
    assert open_imports(warehouse) == []


def test_a_young_import_is_left_alone_until_an_event_tells_of_it(warehouse: Warehouse) -> None:
    complete(warehouse, announced(warehouse), started(), HOUR)
    assert open_imports(warehouse, older_than=HOUR) == []
    assert note_event(warehouse, "i1")
    assert len(open_imports(warehouse, older_than=HOUR)) == 1


def test_an_event_about_an_unknown_import_changes_nothing(warehouse: Warehouse) -> None:
    assert not note_event(warehouse, "i9")


def test_an_import_knows_the_line_of_each_of_its_documents(warehouse: Warehouse) -> None:
    complete(warehouse, announced(warehouse), started(), HOUR)
    assert manifest_of(warehouse, "i1") == {"a": 2, "b": 3}
    entry = find_import(warehouse, "i1")
    assert entry is not None
    assert (entry.feed, entry.document_count) == ("visits", 2)


def test_a_file_counts_as_loaded_when_all_of_it_was_sent(warehouse: Warehouse) -> None:
    begin_load(warehouse, LOAD, rows=3, accepted=2, quarantine="q.jsonl", batches=1)
    assert not loaded_before(warehouse, LOAD)
    finish_load(warehouse, LOAD)
    assert loaded_before(warehouse, LOAD)


def test_a_higher_generation_is_another_load(warehouse: Warehouse) -> None:
    begin_load(warehouse, LOAD, rows=3, accepted=2, quarantine="", batches=1)
    finish_load(warehouse, LOAD)
    again = Load("visits", "d1", "visits.csv", "hash", generation=1)
    assert not loaded_before(warehouse, again)
    assert again.key(1, "body") != LOAD.key(1, "body")


def test_a_partition_is_loaded_whatever_its_file_holds_now(warehouse: Warehouse) -> None:
    first = Load("visits", "d1", "visits.csv", "hash", partition="2026-03")
    begin_load(warehouse, first, rows=1, accepted=1, quarantine="", batches=1)
    finish_load(warehouse, first)
    assert loaded_before(warehouse, Load("visits", "d1", "visits.csv", "changed", partition="2026-03"))
    assert not loaded_before(warehouse, Load("visits", "d1", "visits.csv", "changed", partition="2026-04"))


def test_the_same_file_elsewhere_is_the_same_load() -> None:
    assert Load("visits", "d1", "/other/place.csv", "hash").id == LOAD.id
