"""A receiver that fails half the time, and a sender that is killed: every event arrives, signed, under one id.

    python benchmarks/reliability/failing_receiver.py --rounds 2000

Every round is an import without documents, which ends in the transaction that accepts it. The receiver answers half
of what it gets with an error, with a broken connection or too late; the worker, which sends, is killed over and over.
"""

import random
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from house import House, running_house, until
from outcome import Outcome, command
from standardwebhooks import Webhook
from truth import all_items

EMPTY = b'{"documents":[]}'
WEBHOOKS = "/v1/management/webhooks"
SETTINGS = {
    "FEEDBACK_WEBHOOK_ALLOWED_HOSTS": "127.0.0.1",
    "FEEDBACK_WEBHOOK_RETRY_SECONDS": ",".join(["0.1"] * 40),
    "FEEDBACK_WEBHOOK_TIMEOUT_SECONDS": "0.5",
}
LATE_SECONDS = 0.8
FEWEST_BETWEEN_KILLS = 20
PATIENCE_SECONDS = 0.2
POSTERS = 3


class Receiver:
    """A receiver on a loopback port that takes half of what it is sent and keeps which events it has taken."""

    def __init__(self) -> None:
        self.taken: Counter[str] = Counter()
        self.ids: dict[str, set[str]] = {}
        self.attempts = 0
        self.unsigned = 0
        self.secret = ""
        self._draw = random.Random(1)
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                body = self.rfile.read(length)
                if len(body) < length:
                    return  # The sender was killed between the head and the body: nothing was told yet.
                status = receiver.judge(body, {name.lower(): value for name, value in self.headers.items()})
                if status:
                    self.send_response(status)
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/events"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def judge(self, body: bytes, headers: dict[str, str]) -> int:
        """The status to answer with; 0 for none."""
        with self._lock:
            self.attempts += 1
            chance = self._draw.random()
        try:
            event = Webhook(self.secret).verify(body, headers)["data"]["importId"]
        except Exception:  # noqa: BLE001  Whatever is wrong with it, it is not signed as it should be.
            self.unsigned += 1
            return 400
        with self._lock:
            self.ids.setdefault(event, set()).add(headers["webhook-id"])
        if chance < 0.4:
            return 500
        if chance < 0.48:
            return 0
        if chance < 0.5:
            time.sleep(LATE_SECONDS)
            return 0
        with self._lock:
            self.taken[event] += 1
        return 204

    def close(self) -> None:
        """Ends."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def run(rounds: int, database: str) -> Outcome:
    """Has `rounds` events told."""
    outcome = Outcome(f"failing_receiver on {database}")
    draw = random.Random(rounds)
    receiver = Receiver()
    kills = 0
    try:
        with running_house(database, **SETTINGS) as home:
            worker = home.start_worker()
            reply = home.http.post(WEBHOOKS, json={"url": receiver.url, "event": "ENDED_IMPORT"})
            webhook = reply.json()
            receiver.secret = webhook["secret"]
            events: list[str] = []
            posting = [threading.Thread(target=post, args=(home, events, rounds, n)) for n in range(POSTERS)]
            for thread in posting:
                thread.start()
            deadline = time.monotonic() + 30 + rounds * PATIENCE_SECONDS
            while len(receiver.taken) < rounds and time.monotonic() < deadline:
                goal = receiver.attempts + FEWEST_BETWEEN_KILLS + draw.randrange(40 + rounds // 10)
                until(lambda: receiver.attempts >= goal or len(receiver.taken) >= rounds, 30, every=0.005)  # noqa: B023
                home.kill_worker(worker)
                kills += 1
                worker = home.start_worker()
            for thread in posting:
                thread.join()
            told = f"{WEBHOOKS}/{webhook['id']}/deliveries"
            until(lambda: home.http.get(told, params={"state": "PENDING"}).json()["total"] == 0, 60, every=0.2)
            states = Counter(item["state"] for item in all_items(home, told))
            outcome.breaches += home.bugs()
    finally:
        receiver.close()
    missing = set(events) - set(receiver.taken)
    several = sum(len(ids) > 1 for ids in receiver.ids.values())
    outcome.breaches += [f"{len(missing)} of {len(events)} events never arrived"] * bool(missing)
    outcome.breaches += [f"{several} events came under several ids"] * bool(several)
    outcome.breaches += [f"{receiver.unsigned} notifications were not signed"] * bool(receiver.unsigned)
    outcome.breaches += [f"the log says {dict(states)}"] * (states != {"DELIVERED": rounds})
    outcome.breaches += [f"{len(events)} events, not {rounds}"] * (len(events) != rounds)
    outcome.figures |= {
        "events": len(events),
        "attempts": receiver.attempts,
        "senders killed": kills,
        "missing": len(missing),
        "taken more than once": sum(count > 1 for count in receiver.taken.values()),
    }
    return outcome


def post(home: House, events: list[str], rounds: int, number: int) -> None:
    """One client's share of the imports, posted one after the other."""
    dataset_id = home.dataset()
    events.extend(home.send(dataset_id, EMPTY) for _ in range(number, rounds, POSTERS))


if __name__ == "__main__":
    command(__doc__, run, rounds=100, unit="events", databases=("sqlite", "postgresql"))
