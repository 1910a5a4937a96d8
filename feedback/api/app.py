"""Assembles the HTTP interface of one service."""

from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from feedback.api import (
    aggregation,
    datasets,
    documents,
    health,
    imports,
    insights,
    metrics,
    own_entries,
    reanalysis,
    search,
    token,
    webhooks,
)
from feedback.api.errors import install_handlers
from feedback.api.head import HeadAsGet
from feedback.api.limits import TokenLimiter
from feedback.api.metrics import PREFIX, RequestTimer, make_registry
from feedback.api.openapi import install_openapi, replied
from feedback.api.reference import install_reference
from feedback.api.schemas.common import ErrorBody
from feedback.api.service import Service

RESOURCES = (token, datasets, imports, documents, own_entries, reanalysis, search, aggregation, insights, webhooks)

_STATUSES = {
    400: "The bytes are not what the route reads.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The token's scope does not allow this.",
    404: "No such thing in the caller's organisation.",
    409: "Something else stands in the way.",
    413: "The body is too large.",
    415: "The body's media type is not read here.",
    422: "A rule is broken; all problems are named.",
    429: "Too many requests; Retry-After says when to come back.",
    503: "The database cannot be reached.",
    507: "The disk is full.",
}


def create_app(service: Service) -> FastAPI:
    """The ASGI application of a service."""
    app = FastAPI(
        title="Customer feedback analysis",
        version="1",
        description="Datasets, imports, analysed documents, and aggregations over them.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        # A redirect would be a reply without the error body, to an address that a proxy may have renamed.
        redirect_slashes=False,
    )
    app.state.service = service
    app.state.token_limiter = TokenLimiter(service.settings.token_requests_per_minute)
    install_handlers(app)
    app.include_router(health.router)
    app.include_router(metrics.router)
    failures: dict[int | str, dict[str, Any]] = {s: replied(ErrorBody, text) for s, text in _STATUSES.items()}
    interface = APIRouter(prefix=PREFIX, responses=failures)
    for resource in RESOURCES:
        interface.include_router(resource.router)
    app.include_router(interface)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(service.settings.cors_origins),
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=["Retry-After"],
    )
    app.state.metrics, seconds = make_registry(service)
    app.add_middleware(RequestTimer, seconds=seconds, log=service.settings.log_format == "json")
    app.add_middleware(HeadAsGet)
    install_openapi(app)
    install_reference(app)
    return app
