"""Aggregations through a running service: what a caller waits, what the request adds to the kernel, and freshness.

    python benchmarks/aggregation_http.py --documents 1000000 --json figures.json

Starts `feedback api` on a corpus of that size and asks it 200 mixed questions, one after the other: `first_ms` by a
process that keeps nothing of former questions, `again_ms` by one that was asked the same before. `added_ms` is what a
request takes longer than the kernel alone takes for it in this process, both the best of three. `visible_ms` is the
time from the commit of a new segment to the end of the first answer that counts it. `--directory` keeps the corpus.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx
import msgspec
from aggregating.corpus import DATASET, make_corpus, store_corpus
from aggregating.questions import QUESTIONS, STORES_IN, leaf, term
from sqlalchemy import Engine, select, update

from feedback.aggregation import Aggregator
from feedback.domain.document import Analysis, Value
from feedback.domain.findings import findings_of, places
from feedback.store.clients import create_client
from feedback.store.engine import open_engine
from feedback.store.segments import SegmentRows, write
from feedback.store.tables import datasets

REQUESTS = 200
DISTINCT = 40
NEW_SEGMENTS = 20
CHUNK = 500
ROUTE = f"/v1/aggregation/datasets/{DATASET.id}/documents"
Request = tuple[dict[str, Any], str | None]


def main() -> None:
    """Run the benchmark, print the figures, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--directory", type=Path, help="keep the corpus here, and use the one that is here already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feedback-benchmark-") as temporary:
        directory: Path = arguments.directory or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / "feedback.db").exists():
            store_corpus(make_corpus(arguments.documents, arguments.seed), directory).dispose()
        figures = {"documents": arguments.documents} | run(directory, random.Random(arguments.seed))
    print(json.dumps(figures, indent=1))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1))


def run(directory: Path, chance: random.Random) -> dict[str, Any]:
    """All figures of one corpus."""
    engine = open_engine(f"sqlite:///{directory / 'feedback.db'}")
    with engine.begin() as connection:
        client, secret = create_client(connection, "Benchmark")
    kernel = Aggregator(engine, cache_dir=directory / "cache", cache_bytes=10**12, remember_bytes=0)
    asked = [make_request(chance) for _ in range(REQUESTS)]
    with serving(directory, remember=0) as base, client_of(base, client, secret) as http:
        start = milliseconds(lambda: post(http, asked[0]))
        first = [milliseconds(partial(post, http, request)) for request in asked]
        added = [around(http, kernel, request) for request in asked[:DISTINCT]]
        seen = [visible(http, engine, number) for number in range(NEW_SEGMENTS)]
    with serving(directory) as base, client_of(base, client, secret) as http:
        for request in asked:
            post(http, request)
        again = [milliseconds(partial(post, http, request)) for request in asked]
    return {
        "start_ms": start,
        "first_ms": spread(first),
        "again_ms": spread(again),
        "added_ms": {"median": median(added), "most": max(added)},
        "visible_ms": {"median": median(seen), "most": max(seen)},
    }


def spread(waits: Sequence[float]) -> dict[str, float]:
    """How the requests' times are spread."""
    return {"median": median(waits), "p95": quantiles(waits, n=20)[-1], "most": max(waits)}


@contextmanager
def client_of(base: str, client: str, secret: str) -> Iterator[httpx.Client]:
    """A client with a token."""
    with httpx.Client(base_url=base, timeout=120, trust_env=False) as http:
        granted = http.post("/v1/token", json={"clientId": client, "clientSecret": secret}).json()
        http.headers["Authorization"] = f"Bearer {granted['access_token']}"
        yield http


@contextmanager
def serving(directory: Path, remember: int | None = None) -> Iterator[str]:
    """The address of an API process on the directory's database that may remember so many bytes."""
    given = {} if remember is None else {"FEEDBACK_REMEMBER_BYTES": str(remember)}
    process = subprocess.Popen(
        [sys.executable, "-m", "feedback.cli", "api", "--port", "0"],
        env=os.environ | {"FEEDBACK_DATA_DIR": str(directory)} | given,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield next(word.rstrip(",") for word in process.stdout.readline().split() if word.startswith("http"))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def make_request(chance: random.Random) -> Request:
    """One of the benchmark's requests, half of them with a period or a filter of their own."""
    question = chance.choice(QUESTIONS)
    request = dict(chance.choice(question.requests))
    if chance.random() < 0.25:
        month = chance.randint(1, 12)
        low, high = f"2024-{month:02d}-01T00:00:00.000Z", f"2025-{month:02d}-15T12:00:00.000Z"
        request["periods"] = [{"field": "createdAt", "from": low, "to": high}]
    elif chance.random() < 0.3:
        filters = (STORES_IN, leaf("metadata.nps", "GTE", 9), leaf("TERMS", "EQ", term(chance.randrange(500))))
        request["query"] = chance.choice(filters)
    return request, question.q


def post(http: httpx.Client, request: Request) -> bytes:
    """The reply's bytes."""
    body, q = request
    reply = http.post(ROUTE, json=body, params={} if q is None else {"q": q})
    reply.raise_for_status()
    return reply.content


def milliseconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    function()
    return (time.perf_counter() - begun) * 1000


def around(http: httpx.Client, kernel: Aggregator, request: Request) -> float:
    """Milliseconds that a request adds to what the kernel and the encoding of its reply take."""
    body, q = request
    told, answered = msgspec.json.decode(post(http, request)), kernel.aggregate(DATASET, body, q)
    if told != answered:
        sys.exit(f"the service and the kernel disagree about {body}")
    through = min(milliseconds(lambda: post(http, request)) for _ in range(3))
    alone = min(milliseconds(lambda: msgspec.json.encode(kernel.reply(DATASET, body, q))) for _ in range(3))
    return through - alone


def visible(http: httpx.Client, engine: Engine, number: int) -> float:
    """Milliseconds from the commit of a segment until it has been counted."""
    request: Request = ({"field": "externalId", "type": "COUNT"}, None)
    before = volume(post(http, request))
    with engine.begin() as connection:
        connection.execute(update(datasets).values(generation=datasets.c.generation + 1))
        stamp = connection.execute(select(datasets.c.generation)).scalar_one()
        write(connection, DATASET, make_rows([f"new-{stamp}-{number}-{i}" for i in range(CHUNK)]))
    begun = time.perf_counter()
    while volume(post(http, request)) != before + CHUNK:
        continue
    return (time.perf_counter() - begun) * 1000


def volume(reply: bytes) -> int:
    """The documents that a reply is about."""
    return int(json.loads(reply)["periods"][0]["total"]["volume"])


def make_rows(external_ids: list[str]) -> SegmentRows:
    """Documents of the corpus's last day, without terms."""
    count = len(external_ids)
    at = [1_767_139_200_000] * count
    findings = findings_of([Analysis()] * count)
    found = places(findings)
    metadata: list[dict[str, Value]] = [{"nps": 9, "store": "s001"}] * count
    return SegmentRows(external_ids, at, at, ["SURVEY"] * count, ["en"] * count, metadata, found)


if __name__ == "__main__":
    main()
