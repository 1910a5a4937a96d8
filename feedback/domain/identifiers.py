"""Identifiers and secrets: made from the operating system's randomness, never from a counter."""

import re
import secrets

_ID = re.compile(r"[0-9a-f]{24}")


def new_id() -> str:
    """24 hex characters that nobody else has."""
    return secrets.token_hex(12)


def new_ids(count: int) -> list[str]:
    """Several ids at once, which is much quicker than one by one."""
    digits = secrets.token_hex(12 * count)
    return [digits[place : place + 24] for place in range(0, 24 * count, 24)]


def new_secret() -> str:
    """A 256-bit secret, URL-safe."""
    return secrets.token_urlsafe(32)


def is_id(text: str) -> bool:
    """Whether a text from a caller can be an id at all."""
    return _ID.fullmatch(text) is not None
