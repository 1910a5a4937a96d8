"""Who is calling: bearer tokens, and what their scope allows."""

from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from feedback.api.service import ServiceDep
from feedback.errors import Forbidden, Unauthorised
from feedback.store.clients import Caller, find_caller
from feedback.store.engine import snapshot

_bearer = HTTPBearer(auto_error=False, description="An access token of POST /v1/token.")


def get_caller(
    service: ServiceDep, credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]
) -> Caller:
    """The caller behind the request's bearer token."""
    if credentials is None:
        message = "send the header Authorization: Bearer <access token of POST /v1/token>"
        raise Unauthorised(message)
    with snapshot(service.engine) as connection, connection.begin():
        caller = find_caller(connection, credentials.credentials)
    if caller is None:
        message = "the access token is unknown, expired or revoked; get a new one from POST /v1/token"
        raise Unauthorised(message)
    return caller


CallerDep = Annotated[Caller, Depends(get_caller)]


def get_writer(caller: CallerDep) -> Caller:
    """The caller, who must be allowed to change things."""
    if caller.scope != "write":
        message = "this needs a client of scope write; the token's client has scope read"
        raise Forbidden(message)
    return caller


WriterDep = Annotated[Caller, Depends(get_writer)]
