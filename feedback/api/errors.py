"""Turns errors into replies: the one place that knows which status an error has."""

import errno
import re
import sqlite3
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from feedback.api.metrics import route_of
from feedback.api.openapi import methods_at
from feedback.errors import (
    Busy,
    Code,
    Conflict,
    FeedbackError,
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    Problem,
    StorageFull,
    TooLarge,
    Unauthorised,
    Unavailable,
    UnsupportedMedia,
)

_log = structlog.get_logger()

STATUS: dict[type[FeedbackError], int] = {
    Malformed: 400,
    Unauthorised: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    TooLarge: 413,
    UnsupportedMedia: 415,
    Invalid: 422,
    Busy: 429,
    Unavailable: 503,
    StorageFull: 507,
}
RETRY_SECONDS = 5
_SURROGATES = re.compile("[\ud800-\udfff]")
_FULL = re.compile(r"disk is full|No space left on device|could not extend file", re.IGNORECASE)
_UNREADABLE = {"int_parsing", "bool_parsing", "float_parsing"}


def install_handlers(app: FastAPI) -> None:
    """Makes every non-2xx reply of the app the documented error body."""
    app.add_exception_handler(FeedbackError, _feedback_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _parameter_error)
    app.add_exception_handler(SQLAlchemyError, _database_error)
    app.add_exception_handler(OSError, _system_error)
    app.add_exception_handler(ClientDisconnect, _disconnected)
    app.add_exception_handler(Exception, _bug)


def error_reply(request: Request, error: FeedbackError) -> Response:
    """The reply that tells a caller of an error."""
    status = STATUS.get(type(error), 500)
    headers: dict[str, str] = {}
    if isinstance(error, Unauthorised):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, Busy | Unavailable | StorageFull) or error.retry_after:
        headers["Retry-After"] = str(error.retry_after or RETRY_SECONDS)
    return _reply(request, status, error.problems, headers)


def _reply(
    request: Request, status: int, problems: Sequence[Problem], headers: dict[str, str] | None = None
) -> Response:
    errors = [
        {"code": p.code, "description": _printable(p.description), "field": p.field and _printable(p.field)}
        for p in problems
    ]
    if "application/problem+json" in request.headers.get("accept", "").lower():
        title = HTTPStatus(status).phrase
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": "; ".join(e["description"] or "" for e in errors[:3]),
            "errors": errors,
        }
        media = "application/problem+json"
    else:
        body, media = {"success": False, "errors": errors}, "application/json"
    return Response(msgspec.json.encode(body), status, headers, media)


def _printable(text: str) -> str:
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


async def _feedback_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, FeedbackError):
        raise error
    return error_reply(request, error)


async def _http_error(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    headers = dict(getattr(error, "headers", None) or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        # The router names the methods of one route only, where several share the address.
        offered = ", ".join(methods_at(request.app.openapi(), request.url.path)) or headers.get("Allow", "")
        headers = {"Allow": offered}
        problem = Problem(Code.METHOD_NOT_ALLOWED, f"{request.method} is not offered here; {offered} is")
    elif status == HTTPStatus.NOT_FOUND:
        problem = Problem(Code.NOT_FOUND, "there is nothing at this address; /docs lists what there is")
    else:
        problem = Problem(Code.MALFORMED_BODY, str(getattr(error, "detail", "the request cannot be read")))
    return _reply(request, status, [problem], headers)


async def _parameter_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    found = error.errors()
    problems = [
        Problem(_parameter_code(f["type"]), f["msg"], ".".join(str(part) for part in f["loc"][1:])) for f in found
    ]
    unreadable = any(problem.code is Code.MALFORMED_PARAMETER for problem in problems)
    return error_reply(request, Malformed(problems=problems) if unreadable else Invalid(problems=problems))


def _parameter_code(kind: str) -> Code:
    if kind in _UNREADABLE:
        return Code.MALFORMED_PARAMETER
    if kind in ("greater_than_equal", "less_than_equal"):
        return Code.OUT_OF_BOUNDS
    return {"missing": Code.REQUIRED, "string_too_long": Code.TOO_LONG}.get(kind, Code.INVALID_VALUE)


async def _database_error(request: Request, error: Exception) -> Response:
    if isinstance(error, DBAPIError) and _is_full(error.orig):
        return error_reply(request, StorageFull("the disk is full; nothing was stored", retry_after=60))
    if isinstance(error, DBAPIError) and not isinstance(error.orig, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        _log.error("database fails", route=route_of(request.scope), error=type(error.orig).__name__)
        return error_reply(request, Unavailable("the database cannot be reached; nothing was changed"))
    return await _bug(request, error)


def _is_full(cause: BaseException | None) -> bool:
    return cause is not None and _FULL.search(str(cause)) is not None


async def _system_error(request: Request, error: Exception) -> Response:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return error_reply(request, StorageFull("the disk is full; nothing was stored", retry_after=60))
    return await _bug(request, error)


async def _disconnected(request: Request, _: Exception) -> Response:
    return error_reply(request, Malformed("the connection ended before the body did"))


async def _bug(request: Request, error: Exception) -> Response:
    _log.error("unexpected error", method=request.method, route=route_of(request.scope), exc_info=error)
    problem = Problem(Code.INTERNAL_ERROR, "the service failed; its log says why")
    return _reply(request, 500, [problem])
