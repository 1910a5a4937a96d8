"""Every fault in turn, each for the rounds that CI has time for, or for those that the documentation quotes.

    python benchmarks/reliability/faults.py --quoted

Prints the closing line of each script; what is broken is named before it. Exits with 1 where a promise was broken.
"""

import argparse
import subprocess
import sys
from pathlib import Path

FAULTS = (
    ("kill_worker", "sqlite", 5, 50),
    ("kill_worker", "postgresql", 5, 50),
    ("kill_api", "sqlite", 5, 50),
    ("kill_api", "postgresql", 5, 50),
    ("dead_machine", "postgresql", 1, 10),
    ("zombie", "postgresql", 2, 20),
    ("kill_postgres", "postgresql", 1, 10),
    ("full_disk", "sqlite", 1, 10),
    ("failing_receiver", "sqlite", 100, 2000),
    ("load", "sqlite", 20, 300),
)
"""Script, database, rounds in CI, rounds that are quoted."""

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quoted", action="store_true", help="the rounds that docs/reliability.md quotes")
    quoted = parser.parse_args().quoted
    broken = 0
    for script, database, in_ci, in_docs in FAULTS:
        command = [sys.executable, str(HERE / f"{script}.py"), "--rounds", str(in_docs if quoted else in_ci)]
        broken += subprocess.run([*command, "--database", database], check=False).returncode != 0
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
