"""The month and the week of each date of a segment, so that questions by them need not look up every day's.

They are made when a segment is decoded and lie in the local cache alone: the database holds the days.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from feedback.store.segments.encode import smallest
from feedback.store.segments.layout import Array, ColumnMeta, Header

Days = npt.NDArray[np.int64]
Periods = npt.NDArray[np.int64]

# All days from the first to the last are told at once up to here even where there are fewer documents.
SMALL_TABLE = 4_096


def months(days: Days) -> Periods:
    """The month that each day since the epoch lies in, counted from January 1970."""
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def weeks(days: Days) -> Periods:
    """The ISO week that each day since the epoch lies in, counted from the one of 1 January 1970."""
    return (days + 3) // 7


UNITS: dict[str, Callable[[Days], Periods]] = {"month": months, "week": weeks}


def first_and_last(meta: ColumnMeta, unit: str) -> tuple[int, int]:
    """The months or weeks of the first and the last day of a column of dates."""
    return _period(meta.low + meta.base - 1, unit), _period(meta.high + meta.base - 1, unit)


@lru_cache(maxsize=4_096)
def _period(day: int, unit: str) -> int:
    return int(UNITS[unit](np.array([day], np.int64))[0])


def periods_of(header: Header, arrays: dict[str, Array]) -> dict[str, Array]:
    """`{column}/{unit}` of each column of dates: 1 in the month (or week) of its first day, 0 where there is none."""
    return {
        f"{name}/{unit}": _periods(arrays[name], meta, unit)
        for name, meta in header.columns.items()
        if meta.kind == "instants" and meta.low
        for unit in UNITS
    }


def _periods(stored: Array, meta: ColumnMeta, unit: str) -> Array:
    first, last = first_and_last(meta, unit)
    kind = smallest(last - first + 1)
    if meta.high <= max(SMALL_TABLE, len(stored)):
        table = np.zeros(meta.high + 1, kind)
        table[meta.low :] = UNITS[unit](np.arange(meta.low, meta.high + 1) + (meta.base - 1)) - (first - 1)
        return np.take(table, stored)
    found = UNITS[unit](stored.astype(np.int64) + (meta.base - 1)) - (first - 1)
    return np.where(stored > 0, found, 0).astype(kind)
