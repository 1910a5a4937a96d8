"""A worker's machine is gone for good: another resumes its import within two claim periods, and nothing is missing.

    python benchmarks/reliability/dead_machine.py --rounds 10

PostgreSQL only, for an SQLite file is gone with its machine. A machine that is gone says no goodbye to the database:
so the worker is frozen at a random moment, perhaps amid a transaction, with its connections open, and never goes on.
"""

import random
import time

from house import House, running_house, until
from outcome import Outcome, command
from scene import FIRST, Scene
from truth import Toll

TRIES = 4
CLAIM_SECONDS = 3.0
"""Twice as long as elsewhere: the promise is a time, and a busy machine must not be what breaks it."""
SETTLE_SECONDS = 0.05
"""What the database was told before the machine went is done by then."""


def run(rounds: int, database: str) -> Outcome:
    """Takes machines away until `rounds` of them have held an import."""
    outcome = Outcome(f"dead_machine on {database}")
    draw = random.Random(rounds)
    toll = Toll()
    waits: list[float] = []
    tries = 0
    with running_house(database, FEEDBACK_CLAIM_SECONDS=str(CLAIM_SECONDS)) as home:
        home.start_worker()
        home.start_worker()
        scene = Scene(home, FIRST)
        outcome.breaches += scene.breaches
        while len(waits) < rounds and tries < TRIES * rounds:
            tries += 1
            scene.post()
            wait = take_away(home, scene, draw)
            if wait is None:
                scene.ended()
                continue
            waits.append(wait)
            if wait > 2 * CLAIM_SECONDS:
                outcome.breaches.append(f"round {len(waits)}: resumed only after {wait:.2f} s")
            if scene.ended():
                outcome.breaches += [f"round {len(waits)}: {told}" for told in toll.add(scene.quiet, scene.picture())]
            else:
                outcome.breaches.append(f"round {len(waits)}: the import does not end")
        outcome.breaches += home.bugs()
    if len(waits) < rounds:
        outcome.breaches.append(f"only {len(waits)} of {tries} machines held an import when they went")
    slowest = {"slowest resumption s": round(max(waits, default=0.0), 2), "s claim period": CLAIM_SECONDS}
    outcome.figures |= {"machines gone": len(waits)} | slowest | toll.figures()
    return outcome


def take_away(home: House, scene: Scene, draw: random.Random) -> float | None:
    """How long it took until another worker was at the import; None where the machine that went did not hold it."""
    worker = scene.wait_amid(draw)
    worker.freeze()
    time.sleep(SETTLE_SECONDS)
    if not scene.under_way() or scene.holder() is not worker:
        worker.wake()
        return None
    since = time.monotonic()
    home.workers.remove(worker)
    home.gone.append(worker)
    until(lambda: scene.holder() is not None or not scene.under_way(), 60, every=0.02)
    wait = time.monotonic() - since
    home.start_worker()
    return wait


if __name__ == "__main__":
    command(__doc__, run, rounds=1, databases=("postgresql",))
