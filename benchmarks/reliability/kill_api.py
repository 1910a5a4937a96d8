"""Kill -9 of the API amid POSTs: every 2xx is complete, every other answer left nothing, and no import is there twice.

    python benchmarks/reliability/kill_api.py --rounds 50 --database postgresql

Clients post imports as JSON, NDJSON and CSV without a pause, each under an Idempotency-Key that it repeats until it is
answered, and truncated bodies in between. The API is killed when one client has sent half of its import and waits, so
that every kill cuts one off, and another's import is under way; then it is started again.
"""

import random
import time

from house import running_house, until
from outcome import Outcome, command
from posting import Posters

CLIENTS = 3
LEASE_SECONDS = "1"
MOMENT_SECONDS = 0.03


def run(rounds: int, database: str) -> Outcome:
    """Kills the API `rounds` times."""
    outcome = Outcome(f"kill_api on {database}")
    draw = random.Random(rounds)
    kills = 0
    settings = {"FEEDBACK_IDEMPOTENCY_LEASE_SECONDS": LEASE_SECONDS}
    with running_house(database, **settings) as home:
        home.start_worker()
        posters = Posters(home, CLIENTS, first_halts=True)
        halting = posters.all[0]
        posters.start()
        while kills < rounds:
            before = posters.acknowledged
            if not until(lambda: halting.halfway and posters.acknowledged > before, 60, every=0.002):  # noqa: B023
                outcome.breaches.append("nothing is accepted after a kill")
                break
            until(lambda: posters.in_flight, 60, every=0.002)
            time.sleep(draw.uniform(0, MOMENT_SECONDS))
            home.kill_api()
            kills += 1
            halting.let_go()
            home.start_api()
        told, figures = posters.reckon()
        outcome.breaches += told + home.bugs()
        left = [path.name for path in (home.directory / "spool").iterdir()]
        outcome.breaches += [f"{len(left)} files are left in the spool"] * bool(left)
    outcome.breaches += ["no post was cut off"] * (not posters.cut)
    outcome.figures |= {"kills": kills} | figures
    return outcome


if __name__ == "__main__":
    command(__doc__, run, rounds=5, databases=("sqlite", "postgresql"))
