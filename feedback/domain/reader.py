"""Reads decoded JSON member by member and reports everything that is wrong with it at once."""

import re
import sys
from collections.abc import Iterable
from typing import Any

from feedback.domain.metadata_values import shown
from feedback.errors import Code, Invalid, Problem

_MISSING: Any = object()


class Reader:
    """Reads members of decoded JSON and remembers what is wrong with them."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, code: Code, description: str, field: str) -> None:
        """Notes a problem."""
        self._problems.append(Problem(code, description, field or None))

    def finish(self) -> None:
        """Raises Invalid with everything that was noted."""
        if self._problems:
            raise Invalid(problems=self._problems)

    def members(self, value: object, path: str, known: set[str]) -> dict[str, Any]:
        """The members of an object, none of which may be unknown; an empty dict where it is none."""
        if not isinstance(value, dict):
            self.add(Code.WRONG_TYPE, f"an object, not {shown(value)}", path)
            return {}
        for name in value:
            if name not in known:
                self.add(
                    Code.UNKNOWN_FIELD,
                    f"no such field; there are: {', '.join(sorted(known))}",
                    member_path(path, name[:64]),
                )
        return value

    def text(self, members: dict[str, Any], name: str, path: str, *, maximum: int = 64) -> str:
        """A required, non-empty string; "" where it is none."""
        value = members.get(name, _MISSING)
        where = member_path(path, name)
        if value is _MISSING or value is None:
            self.add(Code.REQUIRED, f"{name or path} is required", where)
        elif not isinstance(value, str):
            self.add(Code.WRONG_TYPE, f"{name or path} is a string, not {shown(value)}", where)
        elif not value.strip():
            self.add(Code.TOO_SHORT, f"{name or path} is empty", where)
        elif len(value) > maximum:
            self.add(Code.TOO_LONG, f"{name or path} takes at most {maximum} characters", where)
        elif "\0" in value:
            self.add(Code.ILLEGAL_CHARACTER, "NUL cannot be stored", where)
        else:
            return value
        return ""

    def pattern(self, members: dict[str, Any], name: str, pattern: re.Pattern[str], wanted: str, path: str = "") -> str:
        """A required string that the pattern must match as a whole."""
        value = self.text(members, name, path)
        if value and not pattern.fullmatch(value):
            self.add(Code.INVALID_VALUE, f"{shown(value)} is not {wanted}", member_path(path, name))
        return value

    def choice(self, members: dict[str, Any], name: str, choices: Iterable[str], path: str = "") -> str:
        """A required string that is one of the choices."""
        value = self.text(members, name, path)
        known = list(choices)
        if value and value not in known:
            description = f"{shown(value)} is none of: {', '.join(known)}"
            self.add(Code.INVALID_VALUE, description, member_path(path, name))
        return value

    def texts(self, members: dict[str, Any], name: str, path: str, *, most: int, maximum: int) -> tuple[str, ...]:
        """An array of non-empty strings; empty where it is absent."""
        value = members.get(name)
        where = member_path(path, name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.add(Code.WRONG_TYPE, f"{name} is an array of strings, not {shown(value)}", where)
            return ()
        if len(value) > most:
            self.add(Code.TOO_MANY, f"{name} takes at most {most} strings", where)
            return ()
        return tuple(self.text({"": element}, "", f"{where}[{n}]", maximum=maximum) for n, element in enumerate(value))

    def flag(self, members: dict[str, Any], name: str, path: str) -> bool:
        """A boolean; False where it is absent."""
        value = members.get(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            self.add(Code.WRONG_TYPE, f"{name} is true or false, not {shown(value)}", member_path(path, name))
        return False

    def number(self, members: dict[str, Any], name: str, path: str) -> float | None:
        """A finite number; None where it is absent."""
        value = members.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.add(Code.WRONG_TYPE, f"{name} is a number, not {shown(value)}", member_path(path, name))
            return None
        # A whole number in JSON may be longer than any that a double holds.
        if not -sys.float_info.max <= value <= sys.float_info.max:
            self.add(
                Code.OUT_OF_BOUNDS, f"{name} is larger than a number may be: {shown(value)}", member_path(path, name)
            )
            return None
        return value


def member_path(path: str, name: str) -> str:
    """The path of a member of what lies at a path; the root's is empty."""
    return f"{path}.{name}" if path and name else path or name
