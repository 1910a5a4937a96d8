"""The processes of the service: the API, a worker, or both; each ends cleanly on SIGTERM and Ctrl-C."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import structlog
import uvicorn
from sqlalchemy import Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from feedback.cli.logs import configure_logs
from feedback.errors import Code, Invalid
from feedback.settings import Settings
from feedback.store import schema
from feedback.store.engine import IDLE_SECONDS, open_engine

_log = structlog.get_logger()

GRACE_SECONDS = 8.0
DRAIN_SECONDS = 5
RESTART_SECONDS = 1.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 10.0
_WATCH_SECONDS = 0.5


def open_database(
    settings: Settings,
    *,
    idle_seconds: float = IDLE_SECONDS,
    application: str = "feedback",
    make: bool = True,
) -> Engine:
    """The service's database with this version's schema. SQLite is upgraded here, PostgreSQL by `feedback migrate`.

    Without `make`, a SQLite file that is not there is an error: an empty one would be taken for the service's.
    """
    address = make_url(settings.url)
    if not make and address.get_backend_name() == "sqlite" and not Path(str(address.database)).exists():
        message = f"there is no database {address.database}"
        field = "FEEDBACK_DATABASE_URL" if settings.database_url else "FEEDBACK_DATA_DIR"
        raise Invalid(message, code=Code.INVALID_SETTING, field=field)
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the directory {settings.data_dir} cannot be made: {error.strerror}"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DATA_DIR") from None
    engine = open_engine(settings.url, pool_size=10, idle_seconds=idle_seconds, application=application)
    try:
        _prepare(engine)
    except DBAPIError as error:
        message = f"the database cannot be opened: {_reason(error)}"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DATABASE_URL") from None
    return engine


def await_database(settings: Settings, going: Callable[[], bool]) -> None:
    """Returns once PostgreSQL answers, or when `going` says no more: a worker may be started before its database is.

    SQLite needs no waiting for: what keeps its file from being opened does not pass by itself.
    """
    engine = open_engine(settings.url)
    pause = FIRST_PAUSE_SECONDS
    while engine.dialect.name != "sqlite" and going():
        try:
            engine.connect().close()
        except OperationalError as error:
            _log.warning("the database does not answer, trying again", seconds=pause, reason=_reason(error))
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        else:
            break
    engine.dispose()


def _prepare(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        schema.upgrade(engine)
    elif not schema.is_current(engine):
        message = f"the database does not have schema {schema.newest()}; run: feedback migrate"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DATABASE_URL")


def _reason(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def serve_api(settings: Settings) -> None:
    """Runs the HTTP interface until it is told to end."""
    configure_logs(settings.log_format)
    _end_on_sigterm()
    _run_api(settings, open_database(settings), note="")


def serve_all(settings: Settings) -> None:
    """Runs the API in this process and a worker beside it, which is started again should it die."""
    configure_logs(settings.log_format)
    _end_on_sigterm()
    engine = open_database(settings)
    keeper = _WorkerKeeper(settings)
    keeper.start()
    try:
        _run_api(settings, engine, note=f", data in {settings.url.removeprefix('sqlite:///')}")
    finally:
        keeper.end()


def run_worker(settings: Settings, follow: int | None = None) -> None:
    """Runs a worker until it is told to end, or until the process `follow`, its parent, is gone."""
    from feedback.processing.worker import Worker, new_worker_name  # noqa: PLC0415  The API has no need of them.

    configure_logs(settings.log_format)
    if settings.worker_metrics_port is not None:
        _serve_metrics(settings.host, settings.worker_metrics_port)
    await_database(settings, lambda: follow is None or os.getppid() == follow)
    name = new_worker_name()
    # A worker whose machine is gone must not keep its locks longer than its claims.
    worker = Worker(settings, open_database(settings, idle_seconds=settings.claim_seconds, application=name), name=name)
    # What is loaded now stays: collections need not look through it again.
    gc.freeze()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if follow is not None:
        threading.Thread(target=_stop_with_parent, args=(follow, worker.stop), daemon=True).start()
    worker.run()


class _WorkerKeeper:
    """Keeps one worker process alive beside the API."""

    def __init__(self, settings: Settings) -> None:
        self._environment = os.environ | {
            f"FEEDBACK_{name.upper()}": _plain(value)
            for name, value in settings.model_dump().items()
            if value is not None
        }
        self._ending = threading.Event()
        self._process = self._spawn()
        self._thread = threading.Thread(target=self._watch, name="worker keeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ending.set()
        self._thread.join()
        self._process.terminate()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _log.warning("worker does not end in time, so it is killed; its import is taken up at the next start")
            self._process.kill()
            self._process.wait()

    def _spawn(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "feedback.cli", "worker", "--follow", str(os.getpid())]
        return subprocess.Popen(command, env=self._environment)  # noqa: S603  Our own command.

    def _watch(self) -> None:
        while not self._ending.wait(_WATCH_SECONDS):
            if self._process.poll() is not None:
                _log.error("worker died and is started again", status=self._process.returncode)
                self._ending.wait(RESTART_SECONDS)
                try:
                    self._process = self._spawn()
                except OSError as error:
                    # No memory, or an interpreter that an upgrade is just replacing: it is tried until it succeeds.
                    _log.error("worker cannot be started", reason=error.strerror)


class _Server(uvicorn.Server):
    """Says where it listens once it does."""

    def __init__(self, config: uvicorn.Config, announcement: str) -> None:
        super().__init__(config)
        self._announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self._announcement, flush=True)


def _run_api(settings: Settings, engine: Engine, note: str) -> None:
    from feedback.api.app import create_app  # noqa: PLC0415  Workers have no need of it.
    from feedback.api.service import Service  # noqa: PLC0415

    listener = _listen(settings)
    host, port = listener.getsockname()[:2]
    config = uvicorn.Config(
        create_app(Service(settings, engine)),
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        server_header=False,
        # A library for them may be there because something else wants it; it would answer without the error body.
        ws="none",
    )
    shown = f"[{host}]" if ":" in host else host
    try:
        _Server(config, f"Ready at http://{shown}:{port}{note}").run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
        engine.dispose()


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Without the protocol asyncio does not take its connections for TCP, and lets Nagle hold every reply for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        message = f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_PORT") from None
    listener.listen(2048)
    return listener


def _serve_metrics(host: str, port: int) -> None:
    from feedback.processing.metrics import serve_metrics  # noqa: PLC0415  The API has metrics of its own.

    try:
        serve_metrics(host, port)
    except OSError as error:
        message = f"cannot listen on {host}:{port}: {error.strerror}"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_WORKER_METRICS_PORT") from None


def _end_on_sigterm() -> None:
    # uvicorn raises the signal again once it has drained: this lets the worker be ended too, instead of dying on it.
    signal.signal(signal.SIGTERM, _exit)


def _exit(_: int, __: FrameType | None) -> None:
    sys.exit(0)


def _stop_with_parent(parent: int, stop: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    stop()


def _plain(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
