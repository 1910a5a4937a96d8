"""kill -9 of a worker in the middle of imports: nothing lost, nothing double, every figure that of a quiet run.

    python benchmarks/reliability/kill_worker.py --rounds 50 --database postgresql

Each round posts two imports, the second of which replaces half of the first, and kills the worker that holds one of
them at a random moment. On SQLite a new worker takes its place; on PostgreSQL a second worker is there already.
"""

import random
import time

from comments import make_batch
from house import House, Process, running_house, until
from outcome import Outcome, command
from truth import Toll, breaches_of_sent, take_picture

FIRST = make_batch(400, 1)
SECOND = make_batch(300, 2, first=200)
TRIES = 4


def run(rounds: int, database: str) -> Outcome:
    """Kills until `rounds` kills have hit a worker amid an import."""
    outcome = Outcome(f"kill_worker on {database}")
    draw = random.Random(rounds)
    toll = Toll()
    amid = kills = 0
    with running_house(database) as home:
        for _ in range(1 if database == "sqlite" else 2):
            home.start_worker()
        dataset_id, import_ids = post(home)
        if not home.ended(dataset_id, import_ids):
            raise SystemExit("the undisturbed imports do not end")
        quiet = take_picture(home, dataset_id, import_ids)
        outcome.breaches += breaches_of_sent(quiet, [FIRST, SECOND])
        while amid < rounds and kills < TRIES * rounds:
            kills += 1
            dataset_id, import_ids = post(home)
            struck = strike(home, draw, dataset_id, import_ids)
            amid += any(home.record(dataset_id, i).get("state") == "STARTED" for i in import_ids)
            home.kill_worker(struck)
            home.start_worker()
            if not home.ended(dataset_id, import_ids):
                outcome.breaches.append(f"round {kills}: an import does not end")
                continue
            told = toll.add(quiet, take_picture(home, dataset_id, import_ids))
            outcome.breaches += [f"round {kills}: {what}" for what in told]
        if not until(lambda: not any(orphan.is_running() for orphan in home.orphans), 5):
            outcome.breaches.append("analysis processes outlive their worker")
        outcome.breaches += home.bugs()
    if amid < rounds:
        outcome.breaches.append(f"only {amid} of {kills} kills hit a worker amid an import")
    outcome.figures |= {
        "kills": kills,
        "amid an import": amid,
        "documents lost": toll.lost,
        "duplicated": toll.duplicated,
        "rounds unlike an undisturbed run": toll.different,
    }
    return outcome


def post(home: House) -> tuple[str, list[str]]:
    """Both imports in a new dataset."""
    dataset_id = home.dataset()
    return dataset_id, [home.send(dataset_id, batch.body()) for batch in (FIRST, SECOND)]


def strike(home: House, draw: random.Random, dataset_id: str, import_ids: list[str]) -> Process:
    """Waits for a random moment of the processing; returns the worker that is at it."""
    goal = draw.randrange(len(FIRST.documents) + len(SECOND.documents) - 100)
    until(lambda: home.processed(dataset_id, import_ids) >= goal, 60, every=0.002)
    time.sleep(draw.uniform(0, 0.03))
    holders = [home.holder(import_id) for import_id in import_ids]
    return next((holder for holder in holders if holder is not None), home.workers[-1])


if __name__ == "__main__":
    command(__doc__, run, rounds=5, databases=("sqlite", "postgresql"))
