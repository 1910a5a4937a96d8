"""The demo and the tools to write a feed, as commands that a stranger types."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from flows.demonstration import _bar
from tests.pipeline.servers import until
from tests.receiver import Reply, running_receiver

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "flows")
WIDTH = 80
PATIENCE = 420.0
pytestmark = pytest.mark.timeout(3 * PATIENCE)


def environment() -> dict[str, str]:
    """A terminal of 80 columns, and nothing of this machine's Prefect or pipeline."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "FEEDBACK_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def left_running(folder: Path) -> list[str]:
    """Processes that still speak of a folder, or work in it."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        told = " ".join(process.info["cmdline"] or [])
        if str(folder) in told or (process.info["cwd"] or "").startswith(str(folder)):
            found.append(told)
    return found


def documents(warehouse: Path) -> int:
    with closing(sqlite3.connect(warehouse)) as connection:
        return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


@pytest.mark.slow
def test_the_demo_ends_with_a_report_and_may_be_run_twice(tmp_path: Path) -> None:
    first, second = run(tmp_path, "demo"), run(tmp_path, "demo")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "425 documents, 7 rejected" in first.stdout
    assert re.search(r"criticism of\s+Checkout", first.stdout)
    assert "loaded before, so nothing was sent" in second.stdout
    assert documents(tmp_path / "demo" / "warehouse.db") == 425
    (page,) = re.findall(r"Report +(\S+index\.html)", second.stdout)
    assert (tmp_path / page).stat().st_size > 100_000
    assert not Path(page).is_absolute()
    assert [line for line in second.stdout.splitlines() if len(line) > WIDTH and "/" not in line] == []
    assert left_running(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    # Python may end by Ctrl-C's signal itself where that came amid an import; a shell calls both 130.
    ("sent", "codes"),
    [(signal.SIGINT, {130, -signal.SIGINT}), (signal.SIGTERM, {143})],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_demo_that_is_stopped_leaves_nothing_running(tmp_path: Path, sent: signal.Signals, codes: set[int]) -> None:
    # A shell lets what it runs in the background ignore Ctrl-C, and what that starts ignores it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [*COMMAND, "demo"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as demo:
        assert demo.stdout
        assert any("The service runs at" in line for line in demo.stdout)
        demo.send_signal(sent)
        told = demo.stdout.read()
        assert demo.wait(PATIENCE) in codes, told
    until(lambda: not left_running(tmp_path), 90)


@pytest.mark.slow
def test_what_a_user_can_mend_is_told_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("id,remark\n1,Good\n", "utf-8")
    (tmp_path / "visits.yaml").write_text("dataset: {name: v}\nexternal_id: {column: id}\ncontent: {columns: remark}\n")
    loaded = run(tmp_path, "load", "visits.yaml", "--source", "visits.csv")
    assert loaded.returncode == 2
    assert "FEEDBACK_PIPELINE_CLIENT_ID: is not set" in loaded.stderr
    assert "Traceback" not in loaded.stderr


@pytest.mark.slow
def test_a_load_that_is_stopped_while_the_service_fails_ends_at_once_and_leaves_nothing_running(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("id,remark\n1,Good\n", "utf-8")
    (tmp_path / "visits.yaml").write_text("dataset: {name: v}\nexternal_id: {column: id}\ncontent: {columns: remark}\n")
    with running_receiver() as broken:
        broken.replies(Reply(500))
        address = {"SERVICE_URL": broken.url.removesuffix("/events"), "CLIENT_ID": "a", "CLIENT_SECRET": "b"}
        given = {f"FEEDBACK_PIPELINE_{name}": value for name, value in address.items()}
        with subprocess.Popen(
            [*COMMAND, "load", "visits.yaml", "--source", "visits.csv"],
            cwd=tmp_path,
            env=environment() | given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as load:
            until(lambda: len(broken.received) > 2, PATIENCE)
            load.send_signal(signal.SIGTERM)
            assert load.wait(60) == 143
    until(lambda: not left_running(tmp_path), 90)


def test_a_drafted_feed_can_be_checked_as_it_is(tmp_path: Path) -> None:
    rows = [f'{n},"The till was slow, {n} minutes",{n % 11},2026-03-{n % 28 + 1:02}' for n in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["id,remark,score,day", *rows, ""]), "utf-8")
    drafted = run(tmp_path, "draft", "visits.csv")
    assert drafted.returncode == 0, drafted.stderr
    (tmp_path / "visits.yaml").write_text(drafted.stdout, "utf-8")
    checked = run(tmp_path, "check", "visits.yaml", "visits.csv")
    assert (checked.returncode, "60 rows: 60 documents, 0 rejected" in checked.stdout) == (0, True), checked.stderr


def test_a_file_with_too_many_bad_rows_fails_its_check(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("id,remark,score\n1,Good,9\n2,Bad,often\n", "utf-8")
    feed = "external_id: {column: id}\ncontent: {columns: remark}\nmetadata: {nps: {type: NPS, column: score}}\n"
    (tmp_path / "visits.yaml").write_text(f"dataset: {{name: visits}}\n{feed}", "utf-8")
    checked = run(tmp_path, "check", "visits.yaml", "visits.csv")
    assert checked.returncode == 1
    assert "rejected 1x: wrong_type" in checked.stdout


def test_a_file_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    drafted = run(tmp_path, "draft", "nowhere.csv")
    assert drafted.returncode == 1
    assert "nowhere.csv" in drafted.stderr
    assert "Traceback" not in drafted.stderr


def test_a_bar_below_zero_points_the_other_way_without_colour() -> None:
    above, below = (str(_bar(value)) for value in (50.0, -50.0))
    assert above.index("█") == len(below)
    assert below.strip() == above.strip()
