"""The deployments of prefect.yaml, deployed to a real server and run by a real worker."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect.flows import load_flow_from_entrypoint

from tests.pipeline.deployments.conftest import BACKFILL, ENDED, LOAD, REPORT, SWEEP, Deployed, Started
from tests.pipeline.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
PREFECT_YAML = yaml.safe_load((Path(__file__).parents[3] / "deployments" / "prefect.yaml").read_text("utf-8"))


@pytest.mark.parametrize("deployment", PREFECT_YAML["deployments"], ids=lambda deployment: deployment["name"])
def test_every_entrypoint_can_be_imported(deployment: dict[str, Any]) -> None:
    assert load_flow_from_entrypoint(deployment["entrypoint"], use_placeholder_flow=False).name


def test_a_load_and_then_its_report_run_through_a_worker(deployed: Deployed, started: Started) -> None:
    loaded = deployed.ended(started.load)
    assert loaded["type"] == "COMPLETED", loaded
    reported = deployed.ended(deployed.run(REPORT))
    assert reported["type"] == "COMPLETED", reported
    assert len(list(deployed.folder.glob("reports/*/index.html"))) == 1


def test_a_schedule_fires_and_its_backfill_runs(deployed: Deployed, started: Started) -> None:
    def fired() -> list[Any]:
        return [run for run in deployed.runs_of(BACKFILL) if run["auto_scheduled"] and run["state_type"] in ENDED]

    run = until(fired, 300)[0]
    deployed.unschedule(BACKFILL)
    assert run["state_type"] == "COMPLETED", run["state"]


def test_a_misspelt_parameter_ends_its_run_before_the_flow_begins(deployed: Deployed, started: Started) -> None:
    assert deployed.ended(started.misspelt)["type"] == "CRASHED"
    assert "fed" in deployed.logs_of(started.misspelt)


def test_a_load_that_did_not_complete_starts_a_sweep(deployed: Deployed, started: Started) -> None:
    def swept() -> list[Any]:
        told = [run for run in deployed.runs_of(SWEEP) if run["parameters"]["older_than"] == 0]
        return [run for run in told if run["state_type"] == "COMPLETED"]

    deployed.ended(started.misspelt)
    (run,) = until(swept, 300)
    assert run["created_by"]["type"] == "AUTOMATION"


@pytest.mark.parametrize("bad", [{"wait": "sometimes"}, {"batch_size": 0}, {"feed": None}], ids=str)
def test_a_bad_parameter_is_refused_by_the_api(deployed: Deployed, bad: dict[str, Any]) -> None:
    path = f"/deployments/{deployed.id_of(LOAD)}/create_flow_run"
    assert deployed.call("POST", path, {"parameters": bad}).status_code == 409
