"""Ends a command in good order: whoever stops it leaves neither a service nor a Prefect server behind."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

STOPPED = 128 + signal.SIGTERM


def end_in_good_order() -> None:
    """Let SIGTERM unwind the process as Ctrl-C does; without a handler, what it started would outlive it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))


@contextmanager
def held() -> Iterator[None]:
    """Within the block Ctrl-C and SIGTERM wait: raised in a callback of the import machinery, they would be lost."""
    waiting = {signal.SIGINT, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
