"""The schema's steps end where the tables say, on both databases."""

import threading
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, select, text

from feedback.domain.dataset import Dataset
from feedback.settings import Settings
from feedback.store import schema
from feedback.store.engine import open_engine
from feedback.store.segments.decode import Segment
from feedback.store.segments.encode import decompress
from feedback.store.segments.write import insert_packed, loosen, packed
from feedback.store.tables import instance, metadata, segments
from tests.aggregation.reference import Doc
from tests.aggregation.shelf import Shelf, as_rows, document_row


def test_the_steps_make_exactly_the_tables(settings: Settings) -> None:
    engine = open_engine(settings.url)

    def is_meant(item: Any, _: str, kind: str, reflected: bool, __: object) -> bool:  # noqa: FBT001  Alembic's call.
        """Alembic looks for the indexes of all databases on each."""
        return reflected or kind != "index" or item._ddl_if is None or item._ddl_if.dialect == engine.dialect.name

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": is_meant})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_database_keeps_its_identity_when_it_is_upgraded_again(settings: Settings) -> None:
    engine = open_engine(settings.url)
    with engine.begin() as connection:
        before = connection.execute(select(instance.c.id)).all()
    schema.upgrade(engine)
    with engine.begin() as connection:
        assert connection.execute(select(instance.c.id)).all() == before
    assert schema.is_current(engine)
    engine.dispose()


def test_a_new_database_may_be_upgraded_by_several_at_once(tmp_path: object) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/new.db")
    schema_errors: list[BaseException] = []

    def upgrade() -> None:
        try:
            schema.upgrade(engine)
        except BaseException as error:  # noqa: BLE001  The test shows whatever it is.
            schema_errors.append(error)

    threads = [threading.Thread(target=upgrade) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert schema_errors == []
    assert schema.is_current(engine)
    engine.dispose()


def test_documents_of_an_older_database_are_found_replaced_and_merged(settings: Settings) -> None:
    engine = open_engine(settings.url)
    dataset, (first, second) = fill_as_version_3(engine, ["abc", "de"])
    schema.upgrade(engine)
    shelf = Shelf(engine)
    assert shelf.places(dataset) == dict(
        zip([(first, 0), (first, 1), (first, 2), (second, 0), (second, 1)], "abcde", strict=True)
    )
    shelf.erase(dataset, ["b"])
    shelf.put(dataset, [Doc("d", 0, 0)])
    shelf.compact(dataset)
    assert [text for _, text in sorted(shelf.places(dataset).items())] == ["a", "c", "e", "d"] == texts(engine)
    engine.dispose()


def test_a_database_can_go_back_to_version_3(settings: Settings) -> None:
    engine = open_engine(settings.url)
    shelf = Shelf(engine)
    dataset = shelf.dataset()
    shelf.put(dataset, [Doc(external_id, 0, 0) for external_id in "abc"])
    shelf.put(dataset, [Doc(external_id, 0, 0) for external_id in "de"])
    shelf.erase(dataset, ["b"])
    shelf.compact(dataset)
    shelf.put(dataset, [Doc(external_id, 0, 0) for external_id in "af"])
    places = shelf.places(dataset)
    schema.downgrade(engine, "0003")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT segment_id, segment_row, external_id FROM documents")).all()
    assert {(segment, row): external_id for segment, row, external_id in rows} == places
    engine.dispose()


def fill_as_version_3(engine: Engine, held: list[str]) -> tuple[Dataset, list[int]]:
    """A dataset of the schema's version 3, whose documents name their segment and their row in it; and its segments."""
    made = []
    dataset = Shelf(engine).dataset()
    schema.downgrade(engine, "0003")
    with engine.begin() as connection:
        for external_ids in held:
            docs = [Doc(external_id, 0, 0) for external_id in external_ids]
            row = packed(loosen(connection, dataset, as_rows(docs)))
            segment = insert_packed(connection, dataset.id, row)
            made.append(segment)
            for place, doc in enumerate(docs):
                values = document_row(dataset, doc, segment, place)
                values |= {"segment_id": values.pop("run_id"), "segment_row": values.pop("run_row")}
                named = ", ".join(f":{name}" for name in values)
                connection.execute(text(f"INSERT INTO documents ({', '.join(values)}) VALUES ({named})"), values)
    return dataset, made


def texts(engine: Engine) -> list[str]:
    """The external ids that the one segment of a database holds, by row."""
    with engine.connect() as connection:
        (row,) = connection.execute(select(segments.c.id, segments.c.payload)).all()
    strings = Segment(row.id, decompress(row.payload)).strings("externalId")
    assert strings is not None
    return [value.decode() for value in strings.values()]
