"""Has a classifier fitted in a process of its own, so that neither its memory nor its libraries stay in the service."""

import importlib.util
import os
import subprocess
import sys
import threading

import msgspec

from feedback.domain.labelled import Fitted, Labelled
from feedback.errors import Busy, Invalid, Unavailable

SECONDS = 600
_RETRY_SECONDS = 10
_one_at_a_time = threading.Lock()


def fit_elsewhere(labelled: Labelled) -> Fitted:
    """The model of some labelled texts; Busy while another is fitted, Unavailable where scikit-learn is missing."""
    if importlib.util.find_spec("sklearn") is None:
        message = "classifiers are fitted with scikit-learn, which is missing here: install feedback-analysis[learn]"
        raise Unavailable(message)
    if not _one_at_a_time.acquire(blocking=False):
        message = "another classifier is being fitted"
        raise Busy(message, retry_after=_RETRY_SECONDS)
    try:
        return _fit(labelled)
    finally:
        _one_at_a_time.release()


def _fit(labelled: Labelled) -> Fitted:
    command = [sys.executable, "-m", "feedback.analysis.fitting"]
    # One thread adds up in one order, so that the same documents give the same bytes on every machine of a kind.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603  Nothing of the request is in the command.
            command,
            input=msgspec.json.encode(labelled),
            env=environment,
            stdout=subprocess.PIPE,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        message = f"fitting took more than {SECONDS} seconds; send fewer documents"
        raise Invalid(message, field="documents") from None
    fitted = msgspec.msgpack.decode(done.stdout, type=Fitted)
    if not fitted.features:
        message = "no two of the documents have a word in common, so there is nothing to learn"
        raise Invalid(message, field="documents")
    return fitted
