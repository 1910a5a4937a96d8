"""The `feedback` command and the processes it runs."""

from feedback.cli.commands import main

__all__ = ["main"]
