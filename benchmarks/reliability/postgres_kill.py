"""PostgreSQL killed under load: nothing acknowledged is lost, and the service recovers by itself.

python benchmarks/reliability/postgres_kill.py --rounds 10
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

import httpx
from harness import House, documents, postgres, until, verdict

SIZE = 400


def answers(home: House) -> bool:
    try:
        return home.http.get("/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    random_ = random.Random(3)
    acknowledged = lost = unfinished = refused = wrong = 0
    slowest = 0.0
    with postgres(durable=True) as server, tempfile.TemporaryDirectory(prefix="feedback-fault-") as directory:
        home = House(Path(directory), server.url())
        try:
            home.start_api()
            home.start_worker()
            warm = home.dataset()
            assert home.wait(warm, home.send(warm, documents(1)).json()["id"])
            for number in range(arguments.rounds):
                dataset_id = home.dataset()
                accepted: list[str] = []
                moment = time.monotonic() + random_.uniform(0.3, 1.5)
                while time.monotonic() < moment:
                    reply = home.send(dataset_id, documents(SIZE, number * 1000 + len(accepted)))
                    if reply.status_code == httpx.codes.CREATED:
                        accepted.append(reply.json()["id"])
                server.stop()
                reply = home.send(dataset_id, documents(SIZE, 1))
                if reply.status_code == httpx.codes.SERVICE_UNAVAILABLE and "retry-after" in reply.headers:
                    refused += 1
                else:
                    wrong += 1
                server.start()
                since = time.monotonic()
                unfinished += not until(lambda: answers(home), 30)
                slowest = max(slowest, time.monotonic() - since)
                for import_id in accepted:
                    acknowledged += 1
                    unfinished += not home.wait(dataset_id, import_id, 120)
                    lost += home.record(dataset_id, import_id)["processedDocuments"] != SIZE
        finally:
            home.close()
    verdict(
        "postgres_kill",
        bad=lost + unfinished + wrong,
        rounds=arguments.rounds,
        imports_acknowledged=acknowledged,
        lost=lost,
        unfinished=unfinished,
        refused_with_503=refused,
        answered_otherwise=wrong,
        slowest_recovery_s=round(slowest, 2),
    )


if __name__ == "__main__":
    main()
