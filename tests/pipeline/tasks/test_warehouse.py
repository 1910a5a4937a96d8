"""What the warehouse promises, in each of the three databases."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, func, select, text

from config.feed import Feed
from feedback.client import Document, Erasure
from tasks.warehouse import Warehouse
from tasks.warehouse.collection import Origin, merge
from tasks.warehouse.erasures import erased_until, follow
from tasks.warehouse.tables import document_topics, documents, enrichments, refused_documents
from tasks.warehouse.views import make_view

MakeDocument = Callable[..., Document]
LATER = datetime(2026, 3, 2, tzinfo=UTC)


def origin(import_id: str = "i1", **lines: int) -> Origin:
    return Origin("d1", "visits", import_id, "visits.csv", lines)


def count(warehouse: Warehouse, table: Table) -> int:
    with warehouse.read() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def document_of(warehouse: Warehouse, external_id: str) -> Any:
    with warehouse.read() as connection:
        return connection.execute(select(documents).where(documents.c.external_id == external_id)).one()


def test_a_document_keeps_its_moments_metadata_and_lineage(warehouse: Warehouse, make_document: MakeDocument) -> None:
    merge(warehouse, origin(a=7), [[make_document("a")]])
    row = document_of(warehouse, "a")
    assert row.updated_at == datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    assert row.metadata == {"nps": 9}
    assert (row._import_id, row._source_file, row._source_line) == ("i1", "visits.csv", 7)


def test_an_enrichment_keeps_the_surface_its_offset_slices(warehouse: Warehouse, make_document: MakeDocument) -> None:
    merge(warehouse, origin(), [[make_document("a")]])
    with warehouse.read() as connection:
        found = connection.execute(select(enrichments)).one()
    assert (found.label, found.opinion, found.surface) == ("staff", "POSITIVE", "staff")


def test_merging_twice_is_merging_once(warehouse: Warehouse, make_document: MakeDocument) -> None:
    for _ in range(2):
        merge(warehouse, origin(), [[make_document("a"), make_document("b")], [make_document("c")]])
    assert [count(warehouse, table) for table in (documents, enrichments, document_topics)] == [3, 3, 3]


def test_a_later_import_replaces_the_document_and_its_terms(warehouse: Warehouse, make_document: MakeDocument) -> None:
    merge(warehouse, origin("i1"), [[make_document("a")]])
    merge(warehouse, origin("i2"), [[make_document("a", "Closed", enrichments=[], updated_at=LATER)]])
    assert document_of(warehouse, "a").content == "Closed"
    assert count(warehouse, enrichments) == 0


def test_a_late_collection_does_not_bring_the_older_text_back(
    warehouse: Warehouse, make_document: MakeDocument
) -> None:
    merge(warehouse, origin("i2"), [[make_document("a", "New words", enrichments=[], updated_at=LATER)]])
    merge(warehouse, origin("i1"), [[make_document("a")]])
    assert document_of(warehouse, "a").content == "New words"
    assert count(warehouse, enrichments) == 0


def test_an_erased_document_goes_with_its_terms_and_topics(warehouse: Warehouse, make_document: MakeDocument) -> None:
    merge(warehouse, origin(), [[make_document("a"), make_document("b")]])
    assert follow(warehouse, "d1", [Erasure(external_id="a", erased_at=LATER)]) == 1
    assert [count(warehouse, table) for table in (documents, enrichments, document_topics)] == [1, 1, 1]


def test_what_was_refused_of_an_erased_id_goes_too(warehouse: Warehouse) -> None:
    refused = {"dataset_id": "d1", "import_id": "i1", "code": "not_allowed", "description": '"Jo" is not allowed'}
    with warehouse.write() as connection:
        warehouse.upsert(
            connection,
            refused_documents,
            [refused | {"position": 0, "external_id": "a"}, refused | {"position": 1, "external_id": "b"}],
        )
    follow(warehouse, "d1", [Erasure(external_id="a", erased_at=LATER)])
    assert count(warehouse, refused_documents) == 1


def test_an_erased_document_does_not_come_back_by_a_collection(
    warehouse: Warehouse, make_document: MakeDocument
) -> None:
    follow(warehouse, "d1", [Erasure(external_id="a", erased_at=LATER)])
    merge(warehouse, origin(), [[make_document("a")]])
    assert count(warehouse, documents) == 0


def test_a_document_imported_after_its_erasure_stays(warehouse: Warehouse, make_document: MakeDocument) -> None:
    merge(warehouse, origin(), [[make_document("a", updated_at=LATER)]])
    follow(warehouse, "d1", [Erasure(external_id="a", erased_at=LATER - timedelta(hours=1))])
    assert count(warehouse, documents) == 1


def test_erasures_are_asked_for_again_from_a_little_before_the_last(warehouse: Warehouse) -> None:
    follow(warehouse, "d1", [Erasure(external_id="a", erased_at=LATER)])
    since = erased_until(warehouse, "d1")
    assert since is not None
    assert since < LATER


def test_a_feeds_view_has_its_metadata_as_typed_columns(
    warehouse: Warehouse, make_document: MakeDocument, make_feed: Callable[..., Feed]
) -> None:
    merge(warehouse, origin(a=2), [[make_document("a")]])
    name = make_view(warehouse, make_feed(), "d1")
    with warehouse.read() as connection:
        row = connection.execute(text(f"SELECT external_id, nps + 1 AS more, day, _source_line FROM {name}")).one()
    assert tuple(row) == ("a", 10.0, None, 2)


def test_a_feeds_view_can_be_renewed_when_the_feed_has_grown(
    warehouse: Warehouse, make_feed: Callable[..., Feed]
) -> None:
    make_view(warehouse, make_feed(metadata={}), "d1")
    name = make_view(warehouse, make_feed(metadata={"created_at": {"type": "String", "constant": "x"}}), "d1")
    with warehouse.read() as connection:
        assert connection.execute(text(f"SELECT count(metadata_created_at) FROM {name}")).scalar_one() == 0


def test_codes_that_differ_in_case_alone_are_columns_of_their_own(
    warehouse: Warehouse, make_document: MakeDocument, make_feed: Callable[..., Feed]
) -> None:
    merge(warehouse, origin(), [[make_document("a")]])
    shops = {code: {"type": "String", "constant": code} for code in ("shop", "Shop", "SHOP", "metadata_shop")}
    name = make_view(warehouse, make_feed(metadata=shops), "d1")
    with warehouse.read() as connection:
        columns = connection.execute(text(f"SELECT * FROM {name}")).keys()
    assert len({column.lower() for column in columns}) == len(list(columns))
    assert sum("shop" in column.lower() for column in columns) == 4
