"""Analysis on a real Dask cluster: a scheduler and workers as processes of their own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from feedback.analysis import Profile
from feedback.errors import Invalid
from feedback.processing.analysing import decode_findings
from feedback.processing.dask_executor import DaskExecutor
from feedback.processing.worker import Worker
from tests.builders import Running, make_document, wait_until

pytestmark = pytest.mark.slow


class Cluster:
    """A scheduler and two workers of one thread each, under their nannies."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "scheduler.json"
        arguments = ["--port", "0", "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(self._file)]
        self.processes = [self._start("dask_scheduler", *arguments)]
        wait_until(self._file.exists)
        self.workers = [self._worker(directory / f"w{number}") for number in range(2)]
        self.processes += self.workers

    @property
    def address(self) -> str:
        import json  # noqa: PLC0415

        return str(json.loads(self._file.read_text())["address"])

    def _worker(self, directory: Path) -> "subprocess.Popen[bytes]":
        where = ["--scheduler-file", str(self._file), "--local-directory", str(directory), "--host", "127.0.0.1"]
        return self._start("dask_worker", *where, "--nthreads", "1", "--nworkers", "1", "--no-dashboard")

    def _start(self, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("dask"))
    yield made
    made.close()


@pytest.fixture
def executor_on(cluster: Cluster) -> Iterator[DaskExecutor]:
    executor = DaskExecutor(cluster.address)
    wait_until(lambda: dict(executor._client.nthreads()) if executor._client else False)  # type: ignore[no-untyped-call]
    yield executor
    executor.close()


def test_a_slice_is_analysed_on_the_cluster(executor_on: DaskExecutor) -> None:
    found = executor_on.submit([("The staff was lovely.", "en", None)], Profile(lang="en")).result(90)
    assert decode_findings(found)[0][1].terms.names == ["staff__NOUN__1"]


def test_an_import_survives_a_node_that_is_killed_in_the_middle(
    on_sqlite: Running, cluster: Cluster, executor_on: DaskExecutor
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, *[make_document(f"d{n}") for n in range(4000)])
    worker = Worker(on_sqlite.settings, on_sqlite.engine, executor_on)
    worker._turn()
    # The nanny starts another in its place, as a cluster's operator would.
    for child in psutil.Process(cluster.workers[0].pid).children(recursive=True):
        child.kill()
    worker.work_off()
    record = on_sqlite.get_import(dataset_id, import_id)
    assert (record["state"], record["processedDocuments"], record["failedDocuments"]) == ("COMPLETED", 4000, 0)
    assert on_sqlite.count(dataset_id) == 4000


def test_a_scheduler_that_is_not_there_is_named() -> None:
    with pytest.raises(Invalid, match=r"FEEDBACK_DASK_SCHEDULER: the Dask scheduler at .* cannot be reached"):
        DaskExecutor("tcp://127.0.0.1:1", connect_seconds=1)
