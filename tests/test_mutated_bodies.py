"""Bodies that are nearly right, hundreds of them, against the service as a process: none may hurt it or vanish."""

import csv
import io
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.builders import make_dataset, make_definition
from tests.served import Served

pytestmark = pytest.mark.slow
ROUNDS = 300
Json = dict[str, Any]
Mutation = Callable[[random.Random, bytes], bytes]

GRIT = [
    *(b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b'"', b'""', b"\\", b"\\u0000"),
    *(b"\\ud800", b"\\udc00\\ud800", b",", b";", b":", b"[", b"]", b"{", b"}", b"[" * 70, b"{" * 500, b"null", b"true"),
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"-0",
        b"9" * 4301,
        b"9223372036854775808",
        b"0000-01-01T00:00:00Z",
        b"\xe2\x80\xa8",
    ),
    *(
        b" " * 2000,
        b"x" * 600,
        b"\xf0\x9f\x91\x8d",
        b'"externalId":"twin",',
        b"=cmd|' /C calc'!A0",
        b"\x1a",
        b"/*",
        b"%00",
    ),
]


def flip(draw: random.Random, body: bytes) -> bytes:
    place = draw.randrange(len(body))
    return body[:place] + bytes([body[place] ^ (1 << draw.randrange(8))]) + body[place + 1 :]


def insert(draw: random.Random, body: bytes) -> bytes:
    place = draw.randrange(len(body) + 1)
    return body[:place] + draw.choice(GRIT) + body[place:]


def replace(draw: random.Random, body: bytes) -> bytes:
    start = draw.randrange(len(body))
    return body[:start] + draw.choice(GRIT) + body[start + draw.randrange(12) :]


def cut(draw: random.Random, body: bytes) -> bytes:
    start = draw.randrange(len(body))
    return body[:start] + body[start + draw.randrange(40) :]


def end_early(draw: random.Random, body: bytes) -> bytes:
    return body[: draw.randrange(len(body))]


def repeat(draw: random.Random, body: bytes) -> bytes:
    start = draw.randrange(len(body))
    part = body[start : start + draw.randrange(1, 80)]
    return body[:start] + part * draw.randrange(2, 5) + body[start + len(part) :]


MUTATIONS: tuple[Mutation, ...] = (flip, insert, replace, cut, end_early, repeat)


def make_documents() -> list[Json]:
    return [
        {
            "externalId": f"id-{number}",
            "content": f'The "staff" was friendly, the queue too long; {number} 👍\nagain',
            "lang": "en",
            "metadata": [{"code": "nps", "value": number}, {"code": "visit", "value": "2026-01-05T10:00:00.000Z"}],
        }
        for number in range(6)
    ]


def make_json() -> bytes:
    return json.dumps({"documents": make_documents()}, ensure_ascii=False).encode()


def make_csv() -> bytes:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["externalId", "content", "lang", "metadata.nps", "metadata.visit"])
    for document in make_documents():
        values = [entry["value"] for entry in document["metadata"]]
        writer.writerow([document["externalId"], document["content"], document["lang"], *values])
    return file.getvalue().encode()


def mutated(seed: bytes, rounds: int) -> Iterator[bytes]:
    """The same bodies in every run."""
    draw = random.Random(seed)  # noqa: S311  It is to be repeatable, not secret.
    for _ in range(rounds):
        body = seed
        for _ in range(draw.choice((1, 1, 1, 2, 5))):
            body = draw.choice(MUTATIONS)(draw, body) or b" "
        yield body


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("mutated"))
    try:
        yield served
    finally:
        served.end()


def send_all(
    served: Served, path: str, media: str, bodies: Iterator[bytes]
) -> tuple[str, list[tuple[bytes, httpx.Response]]]:
    """The dataset all bodies were sent to, and each with its reply."""
    declared = make_dataset(metadataDefinitions=[make_definition("nps", "NPS"), make_definition("visit", "DATETIME")])
    dataset_id = served.http.post("/v1/management/datasets", json=declared).json()["id"]
    address = f"/v1/management/datasets/{dataset_id}/{path}"
    headers = {"Content-Type": media}
    return dataset_id, [(body, served.http.post(address, content=body, headers=headers)) for body in bodies]


def wait_for_all(served: Served, dataset_id: str, replies: list[httpx.Response]) -> list[Json]:
    """The records of all accepted imports once each has ended."""
    deadline = time.monotonic() + 150
    ended = []
    for reply in replies:
        while (record := served.state(dataset_id, reply.json()["id"]))["state"] == "STARTED":
            assert time.monotonic() < deadline, "an accepted import does not end"
            time.sleep(0.05)
        ended.append(record)
    return ended


def rows_of(body: bytes) -> int:
    rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig"), newline="")))
    return sum(1 for row in rows[1:] if row)


@pytest.mark.parametrize(
    ("path", "media", "seed", "count"),
    [
        ("imports", "application/json", make_json(), lambda body: len(json.loads(body)["documents"])),
        ("imports/csv", "text/csv", make_csv(), rows_of),
    ],
    ids=["json", "csv"],
)
def test_mutated_bodies_are_refused_or_wholly_accounted_for(
    served: Served, path: str, media: str, seed: bytes, count: Callable[[bytes], int]
) -> None:
    before = {child.pid for child in served.children()}
    dataset_id, replies = send_all(served, path, media, mutated(seed, ROUNDS))
    statuses = [reply.status_code for _, reply in replies]
    assert set(statuses) <= {201, 400, 413, 422}
    accepted = [(body, reply) for body, reply in replies if reply.status_code == 201]
    assert len(accepted) > ROUNDS / 10
    assert len(accepted) < ROUNDS
    assert [reply.json()["totalDocuments"] for _, reply in accepted] == [count(body) for body, _ in accepted]
    records = wait_for_all(served, dataset_id, [reply for _, reply in accepted])
    assert {record["state"] for record in records} == {"COMPLETED"}
    assert all(record["processedDocuments"] == record["totalDocuments"] for record in records)
    assert all({e["index"] for e in r["errors"]} <= set(range(r["totalDocuments"])) for r in records)
    assert before <= {child.pid for child in served.children()}


def test_a_refusal_names_the_fault_in_the_documented_body(served: Served) -> None:
    _, replies = send_all(served, "imports", "application/json", mutated(make_json(), 60))
    for _, reply in replies:
        if reply.status_code != 201:
            body = reply.json()
            assert body["success"] is False
            assert all(error["code"] and error["description"] for error in body["errors"])
