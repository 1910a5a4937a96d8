"""Every setting of the service, read once from the environment (FEEDBACK_*) and the command line."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from feedback.errors import Code, Invalid, Problem

MIB = 1024 * 1024
PREFIX = "FEEDBACK_"
ALIKE = 0.8


class Settings(BaseSettings):
    """Settings of the service. Each is the environment variable FEEDBACK_<NAME>."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    data_dir: Path = Field(Path("data"), description="Directory of the SQLite database, spools and caches.")
    database_url: str = Field("", description="postgresql+psycopg://...; empty: SQLite in the data directory.")
    host: str = Field("127.0.0.1", description="Address the API listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port the API listens on; 0 takes a free one.")
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(("*",), description="Origins browsers may call from.")
    log_format: str = Field("console", pattern="^(console|json)$", description="console or json.")

    worker_metrics_port: int | None = Field(
        None, ge=1, le=65535, description="Port on which a worker tells its metrics; the API's are at /metrics."
    )

    processes: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=256, description="Analysis processes of a worker."
    )
    dask_scheduler: str | None = Field(None, description="tcp://host:port of a Dask scheduler to work on.")
    chunk_documents: int = Field(4096, ge=1, le=16_384, description="Documents analysed and committed together.")
    chunk_deadline_seconds: float = Field(120.0, gt=0, description="Time a chunk may take before it is isolated.")
    claim_seconds: float = Field(15.0, gt=0, description="How long a silent worker keeps an import.")
    poll_seconds: float = Field(0.2, gt=0, description="How often an idle worker looks for work.")

    max_body_bytes: int = Field(512 * MIB, ge=1024, description="Largest import body.")
    max_request_bytes: int = Field(4 * MIB, ge=1024, description="Largest body of any other request.")
    max_queued_documents: int = Field(20_000_000, ge=1, description="Past this many unprocessed documents: 429.")
    token_seconds: int = Field(3600, ge=1, description="Life of an access token.")
    token_requests_per_minute: int = Field(120, ge=1, description="Token requests a minute and client address.")
    idempotency_lease_seconds: float = Field(
        20.0, gt=0, description="How long a request with an Idempotency-Key whose process died is thought under way."
    )
    erased_row_days: float = Field(
        1.0, ge=0, description="How long an erased document's row may stay in a file of columns; no answer counts it."
    )
    idempotency_days: float = Field(7.0, gt=0, description="How long an Idempotency-Key is remembered.")

    webhook_retry_seconds: Annotated[tuple[Annotated[float, Field(ge=0)], ...], NoDecode] = Field(
        (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400),
        description="Waits before each further attempt of a notification, separated by commas.",
    )
    webhook_timeout_seconds: float = Field(15.0, gt=0, description="Time a receiver has to answer.")
    webhook_disable_seconds: float = Field(432_000.0, gt=0, description="A webhook failing for so long is disabled.")
    webhook_overlap_seconds: float = Field(86_400.0, ge=0, description="How long a rotated secret signs as well.")
    webhook_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Receivers that may lie in a private or loopback range, separated by commas."
    )
    delivery_days: float = Field(30.0, gt=0, description="How long notifications that ended are listed.")

    cache_dir: Path | None = Field(None, description="Local segment cache; default: in the data directory.")
    cache_bytes: int = Field(20 * 1024 * MIB, ge=0, description="Size the segment cache is kept under.")
    remember_bytes: int = Field(32 * MIB, ge=0, description="Figures of former aggregations that are kept.")

    @field_validator("cors_origins", "webhook_retry_seconds", "webhook_allowed_hosts", mode="before")
    @classmethod
    def _split_list(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _check_url(cls, value: str) -> str:
        if not value:
            return value
        try:
            backend = make_url(value).drivername
        except ArgumentError:
            backend = ""
        if backend not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
            message = "use sqlite:///PATH or postgresql+psycopg://USER:PASSWORD@HOST/NAME"
            raise ValueError(message)
        return value

    @property
    def url(self) -> str:
        """The database's URL, the default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir / 'feedback.db'}"

    @property
    def spool_dir(self) -> Path:
        """Where bodies lie while they are taken apart."""
        return self.data_dir / "spool"

    @property
    def segment_cache(self) -> Path:
        """Where decoded column segments are kept for memory mapping."""
        return self.cache_dir or self.data_dir / "cache"


def load_settings(**overrides: object) -> Settings:
    """The settings of this process; Invalid names every setting that cannot be used, as its environment variable."""
    given = {name: value for name, value in overrides.items() if value is not None}
    problems = [Problem(Code.INVALID_SETTING, f"no such setting; {meant} is", name) for name, meant in _misspelt()]
    try:
        settings = Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        problems += [
            Problem(Code.INVALID_SETTING, _sentence(found["msg"]), f"{PREFIX}{str(found['loc'][0]).upper()}")
            for found in error.errors()
        ]
        raise Invalid(problems=problems) from None
    if problems:
        raise Invalid(problems=problems)
    return settings


def _misspelt() -> list[tuple[str, str]]:
    """Variables that are nearly a setting, with the one they are near; others may be somebody else's."""
    fields = [field.upper() for field in Settings.model_fields]
    given = sorted(name.removeprefix(PREFIX) for name in os.environ if name.startswith(PREFIX))
    near = {name: get_close_matches(name, fields, n=1, cutoff=ALIKE) for name in given if name not in fields}
    return [(PREFIX + name, PREFIX + found[0]) for name, found in near.items() if found]


def _sentence(message: str) -> str:
    return message.removeprefix("Value error, ")
