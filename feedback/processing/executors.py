"""Where texts are analysed: processes of this machine, each of which can be replaced when a text kills it."""

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, Protocol

from feedback.analysis import ANALYSIS_VERSION, Profile
from feedback.errors import Code, Invalid, Unavailable
from feedback.processing.analysing import Texts, analyse_texts

if TYPE_CHECKING:
    # Analysis processes load this module, and would load the database's libraries with the settings.
    from feedback.settings import Settings

_WATCH_SECONDS = 0.5
# What an analysis makes lives briefly and holds no cycles: collecting as often as by default takes a tenth of its time.
GC_THRESHOLD = 50_000

Analyse = Callable[[Texts, Profile], bytes]


class NoAnalysis(Unavailable):
    """No analysis process of this worker's own version can be had: no text is to blame, and none may be marked."""


class AnalysisExecutor(Protocol):
    """Something that analyses texts elsewhere and can be made fresh again."""

    @property
    def width(self) -> int:
        """How many slices it works on at once."""

    def submit(self, texts: Texts, profile: Profile) -> "Future[bytes]":
        """Starts an analysis; the future fails where its process dies."""

    def renew(self) -> None:
        """Ends everything that runs and starts afresh."""

    def alone(self) -> "AnalysisExecutor":
        """A fresh one that runs a single slice at a time, for texts that are suspected; the caller closes it."""

    def close(self) -> None:
        """Ends everything that runs."""


class LocalExecutor:
    """A pool of spawned processes on this machine. Spawned, because forking a parent with threads deadlocks.

    A process whose analysis is of another version, because its files were replaced since this one began, ends itself.
    """

    def __init__(self, processes: int, analyse: Analyse = analyse_texts, version: str = ANALYSIS_VERSION) -> None:
        self._processes = processes
        self._analyse = analyse
        self._version = version
        self._pool = self._open()

    @property
    def width(self) -> int:
        """The number of processes."""
        return self._processes

    def submit(self, texts: Texts, profile: Profile) -> "Future[bytes]":
        """Starts an analysis in one of the processes."""
        return self._pool.submit(self._analyse, texts, profile)

    def renew(self) -> None:
        """Kills the processes, a hung one included, and starts new ones."""
        self._end()
        self._pool = self._open()

    def alone(self) -> "LocalExecutor":
        """One process of its own."""
        return LocalExecutor(1, self._analyse, self._version)

    def close(self) -> None:
        """Kills the processes."""
        self._end()

    def _open(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self._processes, mp_context=context, initializer=_start_child, initargs=(os.getpid(), self._version)
        )

    def _end(self) -> None:
        children = list((self._pool._processes or {}).values())  # noqa: SLF001  There is no public way to a hung child.
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.kill()
        for child in children:
            child.join()


def open_executor(settings: "Settings") -> AnalysisExecutor:
    """The executor that the settings ask for: a Dask cluster where a scheduler is named, else this machine."""
    if settings.dask_scheduler is None:
        return LocalExecutor(settings.processes)
    try:
        from feedback.processing.dask_executor import DaskExecutor  # noqa: PLC0415  An extra that few need.
    except ImportError:
        message = "Dask is not installed; install the extra: feedback-analysis[dask]"
        raise Invalid(message, code=Code.INVALID_SETTING, field="FEEDBACK_DASK_SCHEDULER") from None
    return DaskExecutor(settings.dask_scheduler)


def _start_child(parent: int, version: str) -> None:
    """A child outlives a parent that is killed; so it watches, and goes too. Signals are the parent's to answer."""
    if version != ANALYSIS_VERSION:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    gc.set_threshold(GC_THRESHOLD)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)
