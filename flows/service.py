"""Runs the feedback service as a child process for as long as a block lasts."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

START_SECONDS = 90.0
STOP_SECONDS = 15.0
COMMAND = (sys.executable, "-m", "feedback.cli")


class ServiceDown(Exception):
    """The service did not start; the message quotes the end of its log."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service and the credentials of a client."""

    url: str
    client_id: str
    client_secret: str


@contextmanager
def running_service(data_dir: Path, organisation: str) -> Iterator[Service]:
    """A service on a free port, ended with the block, whatever ends it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    log = data_dir / "service.log"
    with log.open("ab") as stream:
        # A session of its own: Ctrl-C reaches this process alone, which then ends the service in good order.
        process = subprocess.Popen(  # noqa: S603 our own command
            [*COMMAND, "serve", "--data-dir", str(data_dir), "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_ready(url, process, log)
        client_id, secret = _credentials(data_dir, organisation)
        yield Service(url, client_id, secret)
    finally:
        _end(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServiceDown(f"the service ended with code {process.returncode}:\n{_tail(log)}")
        try:
            if httpx.get(f"{url}/readyz", timeout=2.0, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise ServiceDown(f"the service was not ready within {START_SECONDS:g} seconds:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])


def _credentials(data_dir: Path, organisation: str) -> tuple[str, str]:
    """A client's credentials, made once and kept where only their owner reads them."""
    file = data_dir / "client.json"
    if not file.exists():
        create = [*COMMAND, "clients", "create", "--organisation", organisation, "--json", "--data-dir", str(data_dir)]
        made = subprocess.run(create, capture_output=True, text=True, check=False)  # noqa: S603 our own command
        if made.returncode:
            raise ServiceDown(f"no client could be made:\n{made.stderr.strip()}")
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
            stream.write(made.stdout)
    said = json.loads(file.read_text())
    return said["clientId"], said["clientSecret"]


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
