"""PostgreSQL killed under load: nothing acknowledged is lost, and the service recovers by itself.

    python benchmarks/reliability/kill_postgres.py --rounds 10

Kill -9 of the server and all its processes while clients post imports, a worker analyses and others ask for figures;
a moment later the server is started again. Nobody may be answered with anything but 2xx or 503.
"""

import random
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psutil
from house import House, open_house, running_server, until
from outcome import Outcome, command
from posting import Posters

CLIENTS = 2
LEASE_SECONDS = "2"
REST_SECONDS = 0.5
RECOVERY_SECONDS = 60.0


def run(rounds: int, database: str) -> Outcome:
    """Kills the database `rounds` times."""
    outcome = Outcome(f"kill_postgres on {database}")
    draw = random.Random(rounds)
    waits: list[float] = []
    with ExitStack() as stack:
        server = stack.enter_context(running_server(durable=True))
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="feedback-fault-")))
        home = open_house(stack, directory, server.url(), FEEDBACK_IDEMPOTENCY_LEASE_SECONDS=LEASE_SECONDS)
        home.start_api()
        home.start_worker()
        home.await_worker()
        posters = Posters(home, CLIENTS, rest=REST_SECONDS)
        reader = Reader(home, home.dataset())
        posters.start()
        reader.start()
        for number in range(1, rounds + 1):
            time.sleep(draw.uniform(0.3, 1.5))
            kill_server(server.home / "data" / "postmaster.pid")
            time.sleep(draw.uniform(0, 0.8))
            server.start()
            since, before = time.monotonic(), posters.acknowledged
            if not until(lambda: posters.acknowledged > before, RECOVERY_SECONDS):  # noqa: B023  Called at once.
                outcome.breaches.append(f"kill {number}: nothing is accepted {RECOVERY_SECONDS:.0f} s later")
            waits.append(time.monotonic() - since)
        reader.stop()
        told, figures = posters.reckon()
        told += [f"a question is answered with {status}" for status in reader.statuses - {200, 503}]
        outcome.breaches += told + home.bugs()
    outcome.figures |= {"kills": rounds} | figures | {"s until accepting again at most": round(max(waits), 2)}
    return outcome


def kill_server(pid_file: Path) -> None:
    """Kills a server with all its processes and waits until they are gone."""
    postmaster = psutil.Process(int(pid_file.read_text().split()[0]))
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=10)


class Reader:
    """Asks for figures over and over, and keeps the statuses it is answered with."""

    def __init__(self, home: House, dataset_id: str) -> None:
        self.statuses: set[int] = set()
        self._home = home
        self._address = f"/v1/aggregation/datasets/{dataset_id}/documents"
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(0.05):
            try:
                self.statuses.add(self._home.http.post(self._address, json={"field": "externalId"}).status_code)
            except httpx.TransportError:
                self.statuses.add(0)


if __name__ == "__main__":
    command(__doc__, run, rounds=1, databases=("postgresql",))
