"""kill -9 of the worker in the middle of imports: nothing lost, nothing doubled, the figures of a quiet run.

python benchmarks/reliability/worker_kill.py --rounds 50 --database sqlite
"""

import argparse
import random
import sys
import time
from itertools import zip_longest
from typing import Any

from harness import documents, house, kill, verdict

SIZE = 1000


def differ(before: list[Any], after: list[Any]) -> bool:
    """Whether two sets of figures differ; the first place where they do is shown."""
    for (total, values), (total_after, values_after) in zip(before, after, strict=True):
        pairs = [(total, total_after), *zip_longest(values, values_after)]
        for one, other in pairs:
            if one != other:
                print(f"{one} became {other}", file=sys.stderr)
                return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    arguments = parser.parse_args()
    random_ = random.Random(arguments.rounds)
    sent = documents(SIZE)
    expected = {document["externalId"] for document in sent}
    lost = doubled = unfinished = different = amid = 0
    with house(arguments.database) as home:
        home.start_api()
        worker = home.start_worker()
        quiet = home.dataset()
        assert home.wait(quiet, home.send(quiet, sent).json()["id"])
        figures = home.figures(quiet)
        before = time.monotonic()
        for _ in range(arguments.rounds):
            dataset_id = home.dataset()
            import_id = home.send(dataset_id, sent).json()["id"]
            home.begun(dataset_id, import_id)
            time.sleep(random_.uniform(0.0, 0.2))
            kill(worker)
            amid += 0 < home.record(dataset_id, import_id)["processedDocuments"] < SIZE
            worker = home.start_worker()
            if not home.wait(dataset_id, import_id):
                unfinished += 1
                continue
            listed = home.listed(dataset_id, import_id)
            lost += len(expected - set(listed))
            doubled += len(listed) - len(set(listed))
            different += differ(figures, home.figures(dataset_id))
        seconds = time.monotonic() - before
    verdict(
        "worker_kill",
        bad=lost + doubled + unfinished + different,
        database=arguments.database,
        kills=arguments.rounds,
        amid_an_import=amid,
        lost=lost,
        doubled=doubled,
        unfinished=unfinished,
        figures_different=different,
        seconds=round(seconds, 1),
    )


if __name__ == "__main__":
    main()
