"""The worker: takes turns, survives what texts and other workers do to it, and never does a thing twice."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from sqlalchemy import Engine, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from feedback.analysis import Profile
from feedback.domain.dataset import Dataset
from feedback.processing.analysing import Texts
from feedback.processing.executors import LocalExecutor
from feedback.processing.worker import Worker
from feedback.store import claims
from feedback.store.chunks import LostClaim, commit_chunk
from feedback.store.datasets import find_dataset
from feedback.store.engine import open_engine
from feedback.store.imports import accept_import
from feedback.store.tables import datasets, documents, import_blocks, imports
from tests.builders import Running, make_document, wait_until
from tests.conftest import make_database
from tests.postgres import PostgresServer
from tests.processing.poison import HANGS, KILLS, SLOW, analyse_poison


@pytest.fixture(scope="module")
def poisonable() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(2, analyse_poison)
    yield executor
    executor.close()


class Robbed:
    """An executor during whose work another worker claims the imports and is gone at once, so many times."""

    def __init__(self, executor: LocalExecutor, engine: Engine, times: int) -> None:
        self.times = times
        self.isolations = 0
        self.width = executor.width
        self._executor = executor
        self._engine = engine

    def submit(self, texts: Texts, profile: Profile) -> "Future[bytes]":
        if self.times:
            self.times -= 1
            with self._engine.begin() as connection:
                connection.execute(update(imports).values(epoch=imports.c.epoch + 1))
        return self._executor.submit(texts, profile)

    def alone(self) -> "Robbed":
        self.isolations += 1
        return self

    def renew(self) -> None:
        self._executor.renew()

    def close(self) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("poison", [KILLS, HANGS])
def test_the_one_text_that_ends_or_hangs_its_process_is_an_error_and_the_others_are_analysed(
    on_sqlite: Running, poisonable: LocalExecutor, poison: str
) -> None:
    dataset_id = on_sqlite.dataset()
    sent = [make_document(f"d{n}") for n in range(12)]
    import_id = on_sqlite.send(dataset_id, *sent[:7], make_document("poison", poison), *sent[7:])
    settings = on_sqlite.settings.model_copy(update={"chunk_deadline_seconds": 2.0})
    Worker(settings, on_sqlite.engine, poisonable).work_off()
    record = on_sqlite.get_import(dataset_id, import_id)
    assert (record["state"], record["processedDocuments"]) == ("COMPLETED", 13)
    assert [(e["code"], e["externalId"], e["index"]) for e in record["errors"]] == [("analysis_failed", "poison", 7)]
    assert len(on_sqlite.documents(dataset_id, import_id)) == 12


@pytest.mark.slow
def test_a_text_that_takes_a_while_makes_its_chunk_late_and_is_analysed_all_the_same(
    on_sqlite: Running, poisonable: LocalExecutor
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, make_document("slow", SLOW), make_document())
    settings = on_sqlite.settings.model_copy(update={"chunk_deadline_seconds": 0.5})
    Worker(settings, on_sqlite.engine, poisonable).work_off()
    assert on_sqlite.get_import(dataset_id, import_id)["errors"] == []
    assert len(on_sqlite.documents(dataset_id, import_id)) == 2


def test_a_chunk_that_took_its_worker_down_before_is_isolated_at_once(
    on_sqlite: Running, poisonable: LocalExecutor
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, make_document("a"), make_document("b"))
    with on_sqlite.engine.begin() as connection:
        for _ in range(2):
            claims.record_attempt(connection, import_id, 0, 2)
    Worker(on_sqlite.settings, on_sqlite.engine, poisonable).work_off()
    assert len(on_sqlite.documents(dataset_id, import_id)) == 2


class Counting(LocalExecutor):
    """Real processes; counts how often a slice had to be run alone."""

    isolations = 0

    def alone(self) -> LocalExecutor:
        self.isolations += 1
        return super().alone()


def test_a_chunk_whose_worker_lost_its_claims_and_lives_is_not_suspected(
    on_sqlite: Running, poisonable: LocalExecutor
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, make_document("a"), make_document("b"))
    executor = Robbed(poisonable, on_sqlite.engine, times=4)
    Worker(on_sqlite.settings, on_sqlite.engine, executor).work_off()
    assert executor.times == 0
    assert executor.isolations == 0
    assert len(on_sqlite.documents(dataset_id, import_id)) == 2


def test_a_text_in_isolation_is_not_to_blame_for_claims_that_its_worker_lost(
    on_sqlite: Running, poisonable: LocalExecutor
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, make_document("a"), make_document("b"))
    with on_sqlite.engine.begin() as connection:
        for _ in range(2):
            claims.record_attempt(connection, import_id, 0, 2)
    executor = Robbed(poisonable, on_sqlite.engine, times=30)
    Worker(on_sqlite.settings, on_sqlite.engine, executor).work_off()
    assert executor.times == 0
    assert executor.isolations > 3
    assert on_sqlite.get_import(dataset_id, import_id)["errors"] == []


@pytest.mark.slow
def test_a_poisonous_chunk_leaves_the_chunks_behind_it_to_the_pool(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    sent = [make_document(f"d{n}") for n in range(1200)]
    import_id = on_sqlite.send(dataset_id, make_document("poison", KILLS), *sent)
    executor = Counting(1, analyse_poison)
    Worker(on_sqlite.settings, on_sqlite.engine, executor).work_off()
    executor.close()
    assert on_sqlite.get_import(dataset_id, import_id)["processedDocuments"] == 1201
    assert executor.isolations == 1, "the slice of the first chunk"


def test_a_small_import_behind_a_large_one_does_not_wait_for_it(running: Running) -> None:
    dataset_id = running.dataset()
    large = running.send(dataset_id, *[make_document() for _ in range(1500)])
    small = running.send(dataset_id, *[make_document() for _ in range(10)])
    running.work()
    ended = {i: running.get_import(dataset_id, i)["endedAt"] for i in (large, small)}
    started = running.get_import(dataset_id, large)["createdAt"]
    assert started < ended[small] < ended[large]


def test_a_chunk_may_replace_documents_and_bring_new_ones(running: Running) -> None:
    dataset_id = running.dataset()
    first = running.send(dataset_id, *[make_document(f"d{n}", f"Old text {n}") for n in range(6)])
    running.work()
    second = running.send(dataset_id, *[make_document(f"d{n}", f"New text {n}") for n in (9, 3, 8, 1)])
    running.work()
    assert [d["content"] for d in running.documents(dataset_id, first)] == [f"Old text {n}" for n in (0, 2, 4, 5)]
    assert [d["content"] for d in running.documents(dataset_id, second)] == [f"New text {n}" for n in (9, 3, 8, 1)]
    assert running.count(dataset_id) == 8


def test_what_is_done_is_deleted_block_by_block(running: Running) -> None:
    dataset_id = running.dataset()
    running.load(dataset_id, *[make_document() for _ in range(300)])
    with running.engine.connect() as connection:
        assert connection.execute(select(import_blocks)).first() is None


def test_a_worker_thought_dead_commits_nothing(running: Running) -> None:
    dataset_id = running.dataset()
    import_id = running.send(dataset_id, make_document())
    with running.engine.begin() as connection:
        zombie = claims.claim_next(connection, "zombie", -1, {})
        dataset = find_dataset(connection, dataset_id)
    assert zombie is not None
    assert isinstance(dataset, Dataset)
    running.work()
    with pytest.raises(LostClaim), running.engine.begin() as connection:
        commit_chunk(connection, zombie, dataset, end=1, analysed=[], errors=[], release=True)
    assert running.get_import(dataset_id, import_id)["processedDocuments"] == 1
    assert running.count(dataset_id) == 1


def test_a_transaction_that_a_silent_worker_left_open_is_ended_by_the_others(postgres: PostgresServer) -> None:
    url = make_database(postgres)
    frozen, ours = open_engine(url, application="frozen"), open_engine(url)
    with ours.begin() as connection:
        connection.execute(text("INSERT INTO organisations (id, name, created_at) VALUES ('o', 'Acme', 0)"))
        dataset = {"id": "d", "organisation_id": "o", "name": "n", "lang": "en", "type": "T", "industry": "I"}
        times = {"state": "ACTIVE", "created_at": 0, "updated_at": 0, "metadata_definitions": b"[]"}
        connection.execute(insert(datasets).values(dataset | times))
        batch = accept_import(connection, "d", None, 1, [(1, b"")])
    with ours.begin() as connection:
        assert claims.claim_next(connection, "frozen", -1, {}) is not None
    silent = frozen.connect()
    silent.execute(update(imports).values(updated_at=1))
    with ours.begin() as connection:
        assert claims.claim_next(connection, "other", 1000, {}) is None
        assert claims.evict_silent(connection, "other") == 1
    wait_until(lambda: _claimed(ours, "other") == batch.id)
    with pytest.raises(DBAPIError):
        silent.execute(update(imports).values(updated_at=2))
    silent.close()
    frozen.dispose()
    ours.dispose()


def _claimed(engine: Engine, worker: str) -> str | None:
    with engine.begin() as connection:
        claim = claims.claim_next(connection, worker, 1000, {})
    return claim.import_id if claim else None


def test_a_living_claim_keeps_other_workers_away(running: Running) -> None:
    dataset_id = running.dataset()
    import_id = running.send(dataset_id, make_document())
    with running.engine.begin() as connection:
        claims.claim_next(connection, "other", 60_000, {})
    running.work()
    assert running.get_import(dataset_id, import_id)["state"] == "STARTED"


def test_the_import_of_a_machine_that_is_gone_is_resumed_when_its_claim_runs_out(running: Running) -> None:
    dataset_id = running.dataset()
    import_id = running.send(dataset_id, make_document())
    with running.engine.begin() as connection:
        claims.claim_next(connection, "gone", 300, {})
    worker = running.worker(poll_seconds=0.05)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        wait_until(lambda: running.get_import(dataset_id, import_id)["state"] == "COMPLETED")
    finally:
        worker.stop()
        thread.join()


def test_a_stopped_worker_gives_its_claims_back(running: Running) -> None:
    dataset_id = running.dataset()
    import_id = running.send(dataset_id, *[make_document() for _ in range(3000)])
    worker = running.worker()
    thread = threading.Thread(target=worker.run)
    thread.start()
    wait_until(lambda: running.get_import(dataset_id, import_id)["processedDocuments"] > 0)
    worker.stop()
    thread.join()
    with running.engine.connect() as connection:
        assert connection.scalar(select(imports.c.claimed_by).where(imports.c.id == import_id)) is None
    running.work()
    assert running.get_import(dataset_id, import_id)["state"] == "COMPLETED"
    assert running.count(dataset_id) == 3000


def test_two_workers_share_what_waits_and_do_nothing_twice(running: Running) -> None:
    dataset_id = running.dataset()
    sent = [running.send(dataset_id, *[make_document() for _ in range(200)]) for _ in range(4)]
    threads = [threading.Thread(target=running.worker().work_off) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    running.work()
    records = [running.get_import(dataset_id, import_id) for import_id in sent]
    assert {(r["state"], r["processedDocuments"], r["failedDocuments"]) for r in records} == {("COMPLETED", 200, 0)}
    with running.engine.connect() as connection:
        assert len(connection.execute(select(documents.c.id)).all()) == running.count(dataset_id) == 800


def test_an_import_whose_blocks_are_damaged_fails_and_says_why(on_sqlite: Running) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, make_document())
    with on_sqlite.engine.begin() as connection:
        connection.execute(update(import_blocks).values(payload=b"damaged"))
    on_sqlite.work()
    record = on_sqlite.get_import(dataset_id, import_id)
    assert (record["state"], record["errors"][0]["code"]) == ("FAILED", "import_failed")
    assert "endedAt" in record


def test_the_import_of_a_deleted_dataset_ends_with_it(running: Running) -> None:
    dataset_id = running.dataset()
    running.send(dataset_id, *[make_document() for _ in range(100)])
    assert running.http.delete(f"/v1/management/datasets/{dataset_id}").status_code == 204
    running.work()
    assert running.http.get(f"/v1/management/datasets/{dataset_id}").status_code == 404
