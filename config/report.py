"""What a report may say: a dataset, a score, a period, and questions with the kind of picture each is answered by."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from config.definitions import Strict, find_definition, read_definition

LENGTH = re.compile(r"^(\d{1,3}) (day|week|month)s?$")


class Chart(StrEnum):
    """The kinds of answers the page knows how to show."""

    TREND = "trend"
    RANKING = "ranking"
    OPINIONS = "opinions"
    DRIVERS = "drivers"
    CHANGES = "changes"
    TABLE = "table"


DERIVED = frozenset({Chart.DRIVERS, Chart.CHANGES})


class Score(Strict):
    """The figure the report is about."""

    field: str = Field(pattern=r"^metadata\.[A-Za-z0-9_-]{1,64}$")
    type: Literal["NPS", "CSAT", "CES", "AVG"] = "NPS"
    label: str = ""

    @property
    def name(self) -> str:
        """What to call the score."""
        return self.label or self.type


class Question(Strict):
    """An aggregation request and how its answer is shown. Drivers and changes know by themselves what to ask."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    title: str
    chart: Chart = Chart.TABLE
    span: Literal["current", "both", "trend"] = "current"
    type: str = "COUNT"
    field: str = ""
    query: dict[str, Any] | None = None
    dimensions: list[dict[str, Any]] = Field([], max_length=4)

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.chart in DERIVED:
            if self.field or self.dimensions:
                raise ValueError(f"{self.chart} works out its own questions; leave field and dimensions away")
            return self
        if not self.field:
            raise ValueError("`field` is missing: what shall be aggregated?")
        if self.chart in {Chart.TREND, Chart.RANKING} and len(self.dimensions) != 1:
            raise ValueError(f"a {self.chart} has exactly one dimension")
        return self


class Report(Strict):
    """A report on one dataset."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    title: str
    dataset: str = Field(min_length=1, description="The dataset's name.")
    score: Score
    date: str = Field("createdAt", pattern=r"^(createdAt|updatedAt|metadata\.[A-Za-z0-9_-]{1,64})$")
    period: str = Field("1 month", description="The length of the period, such as `7 days`, `4 weeks`, `6 months`.")
    trend: str = Field("12 months", description="How far back the trend looks.")
    end: Literal["latest", "today"] = Field("today", description="The period ends with the data, or with yesterday.")
    query: dict[str, Any] | None = Field(None, description="Limits the report to some documents.")
    about: Literal["TERMS", "TOPICS"] = Field("TERMS", description="What drivers and changes speak of.")
    omit: list[str] = Field([], description="Words that say nothing here and are left out of what the page tells.")
    minimum_volume: int = Field(10, ge=1, description="Below it a figure is called too small instead of shown.")
    comments: int = Field(3, ge=0, le=20, description="Comments shown behind a figure.")
    questions: list[Question] = Field(min_length=1)

    @field_validator("period", "trend")
    @classmethod
    def _length(cls, value: str) -> str:
        if not LENGTH.match(value):
            raise ValueError("write a number and days, weeks or months, such as `6 months`")
        return value

    @field_validator("questions")
    @classmethod
    def _unique(cls, questions: list[Question]) -> list[Question]:
        names = [question.name for question in questions]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"every question needs a name of its own; given twice: {', '.join(twice)}")
        return questions


def load_report(reference: str, folders: list[Path]) -> Report:
    """The report of that name, or in that file. Raises `DefinitionError` with every problem found."""
    path = find_definition(reference, folders, "report")
    return read_definition(path, Report, name=path.stem)
