"""Finds the text that kills or hangs its process: a slice is run in a fresh process, then halved until it is one."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeout

import structlog

from feedback.analysis import Profile
from feedback.domain.findings import Found
from feedback.processing.analysing import Texts, decode_findings
from feedback.processing.executors import AnalysisExecutor, NoAnalysis

_log = structlog.get_logger()

START_SECONDS = 60.0
STARTS = 3
LEAST_SECONDS = 1.0
LONE_SECONDS = 5.0
"""What a text by itself gets at least: it is given up after that, and a machine may stand still for a moment."""
TRUSTED_ATTEMPTS = 3
"""A slice that was begun so often and never came back took its worker down with it; it is not run again as it is."""

Record = Callable[[int, int], int]
"""Notes that texts [start, start + count) are about to run; returns how many times that has been noted."""


def analyse_isolated(
    executor: AnalysisExecutor, texts: Texts, profile: Profile, *, seconds: float, start: int, record: Record
) -> list[Found | None]:
    """The analyses of texts among which one is suspected; None stands for a text that cannot be analysed.

    `executor` runs one slice at a time; it is renewed after each failure. `start` is the first text's place. NoAnalysis
    where the fault lies with no text.
    """
    if record(start, len(texts)) <= TRUSTED_ATTEMPTS:
        found = _attempt(executor, texts, profile, max(seconds, LONE_SECONDS if len(texts) == 1 else LEAST_SECONDS))
        if found is not None:
            return list(found)
    if len(texts) == 1:
        _log.warning("document cannot be analysed", place=start)
        return [None]
    middle, half = len(texts) // 2, seconds / 2
    return [
        *analyse_isolated(executor, texts[:middle], profile, seconds=half, start=start, record=record),
        *analyse_isolated(executor, texts[middle:], profile, seconds=half, start=start + middle, record=record),
    ]


def _attempt(executor: AnalysisExecutor, texts: Texts, profile: Profile, seconds: float) -> list[Found] | None:
    _warm(executor, texts, profile)
    try:
        return decode_findings(executor.submit(texts, profile).result(timeout=seconds))
    except (FutureTimeout, BrokenExecutor) as error:
        _log.warning("slice hangs or ends its process", texts=len(texts), reason=type(error).__name__)
        executor.renew()
    except Exception as error:  # noqa: BLE001  Whatever a text provokes must stay with that text.
        _log.warning("analysis raises", texts=len(texts), reason=type(error).__name__)
    return None


def _warm(executor: AnalysisExecutor, texts: Texts, profile: Profile) -> None:
    """Has a fresh process load what it needs: the time that takes on a busy machine must not be held against a text.

    NoAnalysis where none can be had that does so much: its files are gone, or were replaced by those of a new release.
    """
    nothing: Texts = [("", lang, None) for lang in {lang for _, lang, _ in texts}]
    for _ in range(STARTS):
        try:
            executor.submit(nothing, profile).result(timeout=START_SECONDS)
        except Exception as error:  # noqa: BLE001  Whatever it is, no text was there to provoke it.
            _log.warning("an analysis process does not start", reason=type(error).__name__)
            executor.renew()
        else:
            return
    message = "no analysis process of this version starts; were files replaced? Start the worker again"
    raise NoAnalysis(message)
