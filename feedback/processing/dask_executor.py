"""Analysis on a Dask cluster, for when one machine is too small; its workers need this package installed."""

import contextlib
import time
from concurrent.futures import BrokenExecutor, Executor, Future

import structlog
from distributed import Client

from feedback.analysis import Profile
from feedback.errors import Code, Invalid
from feedback.processing.analysing import Texts, analyse_texts
from feedback.processing.executors import LocalExecutor

_log = structlog.get_logger()

CONNECT_SECONDS = 10
_WIDTH_SECONDS = 5.0


class DaskExecutor:
    """Hands slices to the workers of a Dask scheduler.

    A slice whose node dies is run on another by the scheduler, since analysis is a pure function. While the scheduler
    itself is away, `submit` raises BrokenExecutor, and the slices are analysed in a process of this machine.
    """

    def __init__(self, address: str, connect_seconds: float = CONNECT_SECONDS) -> None:
        self._address = address
        self._connect_seconds = connect_seconds
        self._client: Client | None = None
        self._executor: Executor | None = None
        self._width = 1
        self._width_until = 0.0
        try:
            self._connect()
        except (OSError, ValueError) as error:
            message = f"the Dask scheduler at {address} cannot be reached: {error}"
            raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DASK_SCHEDULER") from None

    @property
    def width(self) -> int:
        """The threads of all workers that are there."""
        if self._client is not None and time.monotonic() > self._width_until:
            with contextlib.suppress(Exception):
                threads = self._client.nthreads()  # type: ignore[no-untyped-call]
                self._width = max(1, sum(threads.values()))
            self._width_until = time.monotonic() + _WIDTH_SECONDS
        return self._width

    def submit(self, texts: Texts, profile: Profile) -> "Future[bytes]":
        """Starts an analysis somewhere on the cluster."""
        if self._executor is None:
            self._reconnect()
        if self._executor is None:
            raise BrokenExecutor(self._address)
        try:
            return self._executor.submit(analyse_texts, texts, profile)
        except Exception as error:
            self._drop()
            raise BrokenExecutor(self._address) from error

    def renew(self) -> None:
        """Restarts the cluster's workers that are busy: one of them may hang. Cancelling would not stop a text."""
        try:
            if self._client is not None:
                running = self._client.processing()  # type: ignore[no-untyped-call]
                busy = [worker for worker, tasks in running.items() if tasks]
                if busy:
                    self._client.restart_workers(busy, timeout=CONNECT_SECONDS, raise_for_error=False)
        except Exception as error:  # noqa: BLE001  A scheduler that is away is asked again at the next slice.
            _log.warning("the Dask cluster cannot be renewed", reason=type(error).__name__)
            self._drop()

    def alone(self) -> LocalExecutor:
        """One process of this machine: what kills it takes no part of the cluster along."""
        return LocalExecutor(1)

    def close(self) -> None:
        """Leaves the cluster."""
        self._drop()

    def _connect(self) -> None:
        client = Client(self._address, timeout=self._connect_seconds, set_as_default=False)  # type: ignore[no-untyped-call]
        self._client = client
        self._executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]

    def _reconnect(self) -> None:
        try:
            self._connect()
        except Exception as error:  # noqa: BLE001  It is tried again at the next slice.
            _log.warning("the Dask scheduler is away", reason=type(error).__name__)

    def _drop(self) -> None:
        client, self._client, self._executor = self._client, None, None
        if client is not None:
            with contextlib.suppress(Exception):
                client.close(timeout=1)  # type: ignore[no-untyped-call]
