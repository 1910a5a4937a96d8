"""Column types that read the same from three databases: moments are aware and in UTC, JSON is the database's own."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import DateTime, Dialect, String, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

STAMP = "%Y-%m-%dT%H:%M:%S.%f"


def stamp(moment: datetime) -> str:
    """A moment as SQLite keeps it and people read it: ISO 8601 UTC with milliseconds and Z."""
    return moment.astimezone(UTC).strftime(STAMP)[:-3] + "Z"


class Instant(TypeDecorator[datetime]):
    """A moment: TIMESTAMPTZ where there is one, sortable ISO text in SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite has no type for it."""
        return dialect.type_descriptor(String(24) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Into the database."""
        return stamp(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Out of the database."""
        if value is None:
            return None
        read = datetime.fromisoformat(value) if dialect.name == "sqlite" else value
        return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)


class Json(TypeDecorator[Any]):
    """A JSON value: JSONB in PostgreSQL, text elsewhere, which SQLite's and DuckDB's JSON functions read."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """PostgreSQL has a type for it."""
        return dialect.type_descriptor(JSONB() if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Into the database."""
        return value if dialect.name == "postgresql" else msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Out of the database."""
        return msgspec.json.decode(value) if isinstance(value, str) and dialect.name != "postgresql" else value
