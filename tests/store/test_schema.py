"""The schema's steps end where the tables say, on both databases."""

import threading
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select

from feedback.settings import Settings
from feedback.store import schema
from feedback.store.engine import open_engine
from feedback.store.tables import instance, metadata


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
