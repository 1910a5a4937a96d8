"""Days, weeks, months and years as numbers that grow with time, and as the words of the reply. All in UTC."""

from datetime import date
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from feedback.aggregation.rules import Grouping
from feedback.store.segments.periods import months, weeks

DAY_MS = 86_400_000
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
# The Gregorian calendar repeats after 400 years, which are a whole number of weeks.
CYCLE_DAYS = 146_097
CYCLE_YEARS = 400
# The days that a table tells the weeks, months and years of, in 16 bits: 1900 to 2099.
FIRST_DAY, LAST_DAY = -25_567, 47_481


def buckets(days: npt.NDArray[np.int64], unit: Grouping) -> npt.NDArray[np.int64]:
    """The year, month, week or day, counted from 1970, that each day since the epoch lies in."""
    match unit:
        case Grouping.DAY:
            return days
        case Grouping.WEEK:
            return weeks(days)
        case Grouping.MONTH:
            return months(days)
        case _:
            return days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)


def stretch(first: int, last: int, unit: Grouping) -> npt.NDArray[np.int64]:
    """The bucket of each day from `first` to `last`, both inclusive."""
    if first < FIRST_DAY or last > LAST_DAY:
        return buckets(np.arange(first, last + 1), unit)
    if unit is Grouping.DAY:
        return np.arange(first, last + 1)
    return _usual(unit)[first - FIRST_DAY : last - FIRST_DAY + 1].astype(np.int64)


@cache
def _usual(unit: Grouping) -> npt.NDArray[np.int16]:
    return buckets(np.arange(FIRST_DAY, LAST_DAY + 1), unit).astype(np.int16)


def bucket_of(ms: int, unit: Grouping) -> int:
    """The bucket of one instant in epoch milliseconds."""
    return int(buckets(np.array([ms // DAY_MS], np.int64), unit)[0])


@lru_cache(maxsize=4_096)
def label(bucket: int, unit: Grouping) -> str:
    """The bucket as the interface writes it."""
    if unit is Grouping.YEAR:
        return f"{1970 + bucket:04d}"
    if unit is Grouping.MONTH:
        return f"{1970 + bucket // 12:04d}-{bucket % 12 + 1:02d}"
    # A week is named after its Thursday; the first of 1970 was one.
    day, cycles = (7 * bucket if unit is Grouping.WEEK else bucket), 0
    while day + EPOCH_ORDINAL < 1:
        day, cycles = day + CYCLE_DAYS, cycles + 1
    found = date.fromordinal(day + EPOCH_ORDINAL)
    if unit is Grouping.DAY:
        return f"{found.day:02d}"
    year, week, _ = found.isocalendar()
    return f"{year - cycles * CYCLE_YEARS:04d}-W{week:02d}"
