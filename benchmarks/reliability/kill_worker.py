"""Kill -9 of a worker in the middle of imports: nothing lost, nothing double, every figure that of a quiet run.

    python benchmarks/reliability/kill_worker.py --rounds 50 --database postgresql

Each round posts two imports, the second of which replaces documents of the first, and kills the worker that holds one
of them at a random moment. On SQLite a new worker takes its place; on PostgreSQL a second worker is there already.
"""

import random

from house import running_house, until
from outcome import Outcome, command
from scene import FIRST, SECOND, Scene
from truth import Toll

TRIES = 4
ORPHAN_SECONDS = 10


def run(rounds: int, database: str) -> Outcome:
    """Kills until `rounds` kills have hit a worker amid an import."""
    outcome = Outcome(f"kill_worker on {database}")
    draw = random.Random(rounds)
    toll = Toll()
    amid = kills = 0
    with running_house(database) as home:
        for _ in range(1 if database == "sqlite" else 2):
            home.start_worker()
        scene = Scene(home, FIRST, SECOND)
        outcome.breaches += scene.breaches
        while amid < rounds and kills < TRIES * rounds:
            kills += 1
            scene.post()
            home.kill_worker(scene.wait_amid(draw))
            amid += scene.under_way()
            home.start_worker()
            if scene.ended():
                outcome.breaches += [f"kill {kills}: {told}" for told in toll.add(scene.quiet, scene.picture())]
            else:
                outcome.breaches.append(f"kill {kills}: an import does not end")
        if not until(lambda: not any(orphan.is_running() for orphan in home.orphans), ORPHAN_SECONDS):
            outcome.breaches.append("analysis processes outlive their worker")
        outcome.breaches += home.bugs()
    if amid < rounds:
        outcome.breaches.append(f"only {amid} of {kills} kills hit a worker amid an import")
    outcome.figures |= {"kills": kills, "amid an import": amid} | toll.figures()
    return outcome


if __name__ == "__main__":
    command(__doc__, run, rounds=5, databases=("sqlite", "postgresql"))
