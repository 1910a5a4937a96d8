"""Fills the past of a feed, a partition at a time; what was loaded is skipped, so a backfill that died is run again."""

from datetime import date
from typing import Annotated, cast

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.runtime import flow_run
from pydantic import BaseModel, Field

from config.definitions import DefinitionError, Problem
from config.feed import load_feed
from config.settings import load_settings
from flows.artifacts import artifact_key
from flows.load_feedback import load_feedback
from tasks.connections import open_connections
from tasks.partitions import Action, Grain, Planned, partitions, plan

MOST_PARTITIONS = 3_000


class BackfillSummary(BaseModel):
    """What a backfill did, or would do; `failed` names the partitions that a second run will try again."""

    feed: str
    dry_run: bool
    plan: dict[str, str]
    loaded: list[str] = []
    skipped: int = 0
    missing: list[str] = []
    failed: dict[str, str] = {}


class Incomplete(Exception):
    """Some partitions could not be loaded."""


@flow(name="backfill", validate_parameters=True)
def backfill(
    feed: Annotated[str, Field(description="A feed whose source path holds {partition}.")],
    start: Annotated[date, Field(description="The first day.")],
    end: Annotated[date, Field(description="The last day.")],
    *,
    grain: Annotated[Grain, Field(description="How long a partition is.")] = Grain.MONTH,
    dry_run: Annotated[bool, Field(description="Say what would be done, and do nothing.")] = False,
    max_parallel: Annotated[int, Field(description="Partitions loaded at the same time.", ge=1, le=16)] = 1,
    generation: Annotated[int, Field(description="A higher number loads again what was loaded.", ge=0)] = 0,
    deployment: Annotated[str, Field(description="Run this deployment a partition; in this process if empty.")] = "",
) -> BackfillSummary:
    """Load every partition of a stretch of time that was not loaded yet."""
    names = partitions(start, end, grain)
    if not 0 < len(names) <= MOST_PARTITIONS:
        told = f"{len(names)} partitions from {start} to {end}; give 1 to {MOST_PARTITIONS}"
        raise DefinitionError("backfill", [Problem("start, end, grain", told)])
    with open_connections(load_settings()) as connections:
        planned = plan(connections, load_feed(feed, connections.feed_folders), names, generation)
    _publish(feed, planned)
    summary = BackfillSummary(
        feed=feed,
        dry_run=dry_run,
        plan={each.partition: each.action.value for each in planned},
        skipped=sum(each.action is Action.SKIP for each in planned),
        missing=[each.partition for each in planned if each.action is Action.MISSING],
    )
    if not dry_run:
        wanted = [each for each in planned if each.action is Action.LOAD]
        _run(summary, wanted, max_parallel, generation, deployment)
    return summary


def _run(summary: BackfillSummary, planned: list[Planned], parallel: int, generation: int, deployment: str) -> None:
    # A wave at a time: a partition that fails does not keep the others from being loaded.
    for first in range(0, len(planned), parallel):
        wave = planned[first : first + parallel]
        futures = {each.partition: load_partition.submit(summary.feed, each, generation, deployment) for each in wave}
        for partition, future in futures.items():
            future.wait()
            state = future.state
            if state.is_completed():
                summary.loaded.append(partition)
            else:
                summary.failed[partition] = state.message or state.name or "failed"
    if summary.failed:
        told = "; ".join(f"{partition}: {reason}" for partition, reason in summary.failed.items())
        raise Incomplete(f"{len(summary.loaded)} partitions were loaded, {len(summary.failed)} failed: {told}")


@task(name="load-partition", cache_policy=NO_CACHE)
def load_partition(feed: str, planned: Planned, generation: int, deployment: str) -> None:
    """Load one partition, here or as a run of a deployment. The key keeps a retried task from starting a second run."""
    if not deployment:
        load_feedback(feed, source=planned.source, partition=planned.partition, generation=generation)
        return
    parameters = {"feed": feed, "source": planned.source, "partition": planned.partition, "generation": generation}
    key = f"backfill:{flow_run.id}:{feed}:{planned.partition}:{generation}"
    run = cast("FlowRun", run_deployment(name=deployment, parameters=parameters, idempotency_key=key))
    if run.state is None or not run.state.is_completed():
        raise Incomplete(f"run {run.name} of {deployment} ended {run.state.name if run.state else 'without a state'}")


def _publish(feed: str, planned: list[Planned]) -> None:
    rows = [{"partition": each.partition, "file": each.source, "what": each.action.value} for each in planned]
    create_table_artifact(
        rows, key=artifact_key("backfill", feed.rsplit("/", 1)[-1]), description=f"Backfill of {feed}"
    )
