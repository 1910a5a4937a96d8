"""The deployments of prefect.yaml, deployed to a real server and run by a real worker."""

import sqlite3
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.version import Version
from prefect.flows import load_flow_from_entrypoint

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
MakeFeedFile = Callable[[str, int], str]
PREFECT_YAML = yaml.safe_load((Path(__file__).parents[3] / "deployments" / "prefect.yaml").read_text("utf-8"))


@pytest.mark.parametrize("deployment", PREFECT_YAML["deployments"], ids=lambda deployment: deployment["name"])
def test_every_entrypoint_can_be_imported(deployment: dict[str, Any]) -> None:
    assert load_flow_from_entrypoint(deployment["entrypoint"], use_placeholder_flow=False).name


def collected(deployed: Any, feed: str) -> int:
    with sqlite3.connect(deployed.folder / "warehouse.db") as connection:
        return int(connection.execute("SELECT count(*) FROM documents WHERE feed = ?", (feed,)).fetchone()[0])


def test_every_deployment_runs_once_through_a_worker(deployed: Any) -> None:
    loaded = deployed.ended(deployed.run("load-feedback/store-reviews"), 180)
    assert loaded["type"] == "COMPLETED", loaded
    with sqlite3.connect(deployed.folder / "warehouse.db") as connection:
        dataset, batch = connection.execute("SELECT dataset_id, import_id FROM import_ledger").fetchone()
    (deployed.folder / "past.yaml").write_text(
        "dataset: {name: past}\nsource: {path: '/nowhere/{partition}.csv'}\n"
        "external_id: {column: id}\ncontent: {columns: text}\n"
    )
    runs = {
        "report": deployed.run("aggregation-report/store-reviews-report"),
        "collect": deployed.run("collect-import/collect-import", dataset_id=dataset, import_id=batch),
        "sweep": deployed.run("sweep-imports/sweep-imports", older_than=0),
        "backfill": deployed.run("backfill/backfill", feed="past", start="2026-01-01", end="2026-03-31", dry_run=True),
    }
    states = {name: deployed.ended(run, 180)["type"] for name, run in runs.items()}
    assert states == dict.fromkeys(runs, "COMPLETED")
    assert len(list(deployed.folder.glob("reports/*/index.html"))) == 1


def test_a_bad_parameter_is_refused_by_the_api(deployed: Any) -> None:
    found = deployed.call("GET", "/deployments/name/load-feedback/store-reviews").json()["id"]
    for bad in ({"wait": "sometimes"}, {"batch_size": 0}, {"feed": None}):
        answer = deployed.call(
            "POST", f"/deployments/{found}/create_flow_run", parameters=bad, enforce_parameter_schema=True
        )
        assert answer.status_code in {409, 422}, bad


def test_a_load_that_waits_for_the_webhook_is_collected_by_it(deployed: Any, make_feed_file: MakeFeedFile) -> None:
    feed = make_feed_file("heard", 30)
    run = deployed.run("load-feedback/store-reviews", feed=feed, wait="webhook")
    assert deployed.ended(run, 120)["type"] == "COMPLETED"

    deployed.wait_for(lambda: collected(deployed, feed) == 30)
    run_ids = [run["id"] for run in deployed.runs_of("collect-import") if run["idempotency_key"]]
    assert len(run_ids) == len(set(run_ids)) == 1


@pytest.mark.skipif(
    Version(version("sqlalchemy")) >= Version("2.1"),
    reason="Prefect 3.8's scheduler cannot insert runs with SQLAlchemy 2.1; it needs sqlalchemy<2.1",
)
def test_a_schedule_fires(deployed: Any) -> None:
    found = deployed.call("GET", "/deployments/name/sweep-imports/sweep-imports").json()["id"]
    often = [{"schedule": {"interval": 6}, "active": True, "slug": "soon"}]
    assert deployed.call("POST", f"/deployments/{found}/schedules", json=often).status_code == 201

    def fired() -> bool:
        runs = [run for run in deployed.runs_of("sweep-imports") if run["auto_scheduled"]]
        return any(run["state"]["type"] == "COMPLETED" for run in runs)

    deployed.wait_for(fired)
