"""Tells whoever listens how far a step has come: a terminal, a Prefect artifact, or nobody."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int | None], None]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


def tell(stage: str, done: int, total: int | None) -> None:
    """Say that `done` of `total` (None when nobody knows it) are through a stage."""
    for listener in _listeners.get():
        listener(stage, done, total)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within the block, progress is told to this listener too."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)
