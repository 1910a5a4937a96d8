"""A worker whose files were replaced or taken away while it ran ends, and marks no document for it."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from feedback.processing.executors import LocalExecutor, NoAnalysis
from feedback.processing.worker import Worker
from feedback.store.tables import chunk_attempts, imports
from tests.builders import Running, make_document

SOURCE = "def analyse(texts, profile):\n    return None\n"


def of_another_version(_: Path) -> LocalExecutor:
    return LocalExecutor(1, version="0.0")


def without_its_files(directory: Path) -> LocalExecutor:
    (directory / "vanishing.py").write_text(SOURCE, encoding="utf-8")
    sys.path.insert(0, str(directory))
    try:
        return LocalExecutor(1, importlib.import_module("vanishing").analyse)
    finally:
        sys.path.remove(str(directory))


@pytest.mark.parametrize("make_executor", [of_another_version, without_its_files])
def test_a_worker_that_has_no_analysis_any_more_ends_and_leaves_all_to_the_next(
    on_sqlite: Running, tmp_path: Path, make_executor: Callable[[Path], LocalExecutor]
) -> None:
    dataset_id = on_sqlite.dataset()
    import_id = on_sqlite.send(dataset_id, *[make_document() for _ in range(3)])
    executor = make_executor(tmp_path)
    with pytest.raises(NoAnalysis, match="Start the worker again"):
        Worker(on_sqlite.settings, on_sqlite.engine, executor).run()
    executor.close()
    record = on_sqlite.get_import(dataset_id, import_id)
    assert (record["state"], record["processedDocuments"], record["errors"]) == ("STARTED", 0, [])
    with on_sqlite.engine.connect() as connection:
        assert connection.scalar(select(imports.c.claimed_by).where(imports.c.id == import_id)) is None
        assert connection.scalar(select(func.sum(chunk_attempts.c.attempts))) == 0
    on_sqlite.work()
    record = on_sqlite.get_import(dataset_id, import_id)
    assert (record["state"], record["processedDocuments"], record["failedDocuments"]) == ("COMPLETED", 3, 0)
