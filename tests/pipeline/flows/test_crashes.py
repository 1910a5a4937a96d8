"""A load killed with -9 at every step and run again: nothing is lost, nothing doubled, the reckoning holds."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
MOMENTS = [
    "before the post",
    "after the post",
    "after the ledger row",
    "while documents are read",
    "during the upsert",
    "after the upsert",
]

# For every line it is told, forks a process that runs the real load and dies by SIGKILL at the named moment of its
# second batch, around the real code. Forked, because the import of Prefect takes longer than everything else.
DYING = """
import json, os, signal, sys
import feedback.client.http as http
import tasks.collect as collect
import tasks.submit as submit
import tasks.warehouse.collection as collection
from flows.load_feedback import load_feedback

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def around(owner, name, before=False):
    real, calls = getattr(owner, name), []
    def call(*given, **named):
        calls.append(name)
        if before and len(calls) == 2:
            die()
        result = real(*given, **named)
        if len(calls) == 2:
            die()
        return result
    setattr(owner, name, call)

def run(moment, feed, source, environment):
    os.environ.update(environment)
    if moment == "before the post":
        around(http.FeedbackClient, "create_import", before=True)
    elif moment == "after the post":
        around(http.FeedbackClient, "create_import")
    elif moment == "after the ledger row":
        around(submit, "complete")
    elif moment == "while documents are read":
        around(collection, "_stage")
    elif moment == "during the upsert":
        around(collection, "_drop_outdated")
    elif moment == "after the upsert":
        around(collect, "merge")
    load_feedback(feed, source=source)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(*json.loads(line))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def dying(prefect_api: str) -> Iterator[Callable[..., int]]:
    """Runs a load until it dies; its exit code."""
    command = [sys.executable, "-c", DYING]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PREFECT_API_URL": prefect_api},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        streams = process.stdin, process.stdout

        def run(*told: Any) -> int:
            asked, answered = streams
            assert asked
            assert answered
            print(json.dumps(told), file=asked, flush=True)
            return int(answered.readline())

        yield run


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_load_that_was_killed_is_finished_by_the_next(
    pipeline: Any, load: Callable[..., Any], dying: Callable[..., int], moment: str
) -> None:
    feed, source = pipeline.feed(), pipeline.file(25)
    assert dying(moment, feed, source, pipeline.environment) == -signal.SIGKILL
    assert pipeline.counts()["documents"] < 25
    load(feed, source=source)
    ids = [row[0] for row in pipeline.ask("SELECT external_id FROM documents")]
    assert sorted(ids) == sorted(f"v{number}" for number in range(25))
    ledger = pipeline.ask("SELECT batch, document_count, listed + failed + superseded + erased FROM import_ledger")
    assert sorted(ledger) == [(1, 10, 10), (2, 10, 10), (3, 5, 5)]
    with pipeline.client() as client:
        (dataset_id,) = pipeline.ask("SELECT DISTINCT dataset_id FROM documents")[0]
        assert client.search_documents(dataset_id).total == 25
