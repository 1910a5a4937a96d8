"""What the insights ask for and answer."""

from typing import Any, Literal

from pydantic import Field

from feedback.api.schemas.common import Model, Opinion
from feedback.api.schemas.questions import ClosedPeriodBody, PeriodBody


class InsightBody(Model):
    """What every insight asks for."""

    by: Literal["TERMS", "TOPICS"] = "TERMS"
    opinion: Opinion | None = None
    query: dict[str, Any] | None = None
    limit: int = Field(20, ge=1, le=100)
    minimum_volume: int | None = Field(None, ge=2, description="Fewer documents than this are not judged.")


class DriversBody(InsightBody):
    """Which score is to be explained."""

    field: str = Field(description="An NPS, CSAT or CES metadata.<code>.")
    period: PeriodBody | None = None


class ChangesBody(InsightBody):
    """Which two periods are compared."""

    periods: list[ClosedPeriodBody] = Field(min_length=2, max_length=2, description="The earlier first.")


class AssociationsBody(InsightBody):
    """What others go together with."""

    id: str = Field(description="A term id or a topic code.")


class InsightRecord(Model):
    """An insight: its method in a sentence, and the items found, the strongest first."""

    by: Literal["TERMS", "TOPICS"]
    method: str
    minimum_volume: int
    items: list[dict[str, Any]]
