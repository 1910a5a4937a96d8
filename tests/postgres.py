"""A real PostgreSQL for tests: its own directory, no network, gone at the end."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REASON = "the binaries of PostgreSQL (initdb, pg_ctl) are not installed"


def find_binaries() -> Path | None:
    """The newest directory that holds PostgreSQL's server programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextmanager
def running_postgres() -> Iterator["PostgresServer"]:
    """A server that listens on a socket of its own; skips where there are no binaries, fails there under CI."""
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{REASON}, and CI must not skip this")
        pytest.skip(REASON)
    server = PostgresServer(binaries)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.remove()


class PostgresServer:
    """One cluster. It refuses to run as root, so its programs then run as the user postgres."""

    def __init__(self, binaries: Path, *, durable: bool = False) -> None:
        self._binaries = binaries
        self._fsync = "on" if durable else "off"
        # pytest's own directories lie under one that only its user may enter.
        self.home = Path(tempfile.mkdtemp(prefix="feedback-pg-"))
        self._user: dict[str, object] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.home, account.pw_uid, account.pw_gid)
            self._user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def url(self, database: str = "postgres") -> str:
        user = "postgres" if self._user else pwd.getpwuid(os.geteuid()).pw_name
        return f"postgresql+psycopg://{user}@/{database}?host={self.home}"

    def initialise(self) -> None:
        self._run("initdb", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D", str(self.home / "data"))

    def start(self) -> None:
        options = f"-c listen_addresses='' -k {self.home} -c fsync={self._fsync} -c max_connections=100"
        log = str(self.home / "log")
        self._run("pg_ctl", "-w", "-D", str(self.home / "data"), "-l", log, "-o", options, "start")

    def stop(self) -> None:
        if (self.home / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "-w", "-D", str(self.home / "data"), "-m", "immediate", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        environment = {"LC_ALL": "C.UTF-8", "PATH": f"{self._binaries}:/usr/bin:/bin"}
        command = [str(self._binaries / program), *arguments]
        subprocess.run(
            command,
            check=True,
            cwd=self.home,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self._user,  # type: ignore[call-overload]
        )
