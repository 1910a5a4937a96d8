"""What a piece of metadata may be: the typed form of a sent value, or the rule of its definition that it breaks."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from feedback.domain.dataset import NUMERIC, Bounds, MetadataDefinition, MetadataType
from feedback.domain.document import Value
from feedback.domain.timestamps import from_iso
from feedback.errors import Code

EXACT_INTEGER = 2**53
ILLEGAL = re.compile("[\0\ud800-\udfff]")
"""What a database cannot hold."""

_LATLNG = re.compile(r"\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*,\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*")
_SHOWN = 80
# A tuple made once: `int | float` would be made anew for each value.
_NUMBERS = (int, float)
# Exports name the same days again and again.
_instant = lru_cache(maxsize=8192)(from_iso)

Typed = int | float | str | bool
"""A metadata value as aggregations see it: numbers, Datetime as epoch milliseconds, Boolean as bool, else text."""


class Breach(msgspec.Struct, frozen=True):
    """Why a document, or a value of it, cannot be taken."""

    code: Code
    description: str


Convert = Callable[[MetadataDefinition, Value], Typed | Breach]
Fit = Callable[[Value], Typed | None]
"""The typed form of a value that keeps all rules of its definition, None for any other."""


def fit_of(definition: MetadataDefinition, allowed: frozenset[Typed] | None) -> Fit:
    """The rules of one piece of metadata in one call; the most frequent answer, a whole number, in one comparison."""
    convert = _CONVERSIONS[definition.type]

    def fit(value: Value) -> Typed | None:
        outcome = convert(definition, value)
        return None if isinstance(outcome, Breach) or (allowed is not None and outcome not in allowed) else outcome

    if allowed is not None or definition.type not in NUMERIC:
        return fit
    bounds = definition.bounds or Bounds()
    lowest = -EXACT_INTEGER if bounds.lower is None else max(bounds.lower, -EXACT_INTEGER)
    highest = EXACT_INTEGER if bounds.upper is None else min(bounds.upper, EXACT_INTEGER)

    def fit_number(value: Value) -> Typed | None:
        return value if value.__class__ is int and lowest <= value <= highest else fit(value)

    return fit_number


def typed_value(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    """The typed form of a metadata value, or the rule of its type that it breaks; allowed values are not looked at."""
    return _CONVERSIONS[definition.type](definition, value)


def allowed_by(definition: MetadataDefinition) -> frozenset[Typed] | None:
    """The allowed values in typed form, so that 5 and 5.0 are the same; None where any value is."""
    if not definition.allowed_values:
        return None
    outcomes = (typed_value(definition, choice) for choice in definition.allowed_values)
    return frozenset(outcome for outcome in outcomes if not isinstance(outcome, Breach))


def _number(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return _wrong_type(definition, "a number", value)
    if isinstance(value, int) and abs(value) > EXACT_INTEGER:
        return Breach(Code.OUT_OF_BOUNDS, f"{shown(value)} is past 2^53, where whole numbers stop being exact")
    if definition.type is MetadataType.NPS and value != int(value):
        return Breach(Code.INVALID_VALUE, f"{shown(value)} is no NPS answer: whole numbers from 0 to 10 are")
    bounds = definition.bounds
    if bounds and ((bounds.lower is not None and value < bounds.lower) or _above(value, bounds.upper)):
        low, high = _bound(bounds.lower), _bound(bounds.upper)
        return Breach(Code.OUT_OF_BOUNDS, f"{shown(value)} is outside {low} to {high}")
    return value


def _above(value: float, upper: float | None) -> bool:
    return upper is not None and value > upper


def _bound(bound: float | None) -> str:
    return "any" if bound is None else f"{bound:.15g}"


def _string(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if not isinstance(value, str):
        return _wrong_type(definition, "a string", value)
    if ILLEGAL.search(value):
        return Breach(Code.ILLEGAL_CHARACTER, "NUL and lone surrogates cannot be stored")
    if definition.max_length is not None and len(value) > definition.max_length:
        return Breach(Code.TOO_LONG, f"{len(value)} characters; at most {definition.max_length} are allowed")
    return value


def _datetime(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if not isinstance(value, str):
        return _wrong_type(definition, "an ISO 8601 string", value)
    try:
        return _instant(value)
    except (ValueError, OverflowError):
        example = "2026-11-21T10:15:00Z"
        return Breach(Code.INVALID_VALUE, f"{shown(value)} is no ISO 8601 instant with a zone, such as {example}")


def _latlng(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if not isinstance(value, str):
        return _wrong_type(definition, 'a string such as "48.85,2.35"', value)
    match = _LATLNG.fullmatch(value)
    if match is None or abs(float(match[1])) > 90 or abs(float(match[2])) > 180:
        return Breach(Code.INVALID_VALUE, f'{shown(value)} is no "latitude,longitude" such as "48.85,2.35"')
    return value


def _boolean(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    return _wrong_type(definition, "true or false", value)


_CONVERSIONS: Mapping[MetadataType, Convert] = {
    **dict.fromkeys(NUMERIC, _number),
    MetadataType.STRING: _string,
    MetadataType.DATETIME: _datetime,
    MetadataType.LATLNG: _latlng,
    MetadataType.BOOLEAN: _boolean,
}


def _wrong_type(definition: MetadataDefinition, wanted: str, value: Value) -> Breach:
    return Breach(Code.WRONG_TYPE, f"{definition.type} metadata is {wanted}, not {shown(value)}")


def shown(value: object) -> str:
    """A value in the words of an error: JSON, cut where it is long, what cannot be seen or stored in escapes."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return "".join(c if c.isprintable() else c.encode("ascii", "backslashreplace").decode() for c in text)
