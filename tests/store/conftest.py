"""A shelf for the tests of segments."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feedback.store.engine import open_engine
from tests.aggregation.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """A shelf on a database of its own."""
    engine = open_engine(f"sqlite:///{tmp_path / 'feedback.db'}")
    yield Shelf(engine)
    engine.dispose()
