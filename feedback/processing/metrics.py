"""Prometheus metrics of a worker process, served on a port of their own where one is set."""

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, start_http_server

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

CHUNK_SECONDS = Histogram(
    "feedback_chunk_seconds",
    "Time from a chunk's claim to its commit.",
    registry=REGISTRY,
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120),
)
CHUNK_DOCUMENTS = Counter("feedback_chunk_documents", "Documents in committed chunks.", registry=REGISTRY)
ANALYSIS_SECONDS = Counter(
    "feedback_analysis_seconds", "Processor time that the analysis of texts took.", registry=REGISTRY
)
CHUNK_FAILURES = Counter("feedback_chunk_failures", "Chunks that were not committed.", ["reason"], registry=REGISTRY)
DELIVERY_ATTEMPTS = Counter(
    "feedback_delivery_attempts", "Attempts to send a webhook notification.", ["outcome"], registry=REGISTRY
)


def serve_metrics(host: str, port: int) -> None:
    """Answers scrapes from a thread of its own until the process ends."""
    start_http_server(port, host, REGISTRY)
