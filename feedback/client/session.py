"""Tokens, retries and decoding for every call, so that the methods of the client say only what they ask."""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
import msgspec

from feedback.client.errors import Permanent, Transient, refusal
from feedback.client.models import Token

T = TypeVar("T")
RENEW_BEFORE = 60.0
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 20.0
_MAKING = threading.Lock()
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}
NOTHING_WAS_DONE = frozenset({429, 503, 507})
_LOG = logging.getLogger("feedback.client")
_WORTH_TELLING = 1.0
"""Seconds; shorter pauses are no news."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """How long one call may take, all attempts together; the budget is a deadline, not a sum of pauses."""

    patience: float

    def run(self, attempt: Callable[[], T], *, safe: bool) -> T:
        """Repeat `attempt` while a rerun can change its outcome and nothing can happen twice by it."""
        deadline = time.monotonic() + self.patience
        pause = FIRST_PAUSE
        while True:
            try:
                return attempt()
            except Transient as error:
                wait = max(error.retry_after or 0.0, pause * random.uniform(0.5, 1.0))  # noqa: S311 jitter, no secret
                left = deadline - time.monotonic()
                if not (safe or _untouched(error)) or wait >= left:
                    raise
                if wait >= _WORTH_TELLING:
                    _LOG.warning("%s; asking again in %.0f s, giving up after %.0f s", error, wait, left)
            time.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE)


def _untouched(error: Transient) -> bool:
    return error.status in NOTHING_WAS_DONE or isinstance(error.__cause__, httpx.ConnectError)


class Session:
    """One authenticated conversation; safe to share between threads."""

    def __init__(self, http: httpx.Client, client_id: str, client_secret: str, retrying: Retrying) -> None:
        self._http = http
        self._credentials = {"clientId": client_id, "clientSecret": client_secret}
        self._retrying = retrying
        self._lock = threading.Lock()
        self._token = ""
        self._expires = 0.0

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        reads: type[T],
        *,
        safe: bool,
        json: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Send one request, decode its reply. `safe`: to send it twice does nothing twice."""

        def attempt() -> httpx.Response:
            request = self._http.build_request(method, path, json=json, content=content, params=query, headers=headers)
            return self._authorised(request)

        return _decode(self._retrying.run(attempt, safe=safe), reads)

    def delete(self, path: str) -> None:
        """Delete one thing; whatever the reply holds is of no interest."""
        attempts = 0

        def attempt() -> None:
            nonlocal attempts
            attempts += 1
            try:
                self._authorised(self._http.build_request("DELETE", path))
            except Permanent as error:
                # It is gone: an attempt whose reply was lost on the way has deleted it.
                if attempts == 1 or error.status != httpx.codes.NOT_FOUND:
                    raise

        self._retrying.run(attempt, safe=True)

    def _authorised(self, request: httpx.Request) -> httpx.Response:
        request.headers["Authorization"] = f"Bearer {self._bearer()}"
        response = self._answer(request)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            # The token may have been revoked, or the service restored from a backup; one new token decides it.
            self._forget(request.headers["Authorization"])
            request.headers["Authorization"] = f"Bearer {self._bearer()}"
            response = self._answer(request)
        return _accepted(request, response)

    def _bearer(self) -> str:
        with self._lock:
            if time.monotonic() >= self._expires:
                request = self._http.build_request("POST", "/v1/token", json=self._credentials)
                token = _decode(_accepted(request, self._answer(request)), Token)
                self._token = token.access_token
                self._expires = time.monotonic() + token.expires_in - min(RENEW_BEFORE, token.expires_in / 10)
            return self._token

    def _forget(self, header: str) -> None:
        with self._lock:
            if header == f"Bearer {self._token}":
                self._expires = 0.0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._http.send(request)
        except httpx.TransportError as error:
            message = f"{request.method} {request.url} got no answer: {error or type(error).__name__}"
            raise Transient(message) from error


def _accepted(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        body = msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        body = None
    raise refusal(f"{request.method} {request.url.path}", response.status_code, body, _retry_after(response))


def _retry_after(response: httpx.Response) -> float | None:
    header = response.headers.get("Retry-After", "").strip()
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _decoder(reads: type[T]) -> msgspec.json.Decoder[T]:
    # msgspec may crash where two threads are the first to meet a type.
    with _MAKING:
        if reads not in _DECODERS:
            _DECODERS[reads] = msgspec.json.Decoder(reads, strict=False)
        return _DECODERS[reads]


def _decode(response: httpx.Response, reads: type[T]) -> T:
    try:
        return _decoder(reads).decode(response.content)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        message = f"{response.request.method} {response.request.url.path} gave a reply that cannot be read: {error}"
        raise Permanent(message, status=response.status_code) from error
