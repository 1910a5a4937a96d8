"""The sweep settles what is open in the ledger, whatever became of the other things in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from feedback.client import Permanent
from flows.sweep_imports import Unsettled, sweep_imports
from tasks.wait import wait_for_import

pytestmark = pytest.mark.slow
Load = Callable[..., Any]


def test_the_sweep_collects_what_nobody_waited_for(pipeline: Any, load: Load) -> None:
    summary = load(pipeline.feed(), source=pipeline.file(25), wait="none")
    assert (summary.imports, summary.collected) == (3, 0)
    left_alone = sweep_imports(older_than=3600)
    assert (left_alone.open, left_alone.younger) == (0, 3)
    deadline = datetime.now(UTC) + timedelta(seconds=150)
    while (swept := sweep_imports(older_than=0)).running and datetime.now(UTC) < deadline:
        pass
    assert pipeline.counts()["documents"] == 25
    assert swept.running == 0
    assert sweep_imports(older_than=0).open == 0


@pytest.mark.parametrize("wait", ["poll", "none"])
def test_what_is_gone_from_the_service_is_told_and_keeps_nothing_else_from_being_settled(
    pipeline: Any, load: Load, wait: str
) -> None:
    gone = load(pipeline.feed("gone"), source=pipeline.file(3, "gone.csv"), wait=wait).dataset_id
    kept = load(pipeline.feed("kept"), source=pipeline.file(3, "kept.csv")).dataset_id
    with pipeline.client() as client:
        client._session.delete(f"/v1/management/datasets/{gone}")
        client.erase_document(kept, "v1")
        load(pipeline.feed("later"), source=pipeline.file(5, "later.csv"), wait="none")
        ((dataset_id, import_id),) = pipeline.ask(
            "SELECT dataset_id, import_id FROM import_ledger WHERE feed = 'later'"
        )
        wait_for_import(client, dataset_id, import_id, patience=150)
    with pytest.raises(Unsettled, match="gone from the service"):
        sweep_imports(older_than=0)
    assert pipeline.ask("SELECT external_id FROM documents WHERE feed = 'kept' ORDER BY 1") == [("v0",), ("v2",)]
    assert pipeline.ask("SELECT count(*) FROM documents WHERE feed = 'later'") == [(5,)]


def test_the_sweep_follows_an_erasure(pipeline: Any, load: Load) -> None:
    dataset_id = load(pipeline.feed(), source=pipeline.file(5)).dataset_id
    with pipeline.client() as client:
        client.erase_document(dataset_id, "v3")
        with pytest.raises(Permanent):
            client.get_document(dataset_id, "v3")
    assert sweep_imports(older_than=0).erased == 1
    assert [row[0] for row in pipeline.ask("SELECT external_id FROM documents ORDER BY 1")] == ["v0", "v1", "v2", "v4"]
