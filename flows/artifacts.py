"""What a flow run leaves for people in Prefect's UI: progress while it works, tables and links at its end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from tasks.progress import heard_by

if TYPE_CHECKING:
    from flows.load_feedback import LoadSummary

SECONDS_BETWEEN = 2.0


def artifact_key(*words: str) -> str:
    """A key as Prefect allows it: lower case, digits and dashes."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else "-" for c in word.lower()) for word in words)


@contextmanager
def progress_artifact(name: str) -> Iterator[None]:
    """Within the block, a progress artifact follows what the tasks tell."""
    known: dict[str, float] = {}
    artifact = UUID(str(create_progress_artifact(0.0, key=artifact_key(name), description="waiting for the file")))

    def listen(stage: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - known.get("told", -SECONDS_BETWEEN) < SECONDS_BETWEEN:
            return
        known["told"] = now
        known["total"] = float(total or known.get("total", 0.0))
        share = min(100.0, 100.0 * done / known["total"]) if known["total"] else 0.0
        update_progress_artifact(artifact, share, description=f"{stage}: {done}")

    with heard_by(listen):
        yield
    update_progress_artifact(artifact, 100.0, description="done")


def publish_load(summary: "LoadSummary") -> None:
    """A table of what became of the rows, and a page with the reasons of the rejects."""
    rows = {
        "rows in file": summary.rows,
        "accepted": summary.accepted,
        "rejected": summary.rejected,
        "imports": summary.imports,
        "collected": summary.collected,
        "refused by the service": summary.refused,
    }
    create_table_artifact(
        [{"what": what, "documents": count} for what, count in rows.items()],
        key=artifact_key("loaded", summary.feed),
        description=f"{summary.source}{' (loaded before)' if summary.skipped else ''}",
    )
    told = summary.reasons | {f"refused by the service, {reason}": count for reason, count in summary.refusals.items()}
    reasons = "\n".join(f"- {reason}: {count}" for reason, count in told.items()) or "Nothing was rejected."
    place = f"\n\nThe rows are in `{summary.quarantine}`." if summary.quarantine else ""
    create_markdown_artifact(f"## Rejected rows\n{reasons}{place}", key=artifact_key("rejected", summary.feed))


def publish_report(report: str, title: str, page: str) -> None:
    """A link to a report's page."""
    create_link_artifact(page, link_text=title, key=artifact_key("report", report), description=title)
