"""What is asked of documents that are there, search and aggregation, and the answers."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from feedback.api.schemas.common import Opinion, Timestamp


class QueryBody(BaseModel):
    """A condition {field, operator, value}, or a group {operator: AND or OR, criteria}; empty: everything."""

    field: str | None = None
    operator: str | None = Field(None, description="EQ, NEQ, IN, NIN, GT, GTE, LT or LTE; of a group AND or OR.")
    value: Any = None
    opinion: Opinion | None = Field(None, description="Narrows a condition on TERMS or TOPICS.")
    criteria: list[dict[str, Any]] | None = Field(None, description="The conditions and groups of a group.")


class TermRecord(BaseModel):
    """A term and the number of documents it occurs in."""

    id: str = Field(examples=["customer_service__NOUN__1"])
    label: str = Field(examples=["customer service"])
    occurrences: int


class PeriodBody(BaseModel):
    """A period on a Datetime field, both bounds inclusive; without one of them it is open on that side."""

    field: str
    from_: Timestamp | None = Field(None, alias="from")
    to: Timestamp | None = None


class ClosedPeriodBody(BaseModel):
    """A period on a Datetime field, both bounds inclusive."""

    field: str
    from_: Timestamp = Field(alias="from")
    to: Timestamp


class RangeBody(BaseModel):
    """A named range: min inclusive, max exclusive."""

    name: str
    min: float | None = None
    max: float | None = None


class DimensionBody(BaseModel):
    """A dimension of an aggregation."""

    field: str
    group: str = Field(
        description="DISTINCT, RANGE, NPS_GROUP, YEAR, MONTH, WEEK, DAY or POLARITY_*; of TERMS_POLARITY an opinion."
    )
    limit: int | None = Field(None, ge=1, le=100)
    ranges: list[RangeBody] | None = None


class AggregationBody(BaseModel):
    """An aggregation request."""

    field: str
    type: Literal["COUNT", "SUM", "AVG", "MAX", "MIN", "NPS", "CSAT", "CES"] = "COUNT"
    query: dict[str, Any] | None = Field(None, description="{field, operator, value} or {operator, criteria}.")
    periods: list[PeriodBody] = []
    dimensions: list[DimensionBody] = []


class Figure(BaseModel):
    """An aggregation value and the number of documents behind it."""

    value: float | None
    volume: int


class DimensionValue(BaseModel):
    """The value of one dimension of an item; `id` and `polarity` for TERMS and TOPICS."""

    field: str
    value: str
    id: str | None = None
    polarity: Literal["neutral", "positive", "negative"] | None = None


class Combination(Figure):
    """The figure of one combination of dimension values."""

    dimensions: list[DimensionValue]


class PeriodRecord(BaseModel):
    """The answer for one period."""

    period: dict[str, Any]
    total: Figure
    values: list[Combination]


class AggregationRecord(BaseModel):
    """An aggregation reply."""

    field: str
    type: str
    periods: list[PeriodRecord]
