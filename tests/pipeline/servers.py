"""What the pipeline runs beside in production, as processes that tests start, kill and start again."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(found: Callable[[], Any], seconds: float) -> Any:
    """What `found` gives once it gives something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if got := found():
                return got
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"nothing came within {seconds} seconds")


class Child:
    """A process with a session of its own, which can be ended with all it started, and started again."""

    def __init__(self, command: list[Any], environment: dict[str, str], log: Path) -> None:
        self._command = [str(part) for part in command]
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as stream:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            # Prefect's worker gives each flow run a session of its own.
            of_its_own = psutil.Process(self._process.pid).children(recursive=True)
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for child in of_its_own:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            self._process = None


class PrefectServer:
    """A real Prefect server on a free port. On SQLite its own services lock each other out, for seconds at a time."""

    def __init__(self, folder: Path, database: str) -> None:
        port = free_port()
        self.api = f"http://127.0.0.1:{port}/api"
        self.environment = {
            **os.environ,
            "PREFECT_HOME": str(folder),
            "PREFECT_API_URL": self.api,
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": database,
            # A run that waits for its turn asks again after 30 seconds otherwise.
            "PREFECT_SERVER_DEPLOYMENTS_CONCURRENCY_SLOT_WAIT_SECONDS": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        command = [BIN / "prefect", "server", "start", "--port", port, "--no-ui"]
        self._child = Child(command, self.environment, folder / "server.log")

    def start(self) -> None:
        self._child.start()

    def wait(self) -> None:
        until(lambda: httpx.get(f"{self.api}/health").is_success, 120)

    def kill(self) -> None:
        self._child.kill()
