"""What can go wrong between the client and the service, cut in two: what a rerun can change, and what it cannot.

ClientError
├── Transient   timeouts, broken connections, 429, 5xx, a request with the same key under way: it may succeed later
└── Permanent   every other refusal: the same request will be refused again
"""

from collections.abc import Mapping
from typing import Any

from feedback.errors import Code, Problem

TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500


class ClientError(Exception):
    """The root of what the client raises; `status` is None when no reply came, `problems` may be empty."""

    def __init__(self, message: str, *, status: int | None = None, problems: tuple[Problem, ...] = ()) -> None:
        self.status = status
        self.problems = problems
        super().__init__(message)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all problems, for a caller that acts on one of them."""
        return frozenset(problem.code for problem in self.problems)


class Transient(ClientError):
    """The same request may succeed later; `retry_after` is what the service asked for, in seconds."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        problems: tuple[Problem, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        self.retry_after = retry_after
        super().__init__(message, status=status, problems=problems)


class Permanent(ClientError):
    """The same request will be refused again: something has to be changed first."""


def refusal(request: str, status: int, body: object, retry_after: float | None) -> ClientError:
    """The error for a non-2xx reply, with the service's own words where it gave any."""
    problems = tuple(_problems(body))
    told = "; ".join(f"{p.field}: {p.description}" if p.field else p.description for p in problems)
    message = f"{request} was answered {status}" + (f": {told}" if told else "")
    in_flight = any(problem.code is Code.REQUEST_IN_FLIGHT for problem in problems)
    if in_flight or status == TOO_MANY_REQUESTS or status >= SERVER_ERROR:
        return Transient(message, status=status, problems=problems, retry_after=retry_after)
    return Permanent(message, status=status, problems=problems)


def _problems(body: object) -> list[Problem]:
    errors = body.get("errors") if isinstance(body, Mapping) else None
    found = errors if isinstance(errors, list) else []
    return [_problem(each) for each in found if isinstance(each, Mapping)]


def _problem(error: Mapping[str, Any]) -> Problem:
    raw = str(error.get("code", ""))
    # A newer service may know codes that this client does not; its description still tells what to do.
    code = Code(raw) if raw in set(Code) else Code.INVALID_VALUE
    return Problem(code, str(error.get("description", raw)), error.get("field"))
