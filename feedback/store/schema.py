"""Brings a database to this version's schema, and says whether it is there."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, insert, select, text

from feedback.domain.identifiers import new_id
from feedback.domain.timestamps import now_ms
from feedback.store.engine import snapshot
from feedback.store.tables import instance

_LOCK = 0x66656564_6261636B  # "feedback": one migration at a time on a shared PostgreSQL.


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Brings the database to the newest schema, or a named one; several processes may try at once."""
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        command.upgrade(_config(connection), revision)
        if connection.execute(select(instance.c.id)).first() is None:
            connection.execute(insert(instance).values(id=new_id(), created_at=now_ms()))


def downgrade(engine: Engine, revision: str) -> None:
    """Takes the database back to an older release's schema."""
    with engine.begin() as connection:
        command.downgrade(_config(connection), revision)


def is_current(engine: Engine) -> bool:
    """Whether the database has exactly this version's schema."""
    with snapshot(engine) as connection, connection.begin():
        current = MigrationContext.configure(connection).get_current_revision()
    return current == newest()


def newest() -> str | None:
    """The name of this version's schema."""
    return ScriptDirectory(str(_location())).get_current_head()


def _location() -> Path:
    return Path(__file__).parent / "migrations"


def _config(connection: Connection) -> Config:
    config = Config()
    # Alembic reads a percent sign in a path as the start of a placeholder.
    config.set_main_option("script_location", str(_location()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
