"""Reads, searches, aggregations and imports, all at once: no error, and how long the slowest hundredth takes.

    python benchmarks/reliability/load.py --rounds 300 --database postgresql

For so many seconds seven clients call without a pause, save for the one that posts imports, which rests between them.
"""

import math
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable

import httpx
from comments import make_batch
from house import House, imports_of, running_house
from outcome import Outcome, command
from truth import QUESTIONS, ask

PRELOADED = 5000
BATCH = 200
REST_SECONDS = 0.5
Call = Callable[[random.Random], httpx.Response]


class Load:
    """Clients that call for a while, and how long each of their calls took."""

    def __init__(self, home: House) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.faults: list[str] = []
        self.imports: list[str] = []
        self.dataset_id = home.dataset()
        self._home = home
        self._stopping = threading.Event()
        self._first = make_batch(PRELOADED, 1)
        self.stored = set(self._first.stored)

    def preload(self) -> None:
        """The documents that are there before anybody calls."""
        self.imports.append(self._home.send(self.dataset_id, self._first.body()))
        if not self._home.ended(self.dataset_id, self.imports, 120):
            raise SystemExit("the first import does not end")

    def run(self, seconds: float) -> None:
        """Has every client call for so long."""
        clients: list[tuple[str, Call, float]] = [
            ("read", self._read, 0.0),
            ("read", self._page, 0.0),
            ("search", self._search_documents, 0.0),
            ("search", self._search_terms, 0.0),
            ("aggregation", self._aggregate, 0.0),
            ("aggregation", self._aggregate, 0.0),
            ("import", self._import, REST_SECONDS),
        ]
        threads = [
            threading.Thread(target=self._repeat, args=(name, call, rest, number), daemon=True)
            for number, (name, call, rest) in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self._stopping.set()
        for thread in threads:
            thread.join()

    def _repeat(self, name: str, call: Call, rest: float, number: int) -> None:
        draw = random.Random(number)
        while not self._stopping.is_set():
            before = time.perf_counter()
            try:
                status = call(draw).status_code
            except httpx.TransportError as error:
                self.faults.append(f"{name}: {error!r}")
                continue
            self.seconds[name].append(time.perf_counter() - before)
            if status not in (200, 201):
                self.faults.append(f"{name}: answered with {status}")
            self._stopping.wait(rest)

    def _read(self, draw: random.Random) -> httpx.Response:
        name = draw.choice(self._first.documents)["externalId"]
        address = f"/v1/management/datasets/{self.dataset_id}/documents/{name}"
        # A document that broke a rule is not there, and one may be asked for it.
        return self._home.http.get(address if name in self._first.stored else address.rpartition("/documents")[0])

    def _page(self, draw: random.Random) -> httpx.Response:
        address = f"{imports_of(self.dataset_id)}/{self.imports[0]}/documents"
        return self._home.http.get(address, params={"page": draw.randrange(1, 40), "pageSize": 100})

    def _search_documents(self, draw: random.Random) -> httpx.Response:
        query = {"field": "metadata.nps", "operator": "GTE", "value": [draw.randrange(11)]}
        parameters = {"page": draw.randrange(1, 20), "q": draw.choice(("queue", "staff", "room"))}
        return self._home.http.post(f"/v1/search/datasets/{self.dataset_id}/documents", json=query, params=parameters)

    def _search_terms(self, draw: random.Random) -> httpx.Response:
        parameters = {"opinions": draw.choice(("NEGATIVE", "POSITIVE", "NEGATIVE,NEUTRAL"))}
        return self._home.http.post(f"/v1/search/datasets/{self.dataset_id}/terms", params=parameters)

    def _aggregate(self, draw: random.Random) -> httpx.Response:
        address = f"/v1/aggregation/datasets/{self.dataset_id}/documents"
        return self._home.http.post(address, json=draw.choice(QUESTIONS))

    def _import(self, draw: random.Random) -> httpx.Response:
        batch = make_batch(BATCH, draw.randrange(10**6), first=PRELOADED + BATCH * len(self.imports))
        headers = {"Content-Type": "application/json"}
        reply = self._home.http.post(imports_of(self.dataset_id), content=batch.body(), headers=headers)
        if reply.status_code == httpx.codes.CREATED:
            self.imports.append(reply.json()["id"])
            self.stored |= set(batch.stored)
        return reply


def run(rounds: int, database: str) -> Outcome:
    """Loads the service for `rounds` seconds."""
    outcome = Outcome(f"load on {database}")
    with running_house(database) as home:
        home.start_worker()
        load = Load(home)
        load.preload()
        load.run(rounds)
        outcome.breaches += load.faults
        if not home.ended(load.dataset_id, load.imports, 120):
            outcome.breaches.append("an import does not end")
        volume = ask(home, load.dataset_id, QUESTIONS[0])[0]["volume"]
        if volume != len(load.stored):
            outcome.breaches.append(f"{volume} documents are there, not {len(load.stored)}")
        outcome.breaches += home.bugs()
    outcome.figures |= {"calls": sum(map(len, load.seconds.values())), "errors": len(load.faults)}
    for name, seconds in load.seconds.items():
        outcome.figures |= {f"ms p50 of {len(seconds)} {name} calls": milliseconds(seconds, 0.5)}
        outcome.figures |= {f"ms p99 of {name}": milliseconds(seconds, 0.99)}
    return outcome


def milliseconds(seconds: list[float], share: float) -> int:
    """The time that so large a share of the calls stays under."""
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)])


if __name__ == "__main__":
    command(__doc__, run, rounds=20, unit="seconds", databases=("sqlite", "postgresql"))
