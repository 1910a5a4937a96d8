"""What the tests of tasks share."""

from pathlib import Path

import pytest

from tests.pipeline.tasks.reading import Reading


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    return Reading(tmp_path)
