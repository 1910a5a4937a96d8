"""Access tokens: JSON `{clientId, clientSecret}`, or RFC 6749 client credentials as a form or with HTTP Basic."""

import base64
import binascii
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import msgspec
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from feedback.api.auth import CallerDep
from feedback.api.body import JSON, decode, media_type, read_bytes
from feedback.api.errors import error_reply
from feedback.api.limits import TokenLimiter
from feedback.api.openapi import documented
from feedback.api.pages import json_reply
from feedback.api.schemas.token import TokenRecord, TokenRequest
from feedback.api.service import Service, ServiceDep
from feedback.errors import Code, FeedbackError, Malformed, Unauthorised, UnsupportedMedia
from feedback.store.clients import issue_token, revoke_token

FORM = "application/x-www-form-urlencoded"
MAX_BODY = 16 * 1024

router = APIRouter(tags=["token"])


class Credentials(msgspec.Struct, frozen=True):
    """What a client shows to get a token."""

    client_id: str
    secret: str


@router.post(
    "/token",
    responses={200: {"model": TokenRecord}},
    openapi_extra=documented(TokenRequest, {"clientId": "0f1e2d3c4b5a69788796a5b4", "clientSecret": "..."}),
)
async def create_token(request: Request, service: ServiceDep) -> Response:
    """Get an access token. It lives an hour and can be revoked."""
    basic = request.headers.get("authorization", "").lower().startswith("basic")
    oauth = media_type(request) == FORM or basic
    try:
        body = await read_bytes(request, MAX_BODY)
        service_limiter(request).take(request.client.host if request.client else "")
        credentials = _credentials(request, body)
        token = await run_in_threadpool(_issue, service, credentials)
    except FeedbackError as error:
        reply = error_reply(request, error)
        return _with_oauth_error(reply, error, basic=basic) if oauth else reply
    return json_reply(
        {"access_token": token, "token_type": "Bearer", "expires_in": service.settings.token_seconds},
        headers={"Cache-Control": "no-store"},
    )


@router.delete("/token", status_code=204)
def delete_token(request: Request, service: ServiceDep, caller: CallerDep) -> Response:
    """Revoke the access token that this request carries."""
    token = request.headers["authorization"].partition(" ")[2].strip()
    with service.engine.begin() as connection:
        revoke_token(connection, token, caller.client_id)
    return Response(status_code=204)


def service_limiter(request: Request) -> TokenLimiter:
    """The limiter of the app that serves the request."""
    limiter: TokenLimiter = request.app.state.token_limiter
    return limiter


def _issue(service: Service, credentials: Credentials) -> str:
    with service.engine.begin() as connection:
        return issue_token(connection, credentials.client_id, credentials.secret, service.settings.token_seconds)


def _credentials(request: Request, body: bytes) -> Credentials:
    basic = _basic(request.headers.get("authorization", ""))
    kind = media_type(request)
    if kind == FORM or basic is not None:
        return _oauth_credentials(body if kind == FORM else b"", basic)
    if kind == JSON:
        members: Any = decode(body)
        if isinstance(members, dict):
            client_id, secret = members.get("clientId"), members.get("clientSecret")
            if isinstance(client_id, str) and isinstance(secret, str):
                return Credentials(_storable(client_id), secret)
        message = "the body is {clientId, clientSecret}, both strings"
        raise Malformed(message)
    message = f"send {JSON}, or {FORM} with grant_type=client_credentials"
    raise UnsupportedMedia(message)


def _oauth_credentials(body: bytes, basic: Credentials | None) -> Credentials:
    try:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=20, errors="strict"))
    except ValueError:
        message = "the body is not a form"
        raise Malformed(message) from None
    grant = form.get("grant_type")
    if grant is None:
        message = "grant_type=client_credentials is missing"
        raise Malformed(message, field="grant_type")
    if grant != "client_credentials":
        message = "the one grant offered is client_credentials"
        raise Malformed(message, code=Code.UNSUPPORTED_GRANT_TYPE, field="grant_type")
    if basic is not None:
        return basic
    if "client_id" not in form or "client_secret" not in form:
        message = "client_id and client_secret are needed, in the form or as HTTP Basic"
        raise Malformed(message)
    return Credentials(_storable(form["client_id"]), form["client_secret"])


def _basic(header: str) -> Credentials | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        client_id, colon, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        colon = client_id = secret = ""
    if not colon:
        message = "the Basic credentials cannot be read"
        raise Unauthorised(message, code=Code.INVALID_CLIENT)
    return Credentials(_storable(unquote_plus(client_id)), unquote_plus(secret))


def _storable(client_id: str) -> str:
    if "\0" in client_id or not client_id.isprintable():
        message = "unknown client"
        raise Unauthorised(message, code=Code.INVALID_CLIENT)
    return client_id


def _with_oauth_error(reply: Response, error: FeedbackError, *, basic: bool) -> Response:
    """Adds RFC 6749's members, which OAuth libraries look for."""
    body = msgspec.json.decode(bytes(reply.body))
    if error.code is Code.UNSUPPORTED_GRANT_TYPE:
        body["error"] = "unsupported_grant_type"
    elif isinstance(error, Unauthorised):
        body["error"] = "invalid_client"
    else:
        body["error"] = "invalid_request"
    body["error_description"] = error.problems[0].description
    headers = {name: value for name, value in reply.headers.items() if name not in ("content-length", "content-type")}
    if basic and isinstance(error, Unauthorised):
        headers["www-authenticate"] = 'Basic realm="feedback"'
    return Response(msgspec.json.encode(body), reply.status_code, headers, reply.media_type)
