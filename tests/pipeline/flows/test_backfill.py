"""A backfill loads every partition once, says what it will do, and goes on where it was stopped."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from flows.backfill import Incomplete, backfill
from tasks.partitions import Grain, partitions

MARCH = (date(2026, 1, 1), date(2026, 3, 31))


def monthly(pipeline: Any) -> str:
    """A feed with a file for January and one for March, none for February."""
    for number, month in enumerate(("2026-01", "2026-03")):
        path = Path(pipeline.file(4, f"{month}.csv"))
        path.write_text(path.read_text().replace("\nv", f"\n{number}v"))
    return str(pipeline.feed(source={"path": str(pipeline.folder / "{partition}.csv")}))


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_done_and_does_nothing(pipeline: Any) -> None:
    summary = backfill(monthly(pipeline), *MARCH, dry_run=True)
    assert summary.plan == {"2026-01": "load", "2026-02": "missing: there is no such file", "2026-03": "load"}
    with pipeline.client() as client:
        assert client.find_dataset(f"visits of {pipeline.folder.name}") is None


@pytest.mark.slow
def test_a_backfill_loads_each_partition_once(pipeline: Any) -> None:
    feed = monthly(pipeline)
    assert backfill(feed, *MARCH).loaded == ["2026-01", "2026-03"]
    assert pipeline.counts()["documents"] == 8
    again = backfill(feed, *MARCH)
    assert (again.loaded, again.skipped) == ([], 2)


@pytest.mark.slow
def test_a_partition_that_fails_is_named_and_tried_again_by_the_next_backfill(pipeline: Any) -> None:
    feed = monthly(pipeline)
    good = (pipeline.folder / "2026-01.csv").read_text()
    (pipeline.folder / "2026-01.csv").write_text(good.replace("2026-03-", "soon-"))
    with pytest.raises(Incomplete, match=r"1 partitions were loaded, 1 failed: 2026-01: "):
        backfill(feed, *MARCH)
    (pipeline.folder / "2026-01.csv").write_text(good)
    assert backfill(feed, *MARCH).loaded == ["2026-01"]


@pytest.mark.parametrize(
    ("grain", "names"),
    [
        (Grain.DAY, ["2026-12-30", "2026-12-31", "2027-01-01"]),
        (Grain.WEEK, ["2026-W53"]),
        (Grain.MONTH, ["2026-12", "2027-01"]),
        (Grain.YEAR, ["2026", "2027"]),
    ],
)
def test_partitions_are_named_after_their_grain(grain: Grain, names: list[str]) -> None:
    assert partitions(date(2026, 12, 30), date(2027, 1, 1), grain) == names
