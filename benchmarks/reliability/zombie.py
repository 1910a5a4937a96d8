"""A worker sleeps past its claim and wakes up: what it had begun is another's by then, and it commits nothing.

    python benchmarks/reliability/zombie.py --rounds 20 --database postgresql

SIGSTOP at a random moment amid an import, SIGCONT once another worker holds the claim, or a while later.
"""

import random
import time

from house import CLAIM_SECONDS, Process, running_house, until
from outcome import Outcome, command
from scene import FIRST, Scene
from truth import Toll

TRIES = 4
LATE_SECONDS = 1.0
PATIENCE = 4
"""So many claim periods later a sleeper that nobody could replace is woken: it holds the lock of an SQLite file."""


def run(rounds: int, database: str) -> Outcome:
    """Puts workers to sleep until `rounds` of them have woken up to find their claim taken."""
    outcome = Outcome(f"zombie on {database}")
    draw = random.Random(rounds)
    toll = Toll()
    tries = woken = asleep_with_lock = 0
    with running_house(database) as home:
        home.start_worker()
        home.start_worker()
        scene = Scene(home, FIRST)
        outcome.breaches += scene.breaches
        while woken < rounds and tries < TRIES * rounds:
            tries += 1
            scene.post()
            taken = put_to_sleep(scene, draw)
            asleep_with_lock += taken is None
            woken += taken is True
            if not scene.ended():
                outcome.breaches.append(f"round {tries}: the import does not end")
                continue
            found = scene.picture()
            told = toll.add(scene.quiet, found)
            if found.written != scene.quiet.written:
                told.append(f"{found.written - scene.quiet.written} documents were committed twice")
            outcome.breaches += [f"round {tries}: {what}" for what in told]
        outcome.breaches += home.bugs()
    if woken < rounds:
        outcome.breaches.append(f"only {woken} of {tries} sleepers found their claim taken")
    outcome.figures |= {"zombies": woken, "asleep with a lock that all others need": asleep_with_lock} | toll.figures()
    return outcome


def put_to_sleep(scene: Scene, draw: random.Random) -> bool | None:
    """True where another took the claim of the one asleep, None where nobody could, False where it had none."""
    sleeper = scene.wait_amid(draw)
    sleeper.pause()
    if not scene.under_way() or scene.holder() is not sleeper:
        sleeper.wake()
        return False
    taken = until(lambda: not scene.under_way() or _is_another(scene.holder(), sleeper), PATIENCE * CLAIM_SECONDS)
    if taken:
        time.sleep(draw.uniform(0, LATE_SECONDS))
    sleeper.wake()
    return True if taken else None


def _is_another(holder: Process | None, sleeper: Process) -> bool:
    return holder is not None and holder is not sleeper


if __name__ == "__main__":
    command(__doc__, run, rounds=2, databases=("postgresql", "sqlite"))
