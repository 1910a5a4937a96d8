"""One HTTP POST to a stranger: to the checked address alone, within a deadline, following nothing, reading nothing."""

import ssl
import time
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

import httpcore
import httpx
import msgspec

from feedback.processing.addresses import Resolve, checked_addresses, resolve, target_of

USER_AGENT = "feedback-analysis"
_ADDRESSES = 3
"""How many of a host's addresses are tried."""


class Answer(msgspec.Struct, frozen=True):
    """What the receiver answered: its status and its Retry-After, if any."""

    status: int
    retry_after: str | None


class Unreached(Exception):
    """No answer came: nothing listens, the certificate is wrong, or it took too long."""


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout: float,
    allowed: Collection[str] = (),
    resolver: Resolve = resolve,
) -> Answer:
    """Sends a body and returns the answer, whatever its status.

    Raises Unreached where there is none, ForbiddenTarget where the host may not be dialled. `timeout` bounds all of
    it but the look-up of the name. Host header and TLS name stay the URL's; only the address dialled is ours.
    """
    parsed = httpx.URL(url)
    host, port = target_of(parsed)
    deadline = time.monotonic() + timeout
    backend = _CheckedBackend(checked_addresses(host, port, allowed, resolver), deadline)
    target = httpcore.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path)
    sent = [("User-Agent", USER_AGENT), ("Content-Type", "application/json"), *headers.items()]
    patience = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)}
    try:
        with (
            httpcore.ConnectionPool(ssl_context=_certificates(), network_backend=backend) as pool,
            pool.stream("POST", target, headers=sent, content=body, extensions=patience) as reply,
        ):
            found = {name.lower(): value for name, value in reply.headers}
            retry_after = found.get(b"retry-after")
            return Answer(reply.status, None if retry_after is None else retry_after.decode("latin-1"))
    except httpcore.TimeoutException:
        message = f"no answer within {timeout:g} seconds"
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        message = f"{type(error).__name__}: {error}"
    raise Unreached(message)


class _CheckedBackend(httpcore.NetworkBackend):
    """Dials the addresses it was given, whatever host it is asked for."""

    def __init__(self, addresses: list[str], deadline: float) -> None:
        self._addresses = addresses[:_ADDRESSES]
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002  The name was looked up and checked already; looking again may give another address.
        port: int,
        timeout: float | None = None,  # noqa: ARG002  The deadline is what counts.
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        for number, address in enumerate(self._addresses, 1):
            share = _left(self._deadline) / (len(self._addresses) - number + 1)
            try:
                stream = self._backend.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(self._addresses):
                    raise
            else:
                return _TimedStream(stream, self._deadline)
        message = "the host has no address"
        raise httpcore.ConnectError(message)


class _TimedStream(httpcore.NetworkStream):
    """Gives each read and write what is left until the deadline: a receiver that answers byte by byte gains nothing."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  As above.
        return self._stream.read(max_bytes, _left(self._deadline, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  As above.
        self._stream.write(buffer, _left(self._deadline, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  As above.
    ) -> httpcore.NetworkStream:
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@cache
def _certificates() -> ssl.SSLContext:
    # Reading the system's certificates takes longer than most deliveries.
    return ssl.create_default_context()


def _left(deadline: float, error: type[httpcore.TimeoutException] = httpcore.ConnectTimeout) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise error
    return left
