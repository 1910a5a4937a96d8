"""The `feedback` command and the processes it runs."""


def main() -> None:
    """Runs the command. It is imported here, since analysis processes load this package and none of its commands."""
    from feedback.cli.commands import main as run  # noqa: PLC0415  For that reason.

    run()
