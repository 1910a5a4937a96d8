"""A resolved question: only codes, numbers and column names; nothing in here can be wrong any more. Picklable."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from feedback.aggregation.rules import Grouping, Operation
from feedback.domain.query import Operator

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """A period in epoch milliseconds, inclusive, None where open; `whole` where all documents lie in it."""

    column: str
    low: int | None
    high: int | None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class CodeIn:
    """The document's code is one of these."""

    column: str
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NumberIs:
    """The document's number compares so with one of the values."""

    column: str
    operator: Operator
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TimeIs:
    """The document's instant compares so with one of the values, epoch milliseconds."""

    column: str
    operator: Operator
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TextIn:
    """The document's string is one of these."""

    column: str
    values: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Holds:
    """The document holds one of these keys (code * 3 + opinion) of TERMS or TOPICS."""

    column: str
    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HoldsOpinion:
    """The document holds a term with one of these opinions."""

    column: str
    opinions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold; so also where the field is missing."""

    condition: "Condition"


@dataclass(frozen=True, slots=True)
class Every:
    """All conditions hold."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of the conditions holds."""

    conditions: tuple["Condition", ...]


Condition = CodeIn | NumberIs | TimeIs | TextIn | Holds | HoldsOpinion | Not | Every | Some


@dataclass(frozen=True, slots=True)
class Categories:
    """One value per dictionary code of the column."""

    column: str
    limit: int
    boolean: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """One value per distinct number."""

    column: str
    limit: int


@dataclass(frozen=True, slots=True)
class Identifiers:
    """One value per external id."""

    column: str
    limit: int


@dataclass(frozen=True, slots=True)
class Buckets:
    """One value per year, month, week or day."""

    column: str
    unit: Grouping
    limit: int | None


@dataclass(frozen=True, slots=True)
class Span:
    """One range: min inclusive, max exclusive unless `closed`, None where open."""

    name: str
    low: float | None
    high: float | None
    closed: bool


@dataclass(frozen=True, slots=True)
class Ranges:
    """One value per range, in the order of the request."""

    column: str
    spans: tuple[Span, ...]
    limit: int | None


@dataclass(frozen=True, slots=True)
class NpsGroups:
    """Promoters, neutrals, detractors."""

    column: str
    limit: int | None


@dataclass(frozen=True, slots=True)
class Terms:
    """One value per term or topic, or per (term, opinion) where `apart`; only the given opinions count."""

    column: str
    limit: int
    opinions: tuple[int, ...] = (0, 1, 2)
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Polarities:
    """One value per opinion: of the terms of dimension `qualifies`, or of any term of the document."""

    column: str
    limit: int | None
    opinions: tuple[int, ...]
    qualifies: int | None = None


Dimension = Categories | Numbers | Identifiers | Buckets | Ranges | NpsGroups | Terms | Polarities
Spread = Terms | Polarities | Ranges
"""Dimensions under which one document may have several values."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed of which column; `always` where every document has it."""

    operation: Operation
    column: str
    always: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """One question. `matching`: the sorted term codes that q allows, None without q."""

    measure: Measure
    windows: tuple[Window | None, ...]
    condition: Condition | None = None
    matching: tuple[int, ...] | None = None
    dimensions: tuple[Dimension, ...] = ()
