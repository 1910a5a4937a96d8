"""What tables, and what is made with a segment, tell of days, months and weeks is what the calendar says."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedback.aggregation.calendar import FIRST_DAY, LAST_DAY, buckets, stretch
from feedback.aggregation.rules import Grouping
from feedback.store.segments.cache import prepared
from feedback.store.segments.decode import Packed, Segment
from feedback.store.segments.encode import DAY_MS, encode
from feedback.store.segments.loose import Instants, Loose

EPOCH = date(1970, 1, 1)

UNITS = (Grouping.YEAR, Grouping.MONTH, Grouping.WEEK, Grouping.DAY)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("first", [FIRST_DAY - 2, FIRST_DAY, -3, 0, LAST_DAY - 3, LAST_DAY, LAST_DAY + 1])
def test_a_stretch_of_days_has_the_buckets_of_its_days(unit: Grouping, first: int) -> None:
    assert stretch(first, first + 3, unit).tolist() == buckets(np.arange(first, first + 4), unit).tolist()


# Within a year, within a lifetime, and far beyond what one byte counts the months of.
STRETCHES = st.sampled_from([(18_900, 19_200), (-9_000, 9_000), (-719_000, 2_900_000)])
DAYS = STRETCHES.flatmap(lambda ends: st.lists(st.none() | st.integers(*ends), max_size=20).filter(any))


@given(DAYS)
@settings(max_examples=50)
def test_a_decoded_segment_tells_the_month_and_the_week_of_each_date(days: list[int | None]) -> None:
    ms = np.array([0 if day is None else day * DAY_MS for day in days], np.int64)
    present = np.array([day is not None for day in days])
    times = Segment(1, prepared(encode(Loose(len(days), {"when": Instants(ms, present)})))).times("when")
    assert times is not None
    assert periods(times.month) == [None if day is None else months_since_1970(day) for day in days]
    assert periods(times.week) == [None if day is None else weeks_since_1970(day) for day in days]


def periods(packed: Packed | None) -> list[int | None]:
    """What is stored, None where the date is missing."""
    assert packed is not None
    return [int(stored) + packed.base - 1 if stored else None for stored in packed.stored]


def months_since_1970(day: int) -> int:
    found = EPOCH + timedelta(days=day)
    return (found.year - 1970) * 12 + found.month - 1


def weeks_since_1970(day: int) -> int:
    """Counted in Mondays."""
    monday = (EPOCH + timedelta(days=day)).toordinal() - (EPOCH + timedelta(days=day)).weekday()
    return (monday - date(1969, 12, 29).toordinal()) // 7
