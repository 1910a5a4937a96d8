"""Columns before they are packed: what documents are turned into, and what compaction takes apart and joins."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MAX_SCALE = 9
# A decimal of at most 15 digits is told apart from every other by its double, so that no choice of scale can change it.
EXACT = 10**15


@dataclass(slots=True)
class Integers:
    """Whole numbers at one decimal scale: value = integers / 10**scale where present."""

    integers: Int64
    present: Mask
    scale: int = 0


@dataclass(slots=True)
class Decimals:
    """Numbers of no common scale: value = digits * 10**-scale, each with its own; `floats` are the same values."""

    floats: Float64
    digits: Int64
    scales: npt.NDArray[np.int16]
    present: Mask


@dataclass(slots=True)
class Codes:
    """Dictionary codes of the dataset, 0 where the value is missing."""

    codes: Int64


@dataclass(slots=True)
class Instants:
    """Epoch milliseconds."""

    ms: Int64
    present: Mask


@dataclass(slots=True)
class Texts:
    """UTF-8 strings, empty where missing."""

    values: list[bytes]


@dataclass(slots=True)
class Pairs:
    """Each document's (term, opinion) keys: key = code * 3 + opinion; rows and keys run in parallel, in any order."""

    rows: Int64
    keys: Int64


Column = Integers | Decimals | Codes | Instants | Texts | Pairs


@dataclass(slots=True)
class Loose:
    """A segment's columns by field name."""

    documents: int
    columns: dict[str, Column] = field(default_factory=dict)


def numbers(values: Sequence[float | None]) -> Integers | Decimals:
    """A column of JSON numbers: whole numbers at the smallest decimal scale that holds all of them exactly."""
    floats = np.array([np.nan if v is None else v for v in values], np.float64) + 0.0
    present = ~np.isnan(floats)
    found = scaled(floats[present])
    if found is None:
        return decimals(floats)
    integers = np.zeros(len(floats), np.int64)
    integers[present], scale = found
    return Integers(integers, present, scale)


def scaled(floats: Float64) -> tuple[Int64, int] | None:
    """The values times 10**scale as exact integers, at the smallest scale that does; None where none up to 9 does."""
    for scale in range(MAX_SCALE + 1):
        power = float(10**scale)
        # A value too large to be scaled overflows to infinity, which the comparison below refuses.
        with np.errstate(over="ignore"):
            whole = np.rint(floats * power)
        if not (np.abs(whole) < EXACT).all():
            return None
        if (whole / power == floats).all():
            return whole.astype(np.int64), scale
    return None


def decimals(floats: Float64) -> Decimals:
    """A column of numbers with a scale each: the shortest decimal that reads back as the same double."""
    present = ~np.isnan(floats)
    digits = np.zeros(len(floats), np.int64)
    scales = np.zeros(len(floats), np.int16)
    for row in np.flatnonzero(present).tolist():
        parts = Decimal(repr(float(floats[row]))).normalize().as_tuple()
        whole = int("".join(map(str, parts.digits)))
        digits[row] = -whole if parts.sign else whole
        scales[row] = -int(parts.exponent)
    return Decimals(floats, digits, scales, present)


def as_decimals(column: Integers) -> Decimals:
    """The same numbers with a scale each."""
    floats = np.where(column.present, column.integers / 10.0**column.scale, np.nan)
    return decimals(floats)
