"""kill -9 of the API while imports are posted: every 2xx is complete, every other answer left nothing.

A request that got no answer is sent again under its Idempotency-Key, as a client would, until it has one.

    python benchmarks/reliability/api_kill.py --rounds 50 --database sqlite
"""

import argparse
import random
import threading
import time

import httpx
from harness import House, documents, house, kill, verdict

SIZE = 2000
ATTEMPTS = 300


def post_until_answered(home: House, dataset_id: str, seed: int, outcome: dict[str, object]) -> None:
    sent = documents(SIZE, seed)
    for attempt in range(ATTEMPTS):
        try:
            reply = home.send(dataset_id, sent, key=f"key-{seed}")
        except httpx.TransportError:
            time.sleep(0.1)
            continue
        if reply.status_code == httpx.codes.CREATED:
            outcome.update(id=reply.json()["id"], attempts=attempt + 1)
            return
        if reply.status_code not in (401, 409, 429, 503):
            outcome["unexpected"] = reply.text
            return
        time.sleep(0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    arguments = parser.parse_args()
    random_ = random.Random(arguments.rounds)
    unanswered = incomplete = extra = again = 0
    with house(arguments.database, FEEDBACK_PROCESSES="2", FEEDBACK_CHUNK_DOCUMENTS="1024") as home:
        home.start_api()
        home.start_worker()
        before = time.monotonic()
        for number in range(arguments.rounds):
            dataset_id = home.dataset()
            outcome: dict[str, object] = {}
            poster = threading.Thread(target=post_until_answered, args=(home, dataset_id, number, outcome))
            poster.start()
            time.sleep(random_.uniform(0.0, 0.15))
            assert home.api is not None
            kill(home.api)
            home.start_api()
            poster.join()
            if "id" not in outcome:
                unanswered += 1
                continue
            again += int(str(outcome["attempts"])) > 1
            extra += home.http.get(f"/v1/management/datasets/{dataset_id}/imports").json()["total"] - 1
            finished = home.wait(dataset_id, str(outcome["id"]), 120)
            record = home.record(dataset_id, str(outcome["id"]))
            incomplete += not finished or record["processedDocuments"] != SIZE or bool(record["errors"])
        seconds = time.monotonic() - before
    verdict(
        "api_kill",
        bad=unanswered + incomplete + extra,
        database=arguments.database,
        kills=arguments.rounds,
        sent_again=again,
        unanswered=unanswered,
        incomplete=incomplete,
        accepted_twice=extra,
        seconds=round(seconds, 1),
    )


if __name__ == "__main__":
    main()
