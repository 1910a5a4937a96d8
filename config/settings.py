"""Where the pipeline finds the service, the warehouse and its own files, from FEEDBACK_PIPELINE_* variables."""

import os
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from config.definitions import DefinitionError, Problem

PREFIX = "FEEDBACK_PIPELINE_"
ALIKE = 0.8
BUNDLED = Path(__file__).parent


class Settings(BaseSettings):
    """Everything has a default that suits one machine, save the credentials."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    service_url: str = Field("http://127.0.0.1:8000", description="Base address of the feedback service.")
    client_id: str = Field("", description="Made by `feedback clients create`.")
    client_secret: SecretStr = Field(SecretStr(""), description="Shown once by `feedback clients create`.")
    warehouse_url: str = Field(
        "sqlite:///data/warehouse.db", description="SQLAlchemy address: SQLite, PostgreSQL or DuckDB."
    )
    quarantine_dir: Path = Field(Path("data/quarantine"), description="Where rejected rows are written.")
    reports_dir: Path = Field(Path("reports"), description="Where reports are written.")
    reports_url: str = Field("", description="Where the same folder is served; messages about a report link to it.")
    work_dir: Path = Field(Path("data/work"), description="Batches on their way to the service.")
    feeds_dir: Path = Field(BUNDLED / "feeds", description="Feed definitions, searched before the bundled ones.")
    definitions_dir: Path = Field(BUNDLED / "reports", description="Report definitions, searched before the bundled.")
    receiver_url: str = Field("", description="Address of deployments/receiver.py as the service reaches it.")
    webhook_secret: SecretStr = Field(SecretStr(""), description="Verifies the notifications that the receiver gets.")
    rate_limit: str = Field(
        "", description="A Prefect concurrency limit that calls of the service are counted against."
    )
    webhook_secret_file: Path = Field(Path("data/webhook-secret"), description="Where the same is kept otherwise.")
    request_timeout: float = Field(60.0, gt=0, description="Seconds one request may take.")
    patience: float = Field(120.0, gt=0, description="Seconds one call may take, retries included.")
    import_deadline: float = Field(3600.0, gt=0, description="Seconds an import may take until it counts as overdue.")

    @cached_property
    def warehouse_label(self) -> str:
        """The warehouse's address without its password, fit for a terminal or an artifact."""
        from sqlalchemy import make_url  # noqa: PLC0415 the settings are read by commands that never touch a database

        return make_url(self.warehouse_url).render_as_string(hide_password=True)


def load_settings(**given: object) -> Settings:
    """The settings of the environment, overridden by `given`. Raises `DefinitionError` naming each variable."""
    problems = [Problem(name, f"no such setting; {meant} is") for name, meant in _misspelt()]
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        problems += [Problem(f"{PREFIX}{'.'.join(map(str, e['loc'])).upper()}", e["msg"]) for e in error.errors()]
        raise DefinitionError("environment", problems) from error
    if problems:
        raise DefinitionError("environment", problems)
    return settings


def _misspelt() -> list[tuple[str, str]]:
    """Variables that are nearly a setting, with the one they are near; others may be somebody else's."""
    fields = [field.upper() for field in Settings.model_fields]
    given = sorted(name.removeprefix(PREFIX) for name in os.environ if name.startswith(PREFIX))
    near = {name: get_close_matches(name, fields, n=1, cutoff=ALIKE) for name in given if name not in fields}
    return [(PREFIX + name, PREFIX + found[0]) for name, found in near.items() if found]
