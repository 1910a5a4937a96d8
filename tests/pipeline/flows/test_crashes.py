"""A load killed with -9 at every step and run again: nothing is lost, nothing doubled, the reckoning holds."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]

# Runs the real load and dies by SIGKILL at the named moment of its second batch, around the real code.
DYING = """
import os, signal, sys
import feedback.client.http as http
import tasks.submit as submit
import tasks.warehouse.collection as collection
from flows.load_feedback import load_feedback

moment, feed, source = sys.argv[1:]
calls = {"posts": 0, "pages": 0, "merges": 0}

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def around(owner, name, count, before=False):
    real = getattr(owner, name)
    def call(*given, **named):
        calls[count] += 1
        if before and calls[count] == 2:
            die()
        result = real(*given, **named)
        if calls[count] == 2:
            die()
        return result
    setattr(owner, name, call)

if moment == "before the post":
    around(http.FeedbackClient, "create_import", "posts", before=True)
elif moment == "after the post":
    around(http.FeedbackClient, "create_import", "posts")
elif moment == "after the ledger row":
    around(submit, "complete", "posts")
elif moment == "while documents are read":
    around(collection, "_stage", "pages")
elif moment == "during the upsert":
    around(collection, "_drop_outdated", "merges")
load_feedback(feed, source=source)
"""


@pytest.mark.parametrize(
    "moment",
    [
        "before the post",
        "after the post",
        "after the ledger row",
        "while documents are read",
        "during the upsert",
    ],
)
def test_a_load_that_was_killed_is_finished_by_the_next(pipeline: Any, load: Callable[..., Any], moment: str) -> None:
    feed, source = pipeline.feed(), pipeline.file(25)
    command = [sys.executable, "-c", DYING, moment, feed, source]
    died = subprocess.run(command, cwd=ROOT, env=pipeline.environment, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    assert pipeline.counts()["documents"] < 25
    load(feed, source=source)
    ids = [row[0] for row in pipeline.ask("SELECT external_id FROM documents")]
    assert sorted(ids) == sorted(f"v{number}" for number in range(25))
    ledger = pipeline.ask("SELECT batch, document_count, listed + failed + superseded + erased FROM import_ledger")
    assert sorted(ledger) == [(1, 10, 10), (2, 10, 10), (3, 5, 5)]
    with pipeline.client() as client:
        (dataset_id,) = pipeline.ask("SELECT DISTINCT dataset_id FROM documents")[0]
        assert client.search_documents(dataset_id).total == 25
