"""Reads request bodies: capped, of a known media type, decoded strictly."""

from typing import Annotated, Any

import msgspec
from fastapi import Depends, Request

from feedback.api.service import ServiceDep
from feedback.errors import Code, Malformed, TooLarge, UnsupportedMedia

JSON = "application/json"


def media_type(request: Request) -> str:
    """The request's content type without its parameters, in lower case; empty where there is none."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def require_plain(request: Request) -> None:
    """Refuses compressed bodies: a few kilobytes of them can hold gigabytes."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        message = f"bodies are read uncompressed, not as {encoding}"
        raise UnsupportedMedia(message, code=Code.UNSUPPORTED_ENCODING)


def require_length(request: Request, limit: int) -> None:
    """Refuses a body that says it is larger than the limit, before any of it is read."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 20:
        require_room(int(declared), limit)


def require_room(size: int, limit: int) -> None:
    """Refuses a body that has grown past its limit."""
    if size > limit:
        raise TooLarge(f"a body of this request takes at most {limit:,} bytes")


async def read_bytes(request: Request, limit: int) -> bytes:
    """The whole body, where it is small enough."""
    require_plain(request)
    require_length(request, limit)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        require_room(size, limit)
        parts.append(part)
    return b"".join(parts)


async def read_json(request: Request, service: ServiceDep) -> Any:
    """The decoded JSON body."""
    if media_type(request) != JSON:
        message = f"send the body as {JSON}"
        raise UnsupportedMedia(message)
    return decode(await read_bytes(request, service.settings.max_request_bytes))


async def read_optional_json(request: Request, service: ServiceDep) -> Any:
    """The decoded JSON body; None where the request has neither body nor content type."""
    body = await read_bytes(request, service.settings.max_request_bytes)
    if not body:
        return None
    if media_type(request) != JSON:
        message = f"send the body as {JSON}"
        raise UnsupportedMedia(message)
    return decode(body)


def decode(body: bytes) -> Any:
    """Decodes JSON; Malformed where it is none, or holds what no JSON text can (lone surrogates, endless nesting)."""
    try:
        body.decode()
        return msgspec.json.decode(body)
    except UnicodeDecodeError:
        message = "the body is not UTF-8"
        raise Malformed(message) from None
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"the body is not JSON: {error}"
        raise Malformed(message) from None


JsonBody = Annotated[Any, Depends(read_json)]
OptionalJsonBody = Annotated[Any, Depends(read_optional_json)]
