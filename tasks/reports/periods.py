"""The stretches of time a report speaks of: the period, the one before it, and the trend that holds both."""

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from config.report import LENGTH, Report

LAST_MOMENT = time(23, 59, 59, 999000, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days, both ends included."""

    first: date
    last: date

    def request(self, field: str) -> dict[str, Any]:
        """The period as an aggregation request says it."""
        return {"field": field, "from": _stamp(self.start), "to": _stamp(self.end)}

    @property
    def start(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.first, time(tzinfo=UTC))

    @property
    def end(self) -> datetime:
        """Its last millisecond."""
        return datetime.combine(self.last, LAST_MOMENT)

    @property
    def words(self) -> str:
        """How people would write it."""
        if self.first.day == 1 and self.last == _end_of_month(self.last):
            if (self.first.year, self.first.month) == (self.last.year, self.last.month):
                return f"{self.first:%B %Y}"
            year = "" if self.first.year == self.last.year else f" {self.first.year}"
            return f"{self.first:%B}{year} to {self.last:%B %Y}"
        return f"{self.first.day} {self.first:%B %Y} to {self.last.day} {self.last:%B %Y}"


@dataclass(frozen=True, slots=True)
class Spans:
    """The three stretches of a report."""

    current: Period
    previous: Period
    trend: Period

    def asked(self, span: str) -> list[Period]:
        """The periods of a question: the current one is always first."""
        return {"current": [self.current], "both": [self.current, self.previous], "trend": [self.trend]}[span]


def spans(report: Report, last_day: date) -> Spans:
    """The report's stretches when its period ends with `last_day`, or with that day's month when it counts months."""
    unit = _unit(report.period)
    last = _end_of_month(last_day) if unit == "month" else last_day
    current = _ending(last, report.period)
    previous = _ending(current.first - timedelta(days=1), report.period)
    trend = _ending(last, report.trend)
    return Spans(current, previous, Period(min(trend.first, previous.first), trend.last))


def last_complete_day(report: Report, today: date) -> date:
    """Yesterday; for a report that counts months, the last day of the last month that is over."""
    yesterday = today - timedelta(days=1)
    return yesterday if _unit(report.period) != "month" else today.replace(day=1) - timedelta(days=1)


def _unit(length: str) -> str:
    match = LENGTH.match(length)
    return match.group(2) if match else ""


def _ending(last: date, length: str) -> Period:
    match = LENGTH.match(length)
    count, unit = (int(match.group(1)), match.group(2)) if match else (1, "month")
    if unit != "month":
        return Period(last - timedelta(days=count * (7 if unit == "week" else 1) - 1), last)
    months = last.year * 12 + last.month - count
    if last == _end_of_month(last):
        return Period(date(months // 12, months % 12 + 1, 1), last)
    start = date(months // 12 - (months % 12 == 0), (months - 1) % 12 + 1, 1)
    return Period(
        start.replace(day=min(last.day, calendar.monthrange(start.year, start.month)[1])) + timedelta(days=1), last
    )


def _end_of_month(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
