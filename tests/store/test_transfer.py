"""Backup, restore and copy: what comes out the other end gives the same figures and goes on working."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from feedback.errors import Conflict, Invalid, NotFound
from feedback.processing.executors import AnalysisExecutor
from feedback.settings import Settings
from feedback.store import schema, transfer
from feedback.store.engine import open_engine
from tests.builders import Running, make_document, make_running, make_settings
from tests.conftest import make_database
from tests.postgres import PostgresServer
from tests.served import run

Json = dict[str, Any]
QUESTIONS: list[Json] = [
    {"field": "metadata.nps", "type": "NPS", "dimensions": [{"field": "createdAt", "group": "MONTH"}]},
    {"field": "TERMS", "dimensions": [{"field": "TERMS", "group": "POLARITY_ALL"}]},
    {"field": "externalId", "dimensions": [{"field": "metadata.nps", "group": "NPS_GROUP"}]},
]


def fill(running: Running) -> str:
    """A dataset with documents that were replaced and erased, an import that waits, a webhook and a topic."""
    dataset_id = running.dataset()
    texts = ["The staff was friendly.", "The queue was awful.", "Great coffee, rude staff."]
    batch = [make_document(f"d{n}", texts[n % 3], metadata=[{"code": "nps", "value": n % 11}]) for n in range(200)]
    running.load(dataset_id, *batch)
    running.load(dataset_id, make_document("d1", "The tea was great.", metadata=[{"code": "nps", "value": 10}]))
    running.http.delete(f"/v1/management/datasets/{dataset_id}/documents/d2")
    hook = {"url": "https://93.184.215.14/", "event": "ENDED_IMPORT"}
    running.http.post("/v1/management/webhooks", json=hook)
    topic = {"code": "tea", "terms": ["tea"]}
    running.http.post(f"/v1/management/datasets/{dataset_id}/topics", json=topic)
    running.send(dataset_id, make_document("waiting", "The staff was friendly."))
    return dataset_id


def figures(running: Running, dataset_id: str) -> list[Json]:
    """Everything a client can see of a dataset that is to survive the move."""
    base = f"/v1/management/datasets/{dataset_id}"
    asked = [running.http.post(f"/v1/aggregation/datasets/{dataset_id}/documents", json=body) for body in QUESTIONS]
    read = [running.http.get(address) for address in (base, f"{base}/imports", f"{base}/topics", f"{base}/erasures")]
    found = running.http.post(f"/v1/search/datasets/{dataset_id}/documents", params={"pageSize": 500})
    hooks = running.http.get("/v1/management/webhooks")
    replies = [*asked, *read, found, hooks]
    assert {reply.status_code for reply in replies} == {200}
    return [reply.json() for reply in replies]


def require_same(
    before: list[Json], dataset_id: str, settings: Settings, executor: AnalysisExecutor, token: str
) -> None:
    """The restored service tells the same to the same token, ends the import that waited, and takes another."""
    with make_running(settings, executor) as restored:
        restored.http.headers["Authorization"] = f"Bearer {token}"
        assert figures(restored, dataset_id) == before
        restored.work()
        assert restored.load(dataset_id, make_document("new"))["state"] == "COMPLETED"
        assert restored.count(dataset_id) == 201


def test_a_backup_restored_to_sqlite_gives_the_same_figures(
    running: Running, tmp_path: Path, executor: AnalysisExecutor
) -> None:
    dataset_id = fill(running)
    before, token = figures(running, dataset_id), running.token()
    file = tmp_path / "backup.db"
    transfer.back_up(running.engine, file)
    settings = make_settings(tmp_path / "restored")
    transfer.restore(file, settings.url)
    require_same(before, dataset_id, settings, executor, token)


def test_a_backup_restored_to_postgresql_gives_the_same_figures(
    running: Running, tmp_path: Path, executor: AnalysisExecutor, postgres: PostgresServer
) -> None:
    dataset_id = fill(running)
    before, token = figures(running, dataset_id), running.token()
    file = tmp_path / "backup.db"
    transfer.back_up(running.engine, file)
    settings = make_settings(tmp_path / "restored", database_url=make_database(postgres))
    transfer.restore(file, settings.url)
    require_same(before, dataset_id, settings, executor, token)


def test_a_copy_from_sqlite_to_postgresql_gives_the_same_figures(
    on_sqlite: Running, tmp_path: Path, executor: AnalysisExecutor, postgres: PostgresServer
) -> None:
    dataset_id = fill(on_sqlite)
    before, token = figures(on_sqlite, dataset_id), on_sqlite.token()
    settings = make_settings(tmp_path / "copied", database_url=make_database(postgres))
    transfer.copy(on_sqlite.engine, settings.url)
    require_same(before, dataset_id, settings, executor, token)


def test_a_backup_is_one_file_and_is_not_changed_by_its_restoration(on_sqlite: Running, tmp_path: Path) -> None:
    fill(on_sqlite)
    directory = tmp_path / "backups"
    directory.mkdir()
    transfer.back_up(on_sqlite.engine, directory / "one.db")
    before = (directory / "one.db").read_bytes()
    transfer.restore(directory / "one.db", make_settings(tmp_path / "restored").url)
    assert [path.name for path in directory.iterdir()] == ["one.db"]
    assert (directory / "one.db").read_bytes() == before


def test_a_backup_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    engine = open_engine(f"sqlite:///{old}")
    schema.upgrade(engine, "0001")
    engine.dispose()
    settings = make_settings(tmp_path / "restored")
    transfer.restore(old, settings.url)
    engine = open_engine(settings.url)
    assert schema.is_current(engine)
    engine.dispose()


def test_a_backup_never_overwrites_a_file(on_sqlite: Running, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("precious")
    with pytest.raises(Conflict, match="never written over"):
        transfer.back_up(on_sqlite.engine, file)
    assert file.read_text() == "precious"


def test_a_database_that_holds_data_is_not_restored_into(on_sqlite: Running, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    transfer.back_up(on_sqlite.engine, file)
    with pytest.raises(Conflict, match="holds data already"):
        transfer.restore(file, on_sqlite.settings.url)


def test_what_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear customer, " * 1000)
    sqlite3.connect(tmp_path / "other.db").close()
    url = make_settings(tmp_path / "restored").url
    for name in ("letter", "other.db"):
        with pytest.raises(Invalid, match="no backup"):
            transfer.restore(tmp_path / name, url)
    with pytest.raises(NotFound):
        transfer.restore(tmp_path / "nowhere", url)


@pytest.mark.slow
def test_the_commands_back_up_and_restore(on_sqlite: Running, tmp_path: Path) -> None:
    on_sqlite.dataset()
    file = str(tmp_path / "backup.db")
    made = run("backup", file, "--data-dir", str(on_sqlite.settings.data_dir))
    assert (made.returncode, made.stdout.startswith("Backed up to")) == (0, True), made.stderr
    restored = run("restore", file, "--data-dir", str(tmp_path / "restored"))
    assert restored.returncode == 0, restored.stderr
    again = run("restore", file, "--data-dir", str(tmp_path / "restored"))
    assert (again.returncode, "holds data already" in again.stderr) == (2, True)
    listed = run("clients", "list", "--json", "--data-dir", str(tmp_path / "restored"))
    assert '"organisation":"Acme"' in listed.stdout
