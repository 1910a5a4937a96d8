"""The command line as its user meets it: real processes, real signals."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from tests.builders import make_document, wait_until
from tests.postgres import running_postgres
from tests.served import COMMAND, Served, run


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_analyses_an_import_and_leaves_no_process_behind(tmp_path: Path, number: int) -> None:
    served = Served(tmp_path)
    try:
        dataset_id = served.dataset()
        import_id = served.send(dataset_id, [make_document() for _ in range(300)])
        wait_until(lambda: served.state(dataset_id, import_id)["state"] == "COMPLETED")
        children = served.children()
    finally:
        served.end(number)
    assert len(children) >= 2
    wait_until(lambda: not any(child.is_running() for child in children))


@pytest.mark.slow
def test_a_killed_service_leaves_no_process_and_its_import_ends_after_the_restart(tmp_path: Path) -> None:
    served = Served(tmp_path, FEEDBACK_CHUNK_DOCUMENTS="64")
    dataset_id = served.dataset()
    import_id = served.send(dataset_id, [make_document(f"d{n}") for n in range(3000)])
    wait_until(lambda: served.state(dataset_id, import_id)["processedDocuments"] > 0)
    children = served.children()
    served.end(signal.SIGKILL)
    wait_until(lambda: not any(child.is_running() for child in children))
    again = Served(tmp_path, FEEDBACK_CLAIM_SECONDS="1")
    try:
        wait_until(lambda: again.state(dataset_id, import_id)["state"] == "COMPLETED")
        address = f"/v1/management/datasets/{dataset_id}/imports/{import_id}/documents"
        pages = [again.http.get(address, params={"page": p, "pageSize": 500}).json()["items"] for p in range(1, 7)]
        assert [item["externalId"] for page in pages for item in page] == [f"d{n}" for n in range(3000)]
    finally:
        again.end()


@pytest.mark.slow
def test_a_worker_killed_beside_the_api_is_started_again(tmp_path: Path) -> None:
    served = Served(tmp_path, FEEDBACK_CLAIM_SECONDS="1")
    try:
        wait_until(lambda: len(served.children()) >= 1)
        psutil.Process(served.process.pid).children()[0].kill()
        dataset_id = served.dataset()
        import_id = served.send(dataset_id, [make_document()])
        wait_until(lambda: served.state(dataset_id, import_id)["state"] == "COMPLETED")
    finally:
        served.end()


@pytest.mark.slow
def test_a_worker_that_dies_while_its_interpreter_is_replaced_is_started_once_that_is_there(tmp_path: Path) -> None:
    interpreter, log = tmp_path / "python", tmp_path / "log"
    interpreter.symlink_to(sys.executable)
    path = os.pathsep.join(part for part in sys.path if part)
    served = Served(tmp_path / "data", log, str(interpreter), PYTHONPATH=path, FEEDBACK_CLAIM_SECONDS="1")
    try:
        wait_until(lambda: len(served.children()) >= 1)
        interpreter.unlink()
        psutil.Process(served.process.pid).children()[0].kill()
        wait_until(lambda: "worker cannot be started" in log.read_text())
        interpreter.symlink_to(sys.executable)
        dataset_id = served.dataset()
        import_id = served.send(dataset_id, [make_document()])
        wait_until(lambda: served.state(dataset_id, import_id)["state"] == "COMPLETED")
    finally:
        served.end()


@pytest.mark.slow
def test_a_reply_on_an_open_connection_does_not_wait_for_an_acknowledgement(tmp_path: Path) -> None:
    served = Served(tmp_path)
    try:
        quickest = min(served.http.get("/livez").elapsed for _ in range(20))
    finally:
        served.end()
    # Where Nagle's algorithm holds what follows the headers, no reply takes less than 40 ms.
    assert quickest < timedelta(milliseconds=30)


@pytest.mark.slow
def test_a_wish_for_another_protocol_is_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "log"
    served = Served(tmp_path / "data", log)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    try:
        reply = served.http.get("/v1/nothing", headers=upgrade | {"Sec-WebSocket-Key": "A" * 22 + "=="})
    finally:
        served.end()
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (404, "not_found")
    assert "pip install" not in log.read_text()


@pytest.mark.slow
def test_a_worker_that_is_started_before_its_database_waits_for_it(tmp_path: Path) -> None:
    with running_postgres() as server:
        settings = {"FEEDBACK_DATABASE_URL": server.url(), "FEEDBACK_DATA_DIR": str(tmp_path)}
        assert run("migrate", **settings).returncode == 0
        server.stop()
        log = tmp_path / "log"
        with log.open("wb") as file:
            command = [*COMMAND, "worker", "--processes", "1"]
            worker = subprocess.Popen(command, stderr=file, env=os.environ | settings)
        try:
            wait_until(lambda: "the database does not answer" in log.read_text())
            server.start()
            wait_until(lambda: "worker starts" in log.read_text())
        finally:
            worker.terminate()
            worker.wait(60)


def test_clients_create_prints_one_line_of_credentials(tmp_path: Path) -> None:
    made = run("clients", "create", "--organisation", "Acme", "--json", "--data-dir", str(tmp_path))
    assert made.stdout.count("\n") == 1
    assert set(json.loads(made.stdout)) == {"clientId", "clientSecret"}


def test_what_the_command_writes_is_for_its_owner_alone(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup.db"
    run("clients", "create", "--organisation", "Acme", "--data-dir", str(data))
    run("backup", str(backup), "--data-dir", str(data))
    modes = {path.name: path.stat().st_mode & 0o077 for path in (data, data / "feedback.db", backup)}
    assert modes == {"data": 0, "feedback.db": 0, "backup.db": 0}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("backup", "{0}/backup.db", "--data-dir", "{0}/slip"), "FEEDBACK_DATA_DIR: there is no database {0}/slip/"),
        (("clients", "list", "--data-dir", "{0}/slip"), "FEEDBACK_DATA_DIR: there is no database {0}/slip/"),
        (("clients", "create", "--organisation", " ", "--data-dir", "{0}"), "--organisation: an organisation's name"),
        (("migrate", "--database-url", "postgresql+psycopg://u@127.0.0.1:1/x"), "the database fails: connection"),
        (("evaluate", "{0}/gold.tsv"), "{0}/gold.tsv: No such file"),
    ],
)
def test_what_a_command_cannot_do_is_told_in_one_line(tmp_path: Path, command: tuple[str, ...], words: str) -> None:
    done = run(*[part.format(tmp_path) for part in command])
    assert done.returncode != 0
    assert done.stderr.startswith(f"feedback: {words.format(tmp_path)}")
    assert not (tmp_path / "slip").exists()


def test_clients_can_be_listed_rotated_and_revoked(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path))
    made = json.loads(run("clients", "create", "--organisation", "Acme", "--scope", "read", "--json", *where).stdout)
    rotated = json.loads(run("clients", "rotate", made["clientId"], "--json", *where).stdout)
    assert rotated["clientSecret"] != made["clientSecret"]
    assert json.loads(run("clients", "list", "--json", *where).stdout)["liveSecrets"] == 2
    assert run("clients", "revoke", made["clientId"], *where).returncode == 0
    assert json.loads(run("clients", "list", "--json", *where).stdout)["liveSecrets"] == 0


def test_analyse_maps_lines_to_lines_and_keeps_their_ids() -> None:
    lines = '{"id": 7, "text": "The staff was lovely.", "stars": 5}\n\n{"id": "b", "text": ""}\n'
    done = run("analyse", "--lang", "en", text=lines)
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["id"] == 7
    assert {"term": "staff__NOUN__1", "opinion": "POSITIVE", "offset": {"begin": 4, "end": 9}} in first["enrichments"]
    assert (second["id"], second["enrichments"]) == ("b", [])


def test_a_line_that_cannot_be_read_is_named() -> None:
    done = run("analyse", text='{"id": 1, "text": "fine"}\n{"id": 2}\n')
    assert done.returncode == 2
    assert done.stderr == "feedback: line 2: a line is an object with a string named text\n"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FEEDBACK_PORT", "high", "FEEDBACK_PORT: Input should be a valid integer"),
        ("FEEDBACK_DATABASE_ULR", "x", "FEEDBACK_DATABASE_ULR: no such setting; FEEDBACK_DATABASE_URL is"),
        ("FEEDBACK_DATABASE_URL", "mysql://x", "FEEDBACK_DATABASE_URL: use sqlite:///PATH or postgresql+psycopg://"),
        ("FEEDBACK_DATABASE_URL", "postgresql+psycopg://u@127.0.0.1:1/x", "FEEDBACK_DATABASE_URL: the database cannot"),
        ("FEEDBACK_CLAIM_SECONDS", "-1", "FEEDBACK_CLAIM_SECONDS: Input should be greater than 0"),
        ("FEEDBACK_DATA_DIR", "/dev/null/x", "FEEDBACK_DATA_DIR: the directory /dev/null/x cannot be made"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_in_one_line(name: str, value: str, words: str) -> None:
    done = run("clients", "create", "--organisation", "Acme", **{name: value})
    assert done.returncode == 2
    assert done.stderr.startswith(f"feedback: {words}")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["serve", "api", "worker", "migrate", "analyse", "evaluate", "clients create"])
def test_help_shows_an_example(command: str) -> None:
    assert f"feedback {command}" in run(*command.split(), "--help", COLUMNS="200").stdout
