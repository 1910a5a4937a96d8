"""Which addresses a notification may be sent to: none that lies inside somebody's network, this service's least of all.

The ranges are those of IANA's special-purpose registries, spelt out because `ipaddress.is_global` lets several through.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Collection

import httpx

from feedback.errors import Code, Problem

MAX_URL = 2048

# Of IPv6, what is not global unicast is refused altogether: mapped and translated IPv4, local, multicast, reserved.
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(
    ipaddress.IPv6Network(network)
    for network in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
_SPECIAL_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        # Not in the registries: the address at which a large cloud serves its machines' credentials.
        "168.63.129.16/32",
    )
)
_CONTROL = re.compile(r"[\x00-\x20\x7f]")

Resolve = Callable[[str, int], list[str]]
"""The addresses of a host, as text; OSError where it has none."""


class ForbiddenTarget(Exception):
    """The host is unknown, or has an address that nothing may be sent to."""


def is_public(address: str) -> bool:
    """Whether an address lies on the public internet, outside all special ranges."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv4Address):
        return not any(parsed in network for network in _SPECIAL_V4)
    if parsed.scope_id is not None or parsed not in _GLOBAL_V6:
        return False
    return not any(parsed in network for network in _SPECIAL_V6)


def resolve(host: str, port: int) -> list[str]:
    """What the system's resolver says of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def checked_addresses(host: str, port: int, allowed: Collection[str], resolver: Resolve = resolve) -> list[str]:
    """The addresses that may be dialled for a host; ForbiddenTarget where any of them is not public.

    One bad address forbids the host: a name that mixes both kinds is made for getting around this check. The named
    `allowed` hosts may be anywhere.
    """
    try:
        addresses = resolver(host, port)
    except (OSError, UnicodeError) as error:
        message = f"the host {host} cannot be resolved"
        raise ForbiddenTarget(message) from error
    if not addresses:
        message = f"the host {host} cannot be resolved"
        raise ForbiddenTarget(message)
    if host.lower() not in {name.lower() for name in allowed} and not all(map(is_public, addresses)):
        message = f"the host {host} lies in a private, loopback, link-local or otherwise special range"
        raise ForbiddenTarget(message)
    return addresses


def url_problem(url: str, allowed: Collection[str], resolver: Resolve = resolve) -> Problem | None:
    """What keeps notifications from being sent to a URL; None where nothing does."""
    if len(url) > MAX_URL:
        return Problem(Code.TOO_LONG, f"a url takes at most {MAX_URL} characters", "url")
    try:
        parsed = httpx.URL("" if _CONTROL.search(url) else url)
        host, port = target_of(parsed)
    except (httpx.InvalidURL, ValueError):
        parsed, host, port = httpx.URL(), "", 0
    if not host or parsed.scheme not in ("http", "https") or not 1 <= port <= 65_535:
        return Problem(Code.INVALID_VALUE, "a url is http://HOST/PATH or https://HOST/PATH", "url")
    if parsed.userinfo or "#" in url:
        return Problem(Code.INVALID_VALUE, "a url has neither credentials nor a fragment here", "url")
    try:
        checked_addresses(host, port, allowed, resolver)
    except ForbiddenTarget as error:
        return Problem(Code.FORBIDDEN_TARGET, str(error), "url")
    return None


def target_of(url: httpx.URL) -> tuple[str, int]:
    """The host as it is dialled (ASCII, no brackets) and the port."""
    default = 443 if url.scheme == "https" else 80
    return url.raw_host.decode("ascii"), default if url.port is None else url.port
