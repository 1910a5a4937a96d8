"""The API and PostgreSQL killed under load, with the few rounds that CI has time for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres import REASON, find_binaries

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks" / "reliability"
IN_CI = os.environ.get("CI") == "true"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def rounds(in_ci: int) -> str:
    return str(in_ci if IN_CI else 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["api_kill.py", "--rounds", rounds(5), "--database", "sqlite"],
        ["api_kill.py", "--rounds", rounds(5), "--database", "postgresql"],
        ["postgres_kill.py", "--rounds", rounds(1)],
    ],
    ids=" ".join,
)
def test_nothing_is_lost_doubled_or_left_open(arguments: list[str]) -> None:
    if find_binaries() is None and not IN_CI and "sqlite" not in arguments:
        pytest.skip(REASON)
    done = subprocess.run(
        [sys.executable, str(FOLDER / arguments[0]), *arguments[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["bad"] == 0
