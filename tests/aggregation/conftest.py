"""Databases for the aggregation tests: the schema alone, without a service on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feedback.store.engine import open_engine
from tests.aggregation.shelf import Shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    """A SQLite file that all tests share, each with datasets of its own."""
    path: Path = tmp_path_factory.mktemp("aggregation") / "feedback.db"
    engine = open_engine(f"sqlite:///{path}")
    yield Shelf(engine)
    engine.dispose()
