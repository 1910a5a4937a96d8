"""A worker stopped past its claim and woken again commits nothing; a machine gone for good is replaced in time.

python benchmarks/reliability/zombie.py --rounds 20 --database postgresql
python benchmarks/reliability/zombie.py --rounds 10 --gone
"""

import argparse
import signal
import time

from harness import QUICK, House, documents, end, house, kill, until, verdict

SIZE = 2000


def resumption(home: House, dataset_id: str, import_id: str) -> float:
    """Seconds until an import goes on."""
    stopped = home.record(dataset_id, import_id)["processedDocuments"]
    since = time.monotonic()
    until(lambda: home.record(dataset_id, import_id)["processedDocuments"] > stopped, 30)
    return time.monotonic() - since


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--gone", action="store_true", help="kill the first worker instead of waking it")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="postgresql")
    arguments = parser.parse_args()
    claim = float(QUICK["FEEDBACK_CLAIM_SECONDS"])
    sent = documents(SIZE)
    expected = {document["externalId"] for document in sent}
    lost = doubled = late = unfinished = 0
    slowest = 0.0
    with house(arguments.database) as home:
        home.start_api()
        for _ in range(arguments.rounds):
            first = home.start_worker()
            dataset_id = home.dataset()
            import_id = home.send(dataset_id, sent).json()["id"]
            home.begun(dataset_id, import_id)
            # The other worker stands by, and is kept away by the first one's claim.
            second = home.start_worker()
            ready = home.dataset()
            home.wait(ready, home.send(ready, documents(1)).json()["id"])
            if arguments.gone:
                kill(first)
            else:
                first.send_signal(signal.SIGSTOP)
            if home.record(dataset_id, import_id)["state"] == "STARTED":
                seconds = resumption(home, dataset_id, import_id)
                slowest = max(slowest, seconds)
                late += seconds > 2 * claim
            if not arguments.gone:
                first.send_signal(signal.SIGCONT)
            unfinished += not home.wait(dataset_id, import_id)
            listed = home.listed(dataset_id, import_id)
            lost += len(expected - set(listed))
            total = home.figures(dataset_id)[0][0]["volume"]
            doubled += len(listed) - len(set(listed)) + abs(total - SIZE)
            end(first)
            end(second)
    verdict(
        "gone" if arguments.gone else "zombie",
        bad=lost + doubled + late + unfinished,
        database=arguments.database,
        rounds=arguments.rounds,
        lost=lost,
        doubled=doubled,
        unfinished=unfinished,
        later_than_two_claims=late,
        slowest_resumption_s=round(slowest, 2),
        claim_s=claim,
    )


if __name__ == "__main__":
    main()
