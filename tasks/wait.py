"""Waits for the end of an import by asking, less and less often, until a deadline."""

import random
import time
from collections.abc import Callable

from feedback.client import FeedbackClient, Import, Transient

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 15.0
GROWTH = 1.6


class ImportOverdue(Exception):
    """An import did not end in time. It is still in the ledger: collecting later, or `sweep`, goes on with it."""


def wait_for_import(
    client: FeedbackClient,
    dataset_id: str,
    import_id: str,
    *,
    patience: float,
    progress: Callable[[Import], None] = lambda _: None,
) -> Import:
    """The import once it has ended, asked for at most `patience` seconds. An unknown state means: not yet."""
    deadline = time.monotonic() + patience
    pause, processed, told = FIRST_PAUSE, -1, "it was never reached"
    while True:
        try:
            found = client.get_import(dataset_id, import_id)
        except Transient as error:
            told = str(error)
        else:
            progress(found)
            if found.ended:
                return found
            told = f"it is {found.state or 'in no state'}, {found.processed_documents} of {found.total_documents} done"
            if found.processed_documents > processed:
                # It moves: what is left may be short.
                pause, processed = min(pause, 2.0), found.processed_documents
        wait = pause * random.uniform(0.6, 1.0)  # noqa: S311 jitter, no secret
        if time.monotonic() + wait >= deadline:
            raise ImportOverdue(f"import {import_id} did not end within {patience:g} seconds: {told}")
        time.sleep(wait)
        pause = min(pause * GROWTH, LONGEST_PAUSE)
