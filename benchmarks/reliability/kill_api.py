"""Kill -9 of the API amid POSTs: every 2xx is complete, every other answer left nothing, and no import is there twice.

    python benchmarks/reliability/kill_api.py --rounds 50 --database postgresql

Clients post imports as JSON, NDJSON and CSV without a pause, each under an Idempotency-Key that it repeats until it is
answered, and truncated bodies in between. The API is killed when a POST is under way and started again.
"""

import random
import time

from house import running_house, until
from outcome import Outcome, command
from posting import Posters

CLIENTS = 2
LEASE_SECONDS = "2"
TRIES = 4
MOMENT_SECONDS = 0.01


def run(rounds: int, database: str) -> Outcome:
    """Kills the API until `rounds` posts were cut off by it."""
    outcome = Outcome(f"kill_api on {database}")
    draw = random.Random(rounds)
    kills = 0
    settings = {"FEEDBACK_IDEMPOTENCY_LEASE_SECONDS": LEASE_SECONDS}
    with running_house(database, **settings) as home:
        home.start_worker()
        posters = Posters(home, CLIENTS)
        posters.start()
        while posters.cut < rounds and kills < TRIES * rounds:
            kills += 1
            before = posters.acknowledged
            if not until(lambda: posters.acknowledged > before and posters.in_flight, 60, every=0.002):  # noqa: B023
                outcome.breaches.append("nothing is accepted after a kill")
                break
            time.sleep(draw.uniform(0, MOMENT_SECONDS))
            home.kill_api()
            home.start_api()
        told, figures = posters.reckon()
        outcome.breaches += told + home.bugs()
        left = [path.name for path in (home.directory / "spool").iterdir()]
        outcome.breaches += [f"{len(left)} files are left in the spool"] * bool(left)
    if posters.cut < rounds:
        outcome.breaches.append(f"only {posters.cut} posts were cut off by {kills} kills")
    outcome.figures |= {"kills": kills} | figures
    return outcome


if __name__ == "__main__":
    command(__doc__, run, rounds=5, databases=("sqlite", "postgresql"))
