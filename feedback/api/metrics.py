"""Prometheus metrics of an API process: its requests, and what the database says of the whole service."""

import re
import time
from collections.abc import Iterator

import structlog
from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feedback.api.service import Service
from feedback.store.engine import snapshot
from feedback.store.figures import Figures, read_figures

_log = structlog.get_logger()

router = APIRouter(tags=["health"], include_in_schema=False)

PREFIX = "/v1"
"""Where the interface begins."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
_CONVERTOR = re.compile(r":\w+}")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """The figures of this process and of the service, in Prometheus' text format."""
    registry: CollectorRegistry = request.app.state.metrics
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def make_registry(service: Service) -> tuple[CollectorRegistry, Histogram]:
    """The metrics of one app, and the histogram its requests are entered in."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_ServiceFigures(service.engine))
    seconds = Histogram(
        "feedback_request_seconds",
        "Time until the reply was sent.",
        ["method", "route", "status"],
        registry=registry,
        buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60),
    )
    return registry, seconds


class RequestTimer:
    """Times every request by its route, never by its address, which may hold a customer's ids."""

    def __init__(self, app: ASGIApp, seconds: Histogram, *, log: bool) -> None:
        self._app = app
        self._seconds = seconds
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on and notes how long it took."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        started = time.perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            self._enter(scope, status, time.perf_counter() - started)

    def _enter(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope)
        # Of methods anybody can make up as many as they like, and each would be kept for good.
        method = "any" if route == "none" else scope["method"] if scope["method"] in _METHODS else "other"
        self._seconds.labels(method, route, status).observe(seconds)
        if self._log:
            _log.info("request", method=method, route=route, status=status, seconds=round(seconds, 4))


def route_of(scope: Scope) -> str:
    """The route's address with names in the place of ids; `none` where there is no such route."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return "none"
    path = _CONVERTOR.sub("}", path)
    # A route of a router that was included with a prefix knows its own part alone.
    return path if scope["path"].startswith(path.partition("{")[0]) else f"{PREFIX}{path}"


class _ServiceFigures(Collector):
    """Reads the database when it is asked; every API process tells the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def describe(self) -> Iterator[Metric]:
        """Nothing: the database is not asked before the first scrape."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The figures as metrics; while the database is away this alone, beside those of the process."""
        found = self._read()
        yield GaugeMetricFamily("feedback_database_up", "Whether the database answers.", int(found is not None))
        if found is None:
            return
        yield GaugeMetricFamily("feedback_datasets", "Datasets.", found.datasets)
        yield GaugeMetricFamily("feedback_queued_documents", "Documents not processed yet.", found.queued_documents)
        yield GaugeMetricFamily(
            "feedback_oldest_import_seconds",
            "Age of the oldest import that has not ended.",
            found.oldest_import_seconds,
        )
        yield CounterMetricFamily("feedback_processed_documents", "Documents dealt with.", found.processed_documents)
        yield CounterMetricFamily("feedback_failed_documents", "Documents with errors.", found.failed_documents)
        yield GaugeMetricFamily("feedback_disabled_webhooks", "Webhooks that were disabled.", found.disabled_webhooks)
        yield _by_state("feedback_imports", "Imports by state.", found.imports)
        yield _by_state("feedback_deliveries", "Webhook notifications by state.", found.deliveries)

    def _read(self) -> Figures | None:
        try:
            with snapshot(self._engine) as connection, connection.begin():
                return read_figures(connection)
        except SQLAlchemyError as error:
            _log.error("database fails", route="/metrics", error=type(error).__name__)
            return None


def _by_state(name: str, text: str, counts: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family
