"""The disk runs full: who posts is told with 507, what was acknowledged is kept, and with room all goes on by itself.

    python benchmarks/reliability/full_disk.py --rounds 10

The service lives on a small tmpfs, which is filled up to a random rest by a file that is not the service's, and given
free again once something was refused. Needs root, for only root may mount.
"""

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from house import House, open_house, until
from outcome import Outcome, command
from posting import Posters

CLIENTS = 2
DISK_MIB = 96
MIB = 1024 * 1024
LEASE_SECONDS = "2"
FULL = 507
REASON = "mounting a small tmpfs needs root"


def run(rounds: int, database: str) -> Outcome:
    """Fills the disk `rounds` times."""
    outcome = Outcome(f"full_disk on {database}")
    draw = random.Random(rounds)
    waits: list[float] = []
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="feedback-fault-")))
        stack.enter_context(small_disk(directory))
        home = open_house(stack, directory, FEEDBACK_IDEMPOTENCY_LEASE_SECONDS=LEASE_SECONDS)
        home.start_api()
        home.start_worker()
        home.await_worker()
        posters = Posters(home, CLIENTS)
        posters.start()
        for number in range(1, rounds + 1):
            ballast = fill(directory, draw.randrange(64 * 1024, 2 * MIB))
            refused = until(lambda: refusals(posters) >= number, 60)  # noqa: B023  Called at once.
            if not refused:
                outcome.breaches.append(f"round {number}: nothing is refused with {FULL}")
            readable = home.get("/v1/management/datasets")
            if readable is None or readable.status_code != 200:
                outcome.breaches.append(f"round {number}: what is there cannot be read")
            time.sleep(draw.uniform(0, 0.5))
            ballast.unlink()
            since, before = time.monotonic(), posters.acknowledged
            if not until(lambda: posters.acknowledged > before, 60):  # noqa: B023  Called at once.
                outcome.breaches.append(f"round {number}: nothing is accepted though there is room")
            waits.append(time.monotonic() - since)
        told, figures = posters.reckon()
        outcome.breaches += told + home.bugs() + damage(home)
    outcome.figures |= {"times full": rounds} | figures | {"s until accepting again at most": round(max(waits), 2)}
    return outcome


def refusals(posters: Posters) -> int:
    """How many imports were refused for want of room at least once."""
    return sum(FULL in posting.answers for poster in posters.all for posting in poster.postings)


def fill(directory: Path, rest: int) -> Path:
    """A file that leaves only so many bytes on the disk, as the service writes beside it."""
    ballast = directory / "ballast"
    with ballast.open("wb") as file:
        while True:
            try:
                os.posix_fallocate(file.fileno(), 0, max(1, shutil.disk_usage(directory).free - rest))
            except OSError as error:
                # The service has taken more than the rest since it was looked how much is free: look again.
                if error.errno != errno.ENOSPC:
                    raise
                time.sleep(0.01)
            else:
                return ballast


def damage(home: House) -> list[str]:
    """What SQLite finds wrong with its file."""
    connection = sqlite3.connect(home.directory / "feedback.db")
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    finally:
        connection.close()
    return [] if found == ["ok"] else found


def may_mount() -> bool:
    """Whether this user can mount a tmpfs here."""
    if os.geteuid() != 0:
        return False
    with TemporaryDirectory(prefix="feedback-fault-") as directory:
        mounted = subprocess.run(mount(Path(directory)), capture_output=True, check=False).returncode == 0
        if mounted:
            subprocess.run(["umount", directory], check=True)
    return mounted


def mount(directory: Path) -> list[str]:
    """The command that puts a small disk there."""
    return ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(directory)]


@contextmanager
def small_disk(directory: Path) -> Iterator[None]:
    """A disk of its own under a directory."""
    if not may_mount():
        raise SystemExit(REASON)
    subprocess.run(mount(directory), check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


if __name__ == "__main__":
    command(__doc__, run, rounds=1, databases=("sqlite",))
