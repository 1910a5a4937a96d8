"""The service as its user runs it: `feedback serve` and the other commands, as processes of their own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.builders import make_dataset

COMMAND = [sys.executable, "-m", "feedback.cli"]


def run(*arguments: str, text: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments],
        input=text,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=150,
        check=False,
    )


class Served:
    """`feedback serve` as a process of its own."""

    def __init__(
        self, directory: Path, log: Path = Path(os.devnull), interpreter: str = sys.executable, **environment: str
    ) -> None:
        self.directory = directory
        made = run("clients", "create", "--organisation", "Acme", "--json", "--data-dir", str(directory))
        self.credentials = json.loads(made.stdout)
        with log.open("ab") as stderr:
            self.process = subprocess.Popen(
                [interpreter, *COMMAND[1:], "serve", "--data-dir", str(directory), "--port", "0", "--processes", "1"],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=os.environ | environment,
            )
        assert self.process.stdout is not None
        address = self.process.stdout.readline().split()[2].rstrip(",")
        self.http = httpx.Client(base_url=address, trust_env=False)
        reply = self.http.post("/v1/token", json=self.credentials)
        self.http.headers["Authorization"] = f"Bearer {reply.json()['access_token']}"

    def children(self) -> list[psutil.Process]:
        children: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        return children

    def dataset(self) -> str:
        return str(self.http.post("/v1/management/datasets", json=make_dataset()).json()["id"])

    def send(self, dataset_id: str, documents: list[dict[str, Any]]) -> str:
        reply = self.http.post(f"/v1/management/datasets/{dataset_id}/imports", json={"documents": documents})
        assert reply.status_code == 201
        return str(reply.json()["id"])

    def state(self, dataset_id: str, import_id: str) -> dict[str, Any]:
        record: dict[str, Any] = self.http.get(f"/v1/management/datasets/{dataset_id}/imports/{import_id}").json()
        return record

    def end(self, number: int = signal.SIGTERM) -> None:
        self.http.close()
        self.process.send_signal(number)
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
