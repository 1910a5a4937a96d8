"""Brings a database to this version's schema, and says whether it is there."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, column, insert, inspect, select, table, text

from feedback.domain.identifiers import new_id
from feedback.domain.timestamps import now_ms
from feedback.store.engine import snapshot
from feedback.store.tables import instance

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x66656564_6261636B  # "feedback": one migration at a time on a shared PostgreSQL.
# Where Alembic notes which step a database is at.
_VERSION = table("alembic_version", column("version_num"))


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Brings the database to the newest schema, or a named one; several processes may try at once."""
    if revision == "head" and is_current(engine):
        return
    from alembic import command  # noqa: PLC0415  It takes a sixth of a second to load, and is seldom needed.

    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        command.upgrade(_config(connection), revision)
        if connection.execute(select(instance.c.id)).first() is None:
            connection.execute(insert(instance).values(id=new_id(), created_at=now_ms()))


def downgrade(engine: Engine, revision: str) -> None:
    """Takes the database back to an older release's schema."""
    from alembic import command  # noqa: PLC0415  As above.

    with engine.begin() as connection:
        command.downgrade(_config(connection), revision)


def is_current(engine: Engine) -> bool:
    """Whether the database has exactly this version's schema."""
    with snapshot(engine) as connection, connection.begin():
        if not inspect(connection).has_table(_VERSION.name):
            return False
        return list(connection.execute(select(_VERSION.c.version_num)).scalars()) == [newest()]


def newest() -> str:
    """The name of this version's schema: that of its last step, as the names of their files say."""
    return max(path.name[1:5] for path in (_location() / "versions").glob("v*.py"))


def _location() -> Path:
    return Path(__file__).parent / "migrations"


def _config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415  As above.

    config = Config()
    # Alembic reads a percent sign in a path as the start of a placeholder.
    config.set_main_option("script_location", str(_location()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
