"""Every fault that the service promises to survive, for the few rounds that CI has time for.

The same scripts run for as many rounds as one likes: see docs/reliability.md.
"""

import importlib
import os
import sys
from pathlib import Path

import pytest

from tests.postgres import REASON, find_binaries

SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "reliability"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other as they do when they are run from the command line."""
    monkeypatch.syspath_prepend(SCRIPTS)


@pytest.mark.parametrize(
    ("script", "rounds", "database"),
    [
        ("kill_worker", 5, "sqlite"),
        ("kill_worker", 5, "postgresql"),
        ("kill_api", 5, "sqlite"),
        ("kill_api", 5, "postgresql"),
        ("dead_machine", 1, "postgresql"),
        ("zombie", 2, "postgresql"),
        ("kill_postgres", 1, "postgresql"),
        ("full_disk", 1, "sqlite"),
        ("failing_receiver", 100, "sqlite"),
        ("load", 20, "sqlite"),
    ],
)
def test_the_service_keeps_its_promises_under(script: str, rounds: int, database: str) -> None:
    fault = importlib.import_module(script)
    if database == "postgresql" and find_binaries() is None:
        assert os.environ.get("CI") != "true", f"{REASON}, and CI must not skip this"
        pytest.skip(REASON)
    if script == "full_disk" and not fault.may_mount():
        pytest.skip(fault.REASON)
    outcome = fault.run(rounds, database)
    sys.stderr.write(outcome.line() + "\n")
    assert outcome.breaches == []
