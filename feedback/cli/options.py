"""Options that several commands share, and the settings they make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from feedback.settings import Settings

DataDir = Annotated[
    Path | None,
    typer.Option(help="Directory of the SQLite database, spools and caches. [env: FEEDBACK_DATA_DIR] [default: data]"),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(help="postgresql+psycopg://USER:PASSWORD@HOST/NAME instead of SQLite. [env: FEEDBACK_DATABASE_URL]"),
]


def settings_of(**given: object) -> "Settings":
    """The settings of a command: its options, then the environment, then the defaults."""
    from feedback.settings import load_settings  # noqa: PLC0415  `--help` is instant without it.

    return load_settings(**given)
