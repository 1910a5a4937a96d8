"""What a script says in the end: one line of figures, and an exit status that is not 0 where a promise was broken."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Figure = int | float | str


@dataclass
class Outcome:
    """The figures of a run, and every promise that was broken in it."""

    name: str
    figures: dict[str, Figure] = field(default_factory=dict)
    breaches: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The closing line."""
        told = ", ".join(f"{value} {name}" for name, value in self.figures.items())
        return f"{self.name}: {told}, {len(self.breaches)} promises broken"


Run = Callable[[int, str], Outcome]
"""Breaks the service so many times on a database of that kind."""


def command(told: str | None, run: Run, *, rounds: int, unit: str = "rounds", databases: tuple[str, ...]) -> None:
    """The command line of a script: runs it, prints its line, and exits with 1 where a promise was broken."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds, help=f"how many {unit} (default: {rounds}, as in CI)")
    parser.add_argument("--database", choices=databases, default=databases[0])
    arguments = parser.parse_args()
    before = time.monotonic()
    outcome = run(arguments.rounds, arguments.database)
    outcome.figures["seconds in all"] = round(time.monotonic() - before, 1)
    for breach in outcome.breaches:
        print(breach, file=sys.stderr)
    print(outcome.line())
    sys.exit(1 if outcome.breaches else 0)
