"""Bodies that are nearly right: no 5xx, no dead process, and every document of an accepted one accounted for.

    python benchmarks/reliability/mutated_bodies.py --rounds 3000

So many mutations each of a JSON and of a CSV body, sent to `feedback serve`. The mutations, and what the accepted
ones must count to by the readers of the standard library, are those of tests/test_mutated_bodies.py.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import house  # noqa: F401  It knows where the repository's own packages are.
from outcome import Outcome, command

from tests.served import Served
from tests.test_mutated_bodies import make_csv, make_json, mutated, rows_of, send_all, wait_for_all

EXPECTED = {201, 400, 413, 422}
KINDS: dict[str, tuple[str, str, Callable[[], bytes], Callable[[bytes], int]]] = {
    "json": ("imports", "application/json", make_json, lambda body: len(json.loads(body)["documents"])),
    "csv": ("imports/csv", "text/csv", make_csv, rows_of),
}


def run(rounds: int, database: str) -> Outcome:
    """Sends `rounds` bodies of each kind."""
    outcome = Outcome(f"mutated_bodies on {database}")
    statuses: Counter[int] = Counter()
    documents = 0
    with TemporaryDirectory(prefix="feedback-fault-") as directory:
        served = Served(Path(directory))
        try:
            before = {child.pid for child in served.children()}
            for kind, (path, media, make, count) in KINDS.items():
                dataset_id, replies = send_all(served, path, media, mutated(make(), rounds))
                statuses += Counter(reply.status_code for _, reply in replies)
                accepted = [(body, reply) for body, reply in replies if reply.status_code == 201]
                for body, reply in accepted:
                    if reply.json()["totalDocuments"] != count(body):
                        outcome.breaches.append(f"{kind}: documents are dropped from {body!r}")
                for record in wait_for_all(served, dataset_id, [reply for _, reply in accepted]):
                    documents += record["totalDocuments"]
                    if record["state"] != "COMPLETED" or record["processedDocuments"] != record["totalDocuments"]:
                        outcome.breaches.append(f"{kind}: an import ends as {record}")
            outcome.breaches += ["a process died"] * (not before <= {child.pid for child in served.children()})
        finally:
            served.end()
    outcome.breaches += [f"{statuses[status]} replies of {status}" for status in set(statuses) - EXPECTED]
    outcome.figures |= {"bodies": statuses.total()} | {f"x {status}": n for status, n in sorted(statuses.items())}
    outcome.figures["documents accounted for"] = documents
    return outcome


if __name__ == "__main__":
    command(__doc__, run, rounds=300, unit="bodies of each kind", databases=("sqlite",))
