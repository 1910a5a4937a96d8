"""What an import costs: time, memory of every process, and the share that is not analysis.

    python benchmarks/imports.py --documents 100000 1000000 --json imports.json

Starts `feedback serve` on an empty SQLite database for each size, posts one import of that many comments of about 20
words, and behind it one of 100. Prints the time to accept and to complete both, the largest anonymous memory
(RssAnon) of each process, and the processor time of the analysis and of everything else. Analysis is what the worker's
metrics say that the texts took; what else the analysis processes do counts as everything else, their start included,
and so does the merging of segments behind the import.
"""

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil

SUBJECTS = ("staff", "coffee", "delivery", "room", "queue", "app", "refund", "price", "driver", "customer service")
JUDGEMENTS = ("was great", "was far too slow", "could be better", "is not worth it", "was lovely", "never worked")
CONTEXTS = ("on my second visit to the store in town", "when we came back last week with the children", "as always")
LINKS = ("but", "and", "although", "because")
SMALL = 100
IDLE_SECONDS = 0.1


def comment(random_: random.Random) -> str:
    first, second = random_.sample(SUBJECTS, 2)
    return (
        f"The {first} {random_.choice(JUDGEMENTS)} {random_.choice(CONTEXTS)}, {random_.choice(LINKS)} "
        f"the {second} {random_.choice(JUDGEMENTS)}. Visit {random_.randrange(10_000)}."
    )


def body(documents: int, prefix: str) -> Iterator[bytes]:
    random_ = random.Random(7)
    yield b'{"documents":['
    batch: list[str] = []
    for number in range(documents):
        document = {
            "externalId": f"{prefix}-{number}",
            "content": comment(random_),
            "metadata": [{"code": "nps", "value": random_.randrange(11)}],
        }
        batch.append(("," if number else "") + json.dumps(document))
        if len(batch) == 1000:
            yield "".join(batch).encode()
            batch = []
    yield "".join(batch).encode() + b"]}"


class Memory:
    """The largest RssAnon seen of each process, in bytes."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.peaks: dict[str, int] = {}
        self.cpu: dict[str, float] = {}

    def sample(self) -> None:
        """Looks at every process once."""
        for process in [self._process, *self._process.children(recursive=True)]:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
                times = process.cpu_times()
                name = f"{self._kind(process)} {process.pid}"
            except (psutil.Error, OSError):
                continue
            anonymous = next((line for line in status.splitlines() if line.startswith("RssAnon")), None)
            if anonymous is not None:
                self.peaks[name] = max(self.peaks.get(name, 0), int(anonymous.split()[1]) * 1024)
                self.cpu[name] = times.user + times.system

    def _kind(self, process: psutil.Process) -> str:
        command = " ".join(process.cmdline())
        if "spawn_main" in command:
            return "analysis"
        if "resource_tracker" in command:
            return "tracker"
        return "worker" if "worker" in command else "api"


def wait(http: httpx.Client, address: str, memory: Memory, every: float) -> dict[str, Any]:
    while True:
        record: dict[str, Any] = http.get(address).json()
        memory.sample()
        if record["state"] != "STARTED":
            return record
        time.sleep(every)


def settle(memory: Memory) -> None:
    """Waits until nothing more is done: segments are merged once the worker has nothing to import, and that counts."""
    used = -1.0
    while sum(memory.cpu.values()) - used > IDLE_SECONDS:
        used = sum(memory.cpu.values())
        time.sleep(1.0)
        memory.sample()


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def analysis_seconds(metrics: int) -> float:
    """What the worker says that the analysis of texts has taken."""
    lines = httpx.get(f"http://127.0.0.1:{metrics}/metrics", trust_env=False).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("feedback_analysis_seconds_total"))


def measure(documents: int) -> dict[str, Any]:
    metrics = free_port()
    with tempfile.TemporaryDirectory(prefix="feedback-bench-") as directory:
        made = subprocess.run(
            [sys.executable, "-m", "feedback.cli", "clients", "create", "--organisation", "B", "--json"],
            env=os.environ | {"FEEDBACK_DATA_DIR": directory},
            capture_output=True,
            check=True,
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "feedback.cli", "serve", "--port", "0"],
            env=os.environ | {"FEEDBACK_DATA_DIR": directory, "FEEDBACK_WORKER_METRICS_PORT": str(metrics)},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            return run(process, json.loads(made.stdout), documents, Path(directory), metrics)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def run(
    process: "subprocess.Popen[str]", credentials: dict[str, str], documents: int, directory: Path, metrics: int
) -> dict[str, Any]:
    assert process.stdout is not None
    base = process.stdout.readline().split()[2].rstrip(",")
    memory = Memory(psutil.Process(process.pid))
    with httpx.Client(base_url=base, timeout=600, trust_env=False) as http:
        token = http.post("/v1/token", json=credentials).json()["access_token"]
        http.headers["Authorization"] = f"Bearer {token}"
        dataset = {
            "name": "bench",
            "lang": "en",
            "type": "PRODUCT_REVIEW",
            "industry": "RETAIL_B2C",
            "metadataDefinitions": [{"code": "nps", "type": "NPS", "mandatory": False}],
        }
        dataset_id = http.post("/v1/management/datasets", json=dataset).json()["id"]
        address = f"/v1/management/datasets/{dataset_id}/imports"
        headers = {"Content-Type": "application/json"}
        spool = directory / "body.json"
        with spool.open("wb") as file:
            file.writelines(body(documents, "large"))
        before = time.perf_counter()
        with spool.open("rb") as file:
            large = http.post(address, content=file, headers=headers).json()["id"]
        accepted = time.perf_counter() - before
        memory.sample()
        small_before = time.perf_counter()
        small = http.post(address, content=b"".join(body(SMALL, "small")), headers=headers).json()["id"]
        wait(http, f"{address}/{small}", memory, 0.2)
        small_seconds = time.perf_counter() - small_before
        record = wait(http, f"{address}/{large}", memory, 1.0)
        seconds = time.perf_counter() - before
        settle(memory)
    analysis = analysis_seconds(metrics)
    cpu: dict[str, float] = {}
    for name, seconds_used in memory.cpu.items():
        kind = name.split()[0]
        cpu[kind] = cpu.get(kind, 0.0) + seconds_used
    total = sum(cpu.values())
    cpu |= {"analysis": analysis, "analysis processes besides": cpu["analysis"] - analysis}
    return {
        "documents": documents,
        "megabytes": round(spool.stat().st_size / 1e6, 1),
        "state": record["state"],
        "accept_s": round(accepted, 2),
        "complete_s": round(seconds, 2),
        "documents_per_s": round(documents / seconds),
        "small_behind_it_s": round(small_seconds, 2),
        "cpu_s": {kind: round(used, 1) for kind, used in cpu.items()},
        "us_a_document": {
            "analysis": round(analysis / documents * 1e6, 1),
            "not_analysis": round((total - analysis) / documents * 1e6, 1),
        },
        "share_not_analysis": round((total - analysis) / total, 3),
        "rss_anon_mb": {name: round(peak / 1e6, 1) for name, peak in sorted(memory.peaks.items())},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = []
    for documents in arguments.documents:
        results.append(measure(documents))
        print(json.dumps(results[-1], indent=1), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
