"""Values of a dimension as they are compared and as they are told: numbers, stretches of time, ranges."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from tests.aggregation.reference.documents import DAY, EPOCH


def number_text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(float(value))


def plain_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, int | float) else str(value)


def bucket(ms: int, group: str) -> Any:
    day = EPOCH.date() + timedelta(days=ms // DAY)
    if group == "YEAR":
        return (day.year,)
    if group == "MONTH":
        return (day.year, day.month)
    if group == "WEEK":
        return tuple(day.isocalendar())[:2]
    return day


def bucket_text(bucketed: Any, group: str) -> str:
    if group == "YEAR":
        return f"{bucketed[0]:04d}"
    if group == "MONTH":
        return f"{bucketed[0]:04d}-{bucketed[1]:02d}"
    if group == "WEEK":
        return f"{bucketed[0]:04d}-W{bucketed[1]:02d}"
    return f"{bucketed.day:02d}"


def next_bucket(bucketed: Any, group: str) -> Any:
    if group == "YEAR":
        return (bucketed[0] + 1,)
    if group == "MONTH":
        return (bucketed[0] + bucketed[1] // 12, bucketed[1] % 12 + 1)
    if group == "WEEK":
        return tuple((date.fromisocalendar(bucketed[0], bucketed[1], 1) + timedelta(days=7)).isocalendar())[:2]
    return bucketed + timedelta(days=1)


def in_range(value: float, span: Mapping[str, Any], upper: float | None) -> bool:
    low, high = span.get("min"), span.get("max")
    if low is not None and value < low:
        return False
    return high is None or value < high or (value == high and high == upper)


def nps_group(value: float) -> str:
    return "promoters" if value >= 9 else "detractors" if value <= 6 else "neutrals"
