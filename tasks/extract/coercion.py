"""Turns columns of text into metadata values, a whole column at a time, and says which cells cannot be turned."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from config.feed import NUMERIC, Kind, Metadata, Recode
from feedback.errors import Code

NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
ZONED = r"(?:[Zz]|[+-]\d{2}:?\d{2})$"
TRUE = frozenset({"true", "yes", "y", "t", "1", "1.0"})
FALSE = frozenset({"false", "no", "n", "f", "0", "0.0"})
EXCEL_EPOCH = "1899-12-30"
DEFAULT_MAX_LENGTH = 200
NPS_BOUNDS = (0.0, 10.0)


@dataclass(slots=True)
class Coerced:
    """A column's values (None where there is none) and its problems: row of the chunk -> code and reason."""

    column: "np.ndarray[Any, np.dtype[np.object_]]"
    problems: dict[int, tuple[Code, str]] = field(default_factory=dict)

    def refuse(self, bad: "pd.Series[bool]", code: Code, reason: Callable[[int], str]) -> None:
        """Note a problem for each row where `bad` is true; the first problem of a row stays."""
        for row in np.flatnonzero(bad.to_numpy(dtype=bool)):
            self.problems.setdefault(int(row), (code, reason(int(row))))
            self.column[row] = None


def coerce(text: "pd.Series[str]", rule: Metadata, missing: list[str], zone: str) -> Coerced:
    """The values of a column of text under a rule. `text` is indexed from 0."""
    stripped = text.str.strip()
    empty = stripped.isin([word.strip() for word in [*missing, *(rule.missing or [])]])
    kept, omitted, unlisted = _recoded(stripped, rule.recode)
    empty |= omitted
    result = _typed(kept, empty | unlisted, rule, rule.zone or zone)
    result.refuse(unlisted & ~empty, Code.NOT_ALLOWED, lambda row: f"{stripped[row]!r} is not among the recoded values")
    if rule.mandatory:
        result.refuse(empty, Code.REQUIRED, lambda _: "is mandatory and empty")
    return result


def _typed(text: "pd.Series[str]", skip: "pd.Series[bool]", rule: Metadata, zone: str) -> Coerced:
    if rule.type in NUMERIC:
        return _numbers(text, skip, rule)
    if rule.type is Kind.DATETIME:
        return _datetimes(text, skip, rule, zone)
    return _booleans(text, skip) if rule.type is Kind.BOOLEAN else _strings(text, skip, rule)


def coerce_pair(first: "pd.Series[str]", second: "pd.Series[str]", rule: Metadata, missing: list[str]) -> Coerced:
    """Latitude and longitude in two columns, as one LatLng."""
    words = [word.strip() for word in missing]
    latitude, longitude = first.str.strip(), second.str.strip()
    empty = latitude.isin(words) & longitude.isin(words)
    joined = (latitude + "," + longitude).where(~empty, "")
    result = _strings(joined, empty, rule)
    if rule.mandatory:
        result.refuse(empty, Code.REQUIRED, lambda _: "is mandatory and empty")
    return result


def _recoded(
    text: "pd.Series[str]", recode: Recode | None
) -> tuple["pd.Series[str]", "pd.Series[bool]", "pd.Series[bool]"]:
    """The text after a list of recodings, what it leaves out, and what it does not list."""
    nothing = pd.Series(data=False, index=text.index)
    if recode is None or not recode.listed:
        return text, nothing, nothing
    words = {key.strip(): _written(value) for key, value in recode.listed.items()}
    unlisted = ~text.isin(list(words))
    kept = text.map(words).where(~unlisted, text).astype("str")
    if recode.otherwise == "keep":
        return kept, nothing, nothing
    return (kept, unlisted, nothing) if recode.otherwise == "omit" else (kept, nothing, unlisted)


def _written(value: str | float | bool) -> str:  # noqa: FBT001 a value, not a switch
    return str(value).lower() if isinstance(value, bool) else str(value)


def _numbers(text: "pd.Series[str]", empty: "pd.Series[bool]", rule: Metadata) -> Coerced:
    plain = text.str.replace(",", ".") if rule.decimal == "," else text
    legible = plain.str.fullmatch(NUMBER).astype(bool) & ~empty
    numbers = pd.to_numeric(plain.where(legible), errors="coerce").astype("float64")
    legible &= np.isfinite(numbers)
    result = Coerced(_objects(numbers, legible))
    result.refuse(~legible & ~empty, Code.WRONG_TYPE, lambda row: f"{text[row]!r} is not a number")
    recode = rule.recode
    if recode is not None and (recode.scale or recode.inverted):
        source = recode.scale.source if recode.scale else recode.inverted or (0.0, 0.0)
        outside = legible & ~numbers.between(min(source), max(source))
        result.refuse(
            outside, Code.OUT_OF_BOUNDS, lambda row: f"{text[row]} lies outside {source[0]:g} to {source[1]:g}"
        )
        numbers = _rescaled(numbers, recode)
        result.column = _objects(numbers, legible & ~outside)
        legible &= ~outside
    lower, upper = _bounds(rule)
    outside = legible & ~numbers.between(lower, upper)
    result.refuse(outside, Code.OUT_OF_BOUNDS, lambda row: f"{numbers[row]:g} lies outside {lower:g} to {upper:g}")
    return result


def _rescaled(numbers: "pd.Series[float]", recode: Recode) -> "pd.Series[float]":
    if recode.scale:
        (low, high), (to_low, to_high) = recode.scale.source, recode.scale.target
        return (to_low + (numbers - low) * (to_high - to_low) / (high - low) + 0.5).apply(np.floor)
    lowest, highest = recode.inverted or (0.0, 0.0)
    return lowest + highest - numbers


def _bounds(rule: Metadata) -> tuple[float, float]:
    if rule.type is Kind.NPS:
        return NPS_BOUNDS
    return (rule.bounds.lower, rule.bounds.upper) if rule.bounds else (-np.inf, np.inf)


def _objects(numbers: "pd.Series[float]", good: "pd.Series[bool]") -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Python numbers, whole ones as int: 5.0 is sent as 5."""
    return np.array(
        [
            None if not fine else int(number) if number.is_integer() and abs(number) < 2**53 else number
            for number, fine in zip(numbers.tolist(), good.tolist(), strict=True)
        ],
        dtype=object,
    )


def _booleans(text: "pd.Series[str]", empty: "pd.Series[bool]") -> Coerced:
    folded = text.str.lower()
    yes, no = folded.isin(TRUE), folded.isin(FALSE)
    values = np.full(len(text), None, dtype=object)
    values[yes.to_numpy(dtype=bool)] = True
    values[no.to_numpy(dtype=bool)] = False
    values[empty.to_numpy()] = None
    result = Coerced(values)
    result.refuse(~yes & ~no & ~empty, Code.WRONG_TYPE, lambda row: f"{text[row]!r} is neither true nor false")
    return result


def _strings(text: "pd.Series[str]", empty: "pd.Series[bool]", rule: Metadata) -> Coerced:
    # A copy: pandas lends its own values read-only.
    result = Coerced(text.astype(object).where(~empty, None).to_numpy(dtype=object, copy=True))
    if rule.type is Kind.LATLNG:
        result.refuse(
            ~_on_earth(text) & ~empty, Code.WRONG_TYPE, lambda row: f"{text[row]!r} is not latitude,longitude"
        )
        return result
    longest = rule.max_length or DEFAULT_MAX_LENGTH
    long = (text.str.len() > longest) & ~empty
    result.refuse(long, Code.TOO_LONG, lambda row: f"has {len(text[row])} characters, {longest} are allowed")
    result.refuse(text.str.contains("\0", regex=False), Code.ILLEGAL_CHARACTER, lambda _: "holds a NUL character")
    if rule.allowed_values:
        strange = ~text.isin(rule.allowed_values) & ~empty
        allowed = ", ".join(rule.allowed_values[:20])
        result.refuse(strange, Code.NOT_ALLOWED, lambda row: f"{text[row]!r} is not one of {allowed}")
    return result


def _on_earth(text: "pd.Series[str]") -> "pd.Series[bool]":
    parts = text.str.extract(rf"^({NUMBER}),\s*({NUMBER})$").astype("float64")
    return parts[0].between(-90, 90) & parts[1].between(-180, 180)


def _datetimes(text: "pd.Series[str]", empty: "pd.Series[bool]", rule: Metadata, zone: str) -> Coerced:
    moments = pd.Series(pd.NaT, index=text.index, dtype="datetime64[us, UTC]")
    for form in rule.format or ["iso"]:
        open_rows = moments.isna() & ~empty
        if not open_rows.any():
            break
        moments = moments.where(~open_rows, _parsed(text.where(open_rows), form, zone))
    good = moments.notna() & ~empty
    values = np.full(len(text), None, dtype=object)
    stamps = np.datetime_as_string(moments[good].to_numpy(dtype="datetime64[ms]"), unit="ms")
    values[good.to_numpy()] = [f"{stamp}Z" for stamp in stamps]
    forms = " or ".join(rule.format or ["iso"])
    result = Coerced(values)
    result.refuse(~good & ~empty, Code.WRONG_TYPE, lambda row: f"{text[row]!r} is not a date written as {forms}")
    return result


def _parsed(text: "pd.Series[str]", form: str, zone: str) -> "pd.Series[pd.Timestamp]":
    if form == "excel":
        days = pd.to_numeric(text.where(text.str.fullmatch(NUMBER).fillna(value=False)), errors="coerce")
        days = days.where(days.between(1, 2_958_465))
        return _localised(pd.to_datetime(days, unit="D", origin=EXCEL_EPOCH, errors="coerce"), zone)
    if form == "iso":
        zoned = text.str.contains(ZONED, regex=True).fillna(value=False).astype(bool) & text.str.contains(":").fillna(
            value=False
        )
        aware = pd.to_datetime(text.where(zoned), format="ISO8601", errors="coerce", utc=True).astype(
            "datetime64[us, UTC]"
        )
        naive = pd.to_datetime(text.where(~zoned), format="ISO8601", errors="coerce")
        return aware.where(zoned, _localised(naive, zone))
    if "%z" in form or "%Z" in form:
        return pd.to_datetime(text, format=form, errors="coerce", utc=True).astype("datetime64[us, UTC]")
    return _localised(pd.to_datetime(text, format=form, errors="coerce"), zone)


def _localised(naive: "pd.Series[pd.Timestamp]", zone: str) -> "pd.Series[pd.Timestamp]":
    """Wall-clock times of a zone in UTC: an hour that occurs twice is the first, one that is skipped the next."""
    twice = np.ones(len(naive), dtype=bool)
    local = naive.astype("datetime64[us]").dt.tz_localize(zone, ambiguous=twice, nonexistent="shift_forward")
    return local.dt.tz_convert("UTC")
