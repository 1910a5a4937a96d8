"""Clients that keep posting imports while the service dies under them, and remember every answer they were given."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from comments import Batch, make_batch
from house import House, imports_of
from truth import all_items

SIZES = (3, 150, 400, 900)
FORMATS = (("", "application/json"), ("", "application/x-ndjson"), ("/csv", "text/csv"))
AGAIN = (409, 429, 503, 507)
MALFORMED_EVERY = 7
_PAUSE_SECONDS = 0.05
REST_SECONDS = 0.15


@dataclass
class Posting:
    """One import, posted under one Idempotency-Key until it is answered; None stands for a connection that broke."""

    key: str
    batch: Batch
    answers: list[int | None] = field(default_factory=list)
    import_id: str = ""

    @property
    def acknowledged(self) -> bool:
        """Whether it was accepted."""
        return bool(self.import_id)


class Poster:
    """Posts one import after the other, whatever happens, until it is told to stop.

    One that `halts` sends half of each import and then waits to be let go, so that whatever strikes meanwhile hits it.
    """

    def __init__(self, home: House, dataset_id: str, number: int, rest: float, *, halts: bool = False) -> None:
        self.postings: list[Posting] = []
        self.refusals: list[int] = []
        self._home = home
        self._rest = rest
        self._in_flight = False
        self._halts = halts
        self._halfway = threading.Event()
        self._let_go = threading.Event()
        self._address = imports_of(dataset_id)
        self._number = number
        self._draw = random.Random(number)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self, seconds: float = 60.0) -> bool:
        """Has the last import answered, and ends; False where it is not answered in time."""
        self._stopping.set()
        self._let_go.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def in_flight(self) -> bool:
        """Whether an import is posted and not yet answered."""
        return self._in_flight

    @property
    def halfway(self) -> bool:
        """Whether it has sent half of an import and waits."""
        return self._halfway.is_set()

    def let_go(self) -> None:
        """Has it send the rest."""
        self._halfway.clear()
        self._let_go.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            place = len(self.postings)
            name = f"p{self._number}-{place}"
            size = self._draw.choice(SIZES)
            posting = Posting(name, make_batch(size, place, name=name))
            self.postings.append(posting)
            if place % MALFORMED_EVERY == MALFORMED_EVERY - 1:
                self._post_malformed(posting)
            self._post(posting, *FORMATS[place % len(FORMATS)])
            self._stopping.wait(self._rest)

    def _post(self, posting: Posting, path: str, media: str) -> None:
        batch = posting.batch
        body = {"text/csv": batch.table, "application/x-ndjson": batch.lines}.get(media, batch.body)()
        headers = {"Content-Type": media, "Idempotency-Key": posting.key}
        while True:
            try:
                reply = self._send(path, body, headers, halts=self._halts and not posting.answers)
            except httpx.ConnectError:
                time.sleep(_PAUSE_SECONDS)
                continue
            posting.answers.append(None if reply is None else reply.status_code)
            if reply is not None and reply.status_code == httpx.codes.CREATED:
                posting.import_id = reply.json()["id"]
                return
            if reply is not None and reply.status_code not in AGAIN:
                return
            time.sleep(_PAUSE_SECONDS)

    def _post_malformed(self, posting: Posting) -> None:
        with suppress(httpx.ConnectError):
            reply = self._send("", posting.batch.body()[:-2], {"Content-Type": "application/json"})
            if reply is not None:
                self.refusals.append(reply.status_code)

    def _send(self, path: str, body: bytes, headers: dict[str, str], *, halts: bool = False) -> httpx.Response | None:
        """The reply, None where the connection broke before it came; ConnectError where there never was one."""
        content = self._halves(body) if halts else body
        length = {"Content-Length": str(len(body))}
        self._in_flight = True
        try:
            return self._home.http.post(self._address + path, content=content, headers=headers | length)
        except httpx.ConnectError:
            raise
        except httpx.TransportError:
            return None
        finally:
            self._in_flight = False

    def _halves(self, body: bytes) -> Iterator[bytes]:
        half = len(body) // 2
        yield body[:half]
        self._let_go.clear()
        if not self._stopping.is_set():
            self._halfway.set()
            self._let_go.wait()
        yield body[half:]


class Posters:
    """Several posters on one dataset each, the first of which may halt, and the reckoning once they have stopped."""

    def __init__(self, home: House, count: int, rest: float = REST_SECONDS, *, first_halts: bool = False) -> None:
        self._home = home
        self._dataset_ids = [home.dataset() for _ in range(count)]
        self.all = [
            Poster(home, dataset_id, n, rest, halts=first_halts and not n)
            for n, dataset_id in enumerate(self._dataset_ids)
        ]

    def start(self) -> None:
        """Has all of them begin."""
        for poster in self.all:
            poster.start()

    @property
    def in_flight(self) -> bool:
        """Whether any import is posted and not yet answered, by others than one that halts."""
        return any(poster.in_flight for poster in self.all if not poster.halfway)

    @property
    def cut(self) -> int:
        """How many posts have begun and got no answer."""
        return sum(posting.answers.count(None) for poster in self.all for posting in poster.postings)

    @property
    def acknowledged(self) -> int:
        """How many imports were accepted so far."""
        return sum(posting.acknowledged for poster in self.all for posting in poster.postings)

    def reckon(self, seconds: float = 120.0) -> tuple[list[str], dict[str, Any]]:
        """Stops, waits for all that was accepted to end, and tells every promise that was broken."""
        told = ["an import is never answered"] * sum(not poster.stop() for poster in self.all)
        postings = [posting for poster in self.all for posting in poster.postings]
        told += [f"{p.key}: answered with {p.answers[-1]}" for p in postings if not p.acknowledged]
        refusals = {status for poster in self.all for status in poster.refusals}
        told += [f"a truncated body is answered with {status}" for status in refusals - {400, 503, 507}]
        incomplete = twice = 0
        for dataset_id, poster in zip(self._dataset_ids, self.all, strict=True):
            accepted = [posting for posting in poster.postings if posting.acknowledged]
            if not self._home.ended(dataset_id, [posting.import_id for posting in accepted], seconds):
                told.append("an acknowledged import does not end")
                continue
            incomplete += sum(not self._whole(dataset_id, posting) for posting in accepted)
            twice += len(all_items(self._home, imports_of(dataset_id))) - len(accepted)
        told += [f"{incomplete} acknowledged imports are incomplete"] * bool(incomplete)
        told += [f"{twice} imports are there that nobody was told of, or twice"] * bool(twice)
        answers = [answer for posting in postings for answer in posting.answers]
        return told, {
            "imports acknowledged": len(postings),
            "documents in them": sum(len(posting.batch.documents) for posting in postings),
            "posts cut off": self.cut,
            "refused for a while": sum(answer in AGAIN for answer in answers),
            "imports incomplete": incomplete,
            "accepted twice or unasked": twice,
        }

    def _whole(self, dataset_id: str, posting: Posting) -> bool:
        record = self._home.record(dataset_id, posting.import_id)
        listed = all_items(self._home, f"{imports_of(dataset_id)}/{posting.import_id}/documents")
        found = {item["externalId"]: item["content"] for item in listed}
        return (
            found == posting.batch.stored
            and len(listed) == len(found)
            and record["failedDocuments"] == posting.batch.failed
            and record["processedDocuments"] == record["totalDocuments"] == len(posting.batch.documents)
        )
