"""Identifiers and secrets: made from the operating system's randomness, never from a counter."""

import re
import secrets
import time

_ID = re.compile(r"[0-9a-f]{24}")


def new_id() -> str:
    """24 hex characters that nobody else has."""
    return secrets.token_hex(12)


def new_ids(count: int) -> list[str]:
    """Several ids at once, ascending, each beginning with the second it was made in.

    A database that keeps a million of them in order then writes each lot to one place of its index, not to a thousand.
    """
    second = f"{int(time.time()) & 0xFFFFFFFF:08x}"
    digits = secrets.token_hex(8 * count)
    return [second + rest for rest in sorted(digits[place : place + 16] for place in range(0, 16 * count, 16))]


def new_secret() -> str:
    """A 256-bit secret, URL-safe."""
    return secrets.token_urlsafe(32)


def is_id(text: str) -> bool:
    """Whether a text from a caller can be an id at all."""
    return _ID.fullmatch(text) is not None
