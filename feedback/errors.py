"""The only errors a caller may see: each has a stable code, a sentence that says what to do, and the path it concerns.

FeedbackError
├── Malformed              400  the bytes are not what the route reads
├── Unauthorised           401  no token, or one that is unknown, expired or revoked
├── Forbidden              403  the token's scope does not allow it
├── NotFound               404  no such thing in the caller's organisation
├── Conflict               409  a name taken, a request in flight
├── TooLarge               413  more bytes than the service takes
├── UnsupportedMedia       415  a content type the route does not read
├── Invalid                422  a rule is broken; holds every problem found, up to 100
├── Busy                   429  too many requests, or the queue is full
├── Unavailable            503  the database cannot be reached
└── StorageFull            507  the disk is full

Anything else that is raised is a bug, and never leaks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MAX_PROBLEMS = 100


class Code(StrEnum):
    """The closed list of error codes; docs/errors.md explains each."""

    MALFORMED_BODY = "malformed_body"
    MALFORMED_PARAMETER = "malformed_parameter"
    INVALID_TOKEN = "invalid_token"
    INVALID_CLIENT = "invalid_client"
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NAME_TAKEN = "name_taken"
    REQUEST_IN_FLIGHT = "request_in_flight"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    NOT_FINISHED = "not_finished"
    TOO_LARGE = "too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    REQUIRED = "required"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_FIELD = "unknown_field"
    INVALID_VALUE = "invalid_value"
    OUT_OF_BOUNDS = "out_of_bounds"
    TOO_LONG = "too_long"
    TOO_SHORT = "too_short"
    NOT_ALLOWED = "not_allowed"
    DUPLICATE = "duplicate"
    DUPLICATE_EXTERNAL_ID = "duplicate_external_id"
    ILLEGAL_CHARACTER = "illegal_character"
    ILLEGAL_COMBINATION = "illegal_combination"
    PERSONAL_DATA = "personal_data"
    TOO_MANY = "too_many"
    FORBIDDEN_TARGET = "forbidden_target"
    ANALYSIS_FAILED = "analysis_failed"
    IMPORT_FAILED = "import_failed"
    RATE_LIMITED = "rate_limited"
    QUEUE_FULL = "queue_full"
    UNAVAILABLE = "unavailable"
    STORAGE_FULL = "storage_full"
    INVALID_SETTING = "invalid_setting"
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what, where (`documents[3].metadata[nps]`) and what to do about it."""

    code: Code
    description: str
    field: str | None = None


class FeedbackError(Exception):
    """The root of all errors a caller may see. `problems` has at least one element and at most 100."""

    default_code: Code = Code.INVALID_VALUE

    def __init__(
        self,
        description: str = "",
        *,
        code: Code | None = None,
        field: str | None = None,
        problems: Iterable[Problem] | None = None,
        retry_after: int | None = None,
    ) -> None:
        found = tuple(problems or ())[:MAX_PROBLEMS]
        self.problems = found or (Problem(code or self.default_code, description, field),)
        self.retry_after = retry_after
        super().__init__("; ".join(f"{p.field}: {p.description}" if p.field else p.description for p in self.problems))

    @property
    def code(self) -> Code:
        """The code of the first problem."""
        return self.problems[0].code


class Malformed(FeedbackError):
    """The bytes are not what the route reads."""

    default_code = Code.MALFORMED_BODY


class Unauthorised(FeedbackError):
    """There is no token, or it is unknown, expired or revoked."""

    default_code = Code.INVALID_TOKEN


class Forbidden(FeedbackError):
    """The token is good, its scope does not allow this."""

    default_code = Code.INSUFFICIENT_SCOPE


class NotFound(FeedbackError):
    """There is no such thing in the caller's organisation."""

    default_code = Code.NOT_FOUND


class Conflict(FeedbackError):
    """Something else stands in the way: a name taken, a request in flight."""

    default_code = Code.NAME_TAKEN


class TooLarge(FeedbackError):
    """More bytes than the service takes."""

    default_code = Code.TOO_LARGE


class UnsupportedMedia(FeedbackError):
    """A content type or encoding that the route does not read."""

    default_code = Code.UNSUPPORTED_MEDIA_TYPE


class Invalid(FeedbackError):
    """One or more rules are broken; all of them are named."""


class Busy(FeedbackError):
    """Too many requests, or too much queued work; `retry_after` says when to come back."""

    default_code = Code.RATE_LIMITED


class Unavailable(FeedbackError):
    """The database cannot be reached; nothing was changed."""

    default_code = Code.UNAVAILABLE


class StorageFull(FeedbackError):
    """The disk is full; nothing was accepted."""

    default_code = Code.STORAGE_FULL
