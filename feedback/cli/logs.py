"""Logs of the service: structured, to standard error, and never a word of what customers wrote."""

import logging
import sys
from typing import Any

import structlog

# An unexpected error of a route is logged where it is answered; the server would log it again. Nor does the service
# need the library that the server would have installed for a protocol that is not offered.
_NEEDLESS = ("ASGI application", "No supported WebSocket library")


def configure_logs(form: str) -> None:
    """Has every log line of this process written as console text or as JSON."""
    renderer: Any = structlog.processors.JSONRenderer()
    if form == "console":
        renderer = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
        )
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # Libraries log through the standard library: only what an operator must know is let through, in the same form.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderer,
            ],
        )
    )
    logging.getLogger("uvicorn.error").addFilter(_is_needed)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


def _is_needed(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    return not any(words in message for words in _NEEDLESS)
