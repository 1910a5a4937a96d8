"""How a database is opened: what one process does to it must never hold up the others for long."""

import time

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from feedback.settings import Settings
from feedback.store.engine import open_engine, snapshot
from tests.conftest import make_database
from tests.postgres import PostgresServer

LOCK = text("UPDATE organisations SET name = name")


def test_the_locks_of_a_machine_that_is_gone_amid_a_transaction_are_given_free(postgres: PostgresServer) -> None:
    url = make_database(postgres)
    gone, here = open_engine(url, idle_seconds=0.3), open_engine(url)
    with here.begin() as connection:
        connection.execute(text("INSERT INTO organisations (id, name, created_at) VALUES (repeat('a', 24), 'Acme', 0)"))
    silent = gone.connect()
    silent.execute(LOCK)
    before = time.monotonic()
    with here.begin() as connection:
        connection.execute(LOCK)
    # By the idle time that all engines have, it would be a minute.
    assert time.monotonic() - before < 30
    with pytest.raises(DBAPIError, match="idle-in-transaction"):
        silent.execute(LOCK)
    silent.close()
    gone.dispose()
    here.dispose()


def test_options_given_in_the_url_are_kept(postgres: PostgresServer) -> None:
    engine = open_engine(make_database(postgres) + "&options=-c%20work_mem%3D1234kB")
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW work_mem")) == "1234kB"
        assert connection.scalar(text("SHOW idle_in_transaction_session_timeout")) == "1min"
    engine.dispose()


def test_an_error_of_the_database_does_not_repeat_what_it_was_given(sqlite_settings: Settings) -> None:
    engine = open_engine(sqlite_settings.url)
    insert = text("INSERT INTO organisations (id, name, created_at) VALUES (:id, 'Acme', NULL)")
    with pytest.raises(DBAPIError) as caught, engine.begin() as connection:
        connection.execute(insert, {"id": "what a customer wrote"})
    assert "what a customer wrote" not in str(caught.value)
    engine.dispose()


def test_what_is_deleted_from_an_sqlite_file_is_overwritten(sqlite_settings: Settings) -> None:
    engine = open_engine(sqlite_settings.url)
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA secure_delete")) == 1
    engine.dispose()


def test_a_reader_that_keeps_what_it_reads_leaves_few_pages_of_it_in_memory(sqlite_settings: Settings) -> None:
    engine = open_engine(sqlite_settings.url)
    for few_pages, kib in ((True, 256), (False, 2_000), (True, 256)):
        with snapshot(engine, few_pages=few_pages) as connection, connection.begin():
            assert connection.scalar(text("PRAGMA cache_size")) == -kib
    with engine.begin() as connection:
        assert connection.scalar(text("PRAGMA cache_size")) == -2_000
    engine.dispose()
