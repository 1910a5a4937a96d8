"""Every fault that the service promises to survive, for the few rounds that CI has time for.

The same scripts run for as many rounds as one likes: see docs/reliability.md.
"""

import importlib
import os
import runpy
import sys
from pathlib import Path

import pytest

from tests.postgres import REASON, find_binaries

SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "reliability"

# A fault takes as long as the machine makes it take; what hangs is told by the script itself.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def faults() -> tuple[tuple[str, str, int, int], ...]:
    """Which faults there are, on which database, for how many rounds here and elsewhere."""
    listed: tuple[tuple[str, str, int, int], ...] = runpy.run_path(str(SCRIPTS / "faults.py"))["FAULTS"]
    return listed


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other as they do when they are run from the command line."""
    monkeypatch.syspath_prepend(SCRIPTS)


@pytest.mark.parametrize(("script", "database", "rounds"), [fault[:3] for fault in faults()])
def test_the_service_keeps_its_promises_under(script: str, database: str, rounds: int) -> None:
    fault = importlib.import_module(script)
    if database == "postgresql" and find_binaries() is None:
        assert os.environ.get("CI") != "true", f"{REASON}, and CI must not skip this"
        pytest.skip(REASON)
    if script == "full_disk" and not fault.may_mount():
        pytest.skip(fault.REASON)
    outcome = fault.run(rounds, database)
    sys.stderr.write(outcome.line() + "\n")
    assert outcome.breaches == []
