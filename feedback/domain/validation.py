"""The rules a document must keep to enter its dataset; a breach is an error of the import, never of the service."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from feedback.domain.dataset import NUMERIC, Bounds, Dataset, MetadataDefinition, MetadataType
from feedback.domain.document import MetadataValue, SentDocument, Value
from feedback.domain.timestamps import from_iso
from feedback.errors import Code, Problem

MAX_TEXT = 100_000
MAX_EXTERNAL_ID_BYTES = 512
MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
EXACT_INTEGER = 2**53

LANG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")
KIND = re.compile(r"[A-Z0-9_]{1,64}")
_ILLEGAL = re.compile("[\0\ud800-\udfff]")
_LATLNG = re.compile(r"\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*,\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*")
_SHOWN = 80
# A tuple made once: `int | float` would be made anew for each value.
_NUMBERS = (int, float)
# No JSON object begins with it.
_REFUSED = b"!"

_PERSONAL = "the value does not fit its definition; it is personal data, so it is not repeated here"
_JSON_TYPES = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", list: "an array"}

Typed = int | float | str | bool
"""A metadata value as aggregations see it: numbers, Datetime as epoch milliseconds, Boolean as bool, else text."""

# Exports name the same days again and again.
_instant = lru_cache(maxsize=8192)(from_iso)
_decoder = msgspec.json.Decoder(SentDocument)
_lots = msgspec.json.Decoder(list[SentDocument])
# As many documents as are decoded at once: what is read of them next still lies in the processor's caches.
_LOT = 256


def refused(code: Code, description: str) -> bytes:
    """Stands for a document that could be told apart from the others and not be read: an error when its turn comes."""
    return _REFUSED + msgspec.json.encode(Breach(code, description))


def too_large() -> bytes:
    """Stands for a document that is larger than any may be."""
    return refused(Code.TOO_LONG, f"a document takes at most {MAX_DOCUMENT_BYTES:,} bytes")


class Breach(msgspec.Struct, frozen=True):
    """Why a document, or a value of it, cannot be taken."""

    code: Code
    description: str


_refusals = msgspec.json.Decoder(Breach)


class ValidDocument(msgspec.Struct, frozen=True, gc=False):
    """A document that keeps all rules, with its metadata in typed form."""

    sent: SentDocument
    lang: str
    type: str
    typed: dict[str, Typed]


Convert = Callable[[MetadataDefinition, Value], Typed | Breach]
Fit = Callable[[Value], Typed | None]
"""The typed form of a value that keeps all rules of its definition, None for any other."""

Refused = tuple[str | None, list[Problem]]
"""The external id of a document that breaks rules, where it can be read, and everything that is wrong with it."""


class DocumentRules:
    """The rules of one dataset, ready to be held against its documents."""

    def __init__(self, dataset: Dataset) -> None:
        self._lang = dataset.lang
        self._type = dataset.type
        self._definitions = {d.code: (d, _CONVERSIONS[d.type], _allowed(d)) for d in dataset.metadata_definitions}
        self._fits = {code: _fit(*rule) for code, rule in self._definitions.items()}
        self._mandatory = dict.fromkeys(d.code for d in dataset.metadata_definitions if d.mandatory)

    def check_all(self, raw: Sequence[bytes], first: int) -> Iterator[ValidDocument | Refused]:
        """What `check` says of each document, the first of which has that index."""
        for start in range(0, len(raw), _LOT):
            yield from self._check_lot(raw[start : start + _LOT], first + start)

    def _check_lot(self, raw: Sequence[bytes], first: int) -> Iterable[ValidDocument | Refused]:
        text = b",".join(raw)
        try:
            # An escape may stand for what a database cannot hold, and that is looked for in each document by itself.
            decoded = [] if b"\\u" in text else _lots.decode(b"[%b]" % text)
        except (msgspec.DecodeError, RecursionError):
            decoded = []
        if len(decoded) != len(raw):
            return [self.check(document, index) for index, document in enumerate(raw, first)]
        return [self._plain(sent) or self.check(raw[place], first + place) for place, sent in enumerate(decoded)]

    def check(self, raw: bytes, index: int) -> ValidDocument | Refused:
        """The document written in `raw`, or its external id (where it can be read) and everything that is wrong."""
        if raw.startswith(_REFUSED):
            refusal = _refusals.decode(raw[len(_REFUSED) :])
            return None, [Problem(refusal.code, refusal.description, f"documents[{index}]")]
        try:
            sent = _decoder.decode(raw)
        except (msgspec.DecodeError, RecursionError):
            external_id, members, problems = _examine(raw, f"documents[{index}]")
        else:
            # What a database cannot hold, NUL and lone surrogates, JSON can only say by an escape.
            plain = self._plain(sent) if b"\\u" not in raw or _storable(sent) else None
            if plain is not None:
                return plain
            external_id, members, problems = sent.external_id, sent, []
        typed: dict[str, Typed] = {}
        if members is not None:
            problems += self._breaches(members, f"documents[{index}]", typed)
        if problems or members is None:
            return _readable(external_id), problems
        return self._valid(members, typed)

    def _valid(self, sent: SentDocument, typed: dict[str, Typed]) -> ValidDocument:
        return ValidDocument(sent, sent.lang or self._lang, sent.type or self._type, typed)

    def _plain(self, sent: SentDocument) -> ValidDocument | None:
        """A document that plainly keeps every rule; None where they must be gone through.

        Nearly every document is one, and naming what is wrong takes several times as long as seeing that nothing is.
        """
        lang, kind = sent.lang, sent.type
        if not 0 < len(sent.external_id) <= MAX_EXTERNAL_ID_BYTES // 4 or len(sent.content) > MAX_TEXT:
            return None
        if (lang is not None and not LANG.fullmatch(lang)) or (kind is not None and not KIND.fullmatch(kind)):
            return None
        typed: dict[str, Typed] = {}
        fits = self._fits
        for entry in sent.metadata:
            code = entry.code
            fit = fits.get(code)
            if fit is None or code in typed or (value := fit(entry.value)) is None:
                return None
            typed[code] = value
        if self._mandatory and not self._mandatory.keys() <= typed.keys():
            return None
        return ValidDocument(sent, lang or self._lang, kind or self._type, typed)

    def _breaches(self, sent: SentDocument, path: str, typed: dict[str, Typed]) -> Iterator[Problem]:
        yield from _external_id_breaches(sent.external_id, f"{path}.externalId")
        yield from _text_breaches(sent.content, f"{path}.content", MAX_TEXT)
        if sent.lang is not None and not LANG.fullmatch(sent.lang):
            yield Problem(Code.INVALID_VALUE, f"{shown(sent.lang)} is no BCP 47 language code", f"{path}.lang")
        if sent.type is not None and not KIND.fullmatch(sent.type):
            yield Problem(Code.INVALID_VALUE, f"{shown(sent.type)} must match [A-Z0-9_]{{1,64}}", f"{path}.type")
        seen: set[str] = set()
        for entry in sent.metadata:
            yield from self._metadata_breaches(entry, path, seen, typed)
        for code in self._mandatory:
            if code not in seen:
                yield Problem(Code.REQUIRED, "this metadata is mandatory in the dataset", f"{path}.metadata[{code}]")

    def _metadata_breaches(
        self, entry: MetadataValue, path: str, seen: set[str], typed: dict[str, Typed]
    ) -> Iterator[Problem]:
        code = entry.code
        rule = self._definitions.get(code)
        if rule is None:
            known = ", ".join(self._definitions) or "none"
            description = f"the dataset defines no such metadata; it defines: {known}"
            yield Problem(Code.UNKNOWN_FIELD, description, _metadata_path(path, code))
            return
        if code in seen:
            yield Problem(Code.DUPLICATE, "given twice in one document", _metadata_path(path, code))
            return
        seen.add(code)
        definition, convert, allowed = rule
        outcome = convert(definition, entry.value)
        if allowed is not None and not isinstance(outcome, Breach) and outcome not in allowed:
            choices = ", ".join(shown(v) for v in definition.allowed_values[:20])
            outcome = Breach(Code.NOT_ALLOWED, f"{shown(entry.value)} is not among the allowed values: {choices}")
        if isinstance(outcome, Breach):
            description = _PERSONAL if definition.personal_data else outcome.description
            yield Problem(outcome.code, description, _metadata_path(path, code))
        else:
            typed[code] = outcome


def _fit(definition: MetadataDefinition, convert: Convert, allowed: frozenset[Typed] | None) -> Fit:
    """The rules of one piece of metadata in one call; the most frequent answer, a whole number, in one comparison."""

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


def _storable(sent: SentDocument) -> bool:
    return _ILLEGAL.search(sent.external_id) is None and _ILLEGAL.search(sent.content) is None


def _allowed(definition: MetadataDefinition) -> frozenset[Typed] | None:
    """The allowed values in typed form, so that 5 and 5.0 are the same; None where any value is."""
    if not definition.allowed_values:
        return None
    outcomes = (typed_value(definition, choice) for choice in definition.allowed_values)
    return frozenset(outcome for outcome in outcomes if not isinstance(outcome, Breach))


def _metadata_path(path: str, code: str) -> str:
    return f"{path}.metadata[{_escaped(code)}]"


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
    return "any" if bound is None else f"{bound:g}"


def _string(definition: MetadataDefinition, value: Value) -> Typed | Breach:
    if not isinstance(value, str):
        return _wrong_type(definition, "a string", value)
    if _ILLEGAL.search(value):
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


def _external_id_breaches(external_id: str, path: str) -> Iterator[Problem]:
    if not external_id:
        yield Problem(Code.TOO_SHORT, "an externalId has at least one character", path)
    elif _ILLEGAL.search(external_id):
        yield Problem(Code.ILLEGAL_CHARACTER, "NUL and lone surrogates cannot be stored", path)
    elif len(external_id.encode()) > MAX_EXTERNAL_ID_BYTES:
        yield Problem(Code.TOO_LONG, f"an externalId takes at most {MAX_EXTERNAL_ID_BYTES} bytes of UTF-8", path)


def _text_breaches(text: str, path: str, limit: int) -> Iterator[Problem]:
    if len(text) > limit:
        yield Problem(Code.TOO_LONG, f"{len(text):,} characters; at most {limit:,} are allowed", path)
    if _ILLEGAL.search(text):
        yield Problem(Code.ILLEGAL_CHARACTER, "NUL and lone surrogates cannot be stored", path)


def shown(value: object) -> str:
    """A value in the words of an error: JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _escaped(code: str) -> str:
    return code[:64].encode("ascii", "backslashreplace").decode().replace("\0", "\\x00")


def _readable(external_id: str | None) -> str | None:
    if external_id is None or _ILLEGAL.search(external_id) or len(external_id.encode()) > MAX_EXTERNAL_ID_BYTES:
        return None
    return external_id


def _examine(raw: bytes, path: str) -> tuple[str | None, SentDocument | None, list[Problem]]:
    """Names what a document that does not decode has wrong; what could be read is returned for the other rules."""
    try:
        members: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None, None, [Problem(Code.INVALID_VALUE, "a number of this document cannot be represented", path)]
    if not isinstance(members, dict):
        return None, None, [Problem(Code.WRONG_TYPE, f"a document is an object, not {shown(members)}", path)]
    problems: list[Problem] = []
    external_id = _member(members, "externalId", path, problems, required=True)
    content = _member(members, "content", path, problems, required=True)
    lang = _member(members, "lang", path, problems)
    kind = _member(members, "type", path, problems)
    metadata = _metadata_members(members.get("metadata"), f"{path}.metadata", problems)
    readable = SentDocument(external_id or "-", content or "", lang, kind, metadata)
    return external_id, readable, problems


def _member(
    members: dict[str, Any], name: str, path: str, problems: list[Problem], *, required: bool = False
) -> str | None:
    value = members.get(name)
    if isinstance(value, str) or (value is None and not required):
        return value
    if value is None:
        problems.append(Problem(Code.REQUIRED, f"a document needs {name}", f"{path}.{name}"))
    else:
        # Errors outlive documents, so what may be a customer's words is never repeated in one.
        found = _kind(value) if name == "content" else shown(value)
        problems.append(Problem(Code.WRONG_TYPE, f"{name} is a string, not {found}", f"{path}.{name}"))
    return None


def _kind(value: object) -> str:
    return _JSON_TYPES.get(type(value), "an object")


def _metadata_members(value: object, path: str, problems: list[Problem]) -> tuple[MetadataValue, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        description = f"metadata is an array of {{code, value}}, not {_kind(value)}"
        problems.append(Problem(Code.WRONG_TYPE, description, path))
        return ()
    entries: list[MetadataValue] = []
    for place, entry in enumerate(value):
        where = f"{path}[{place}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("code"), str):
            found = "an object without such a code" if isinstance(entry, dict) else _kind(entry)
            description = f"an element of metadata is {{code, value}}, where code is a string, not {found}"
            problems.append(Problem(Code.WRONG_TYPE, description, where))
        elif isinstance(entry.get("value"), float) and not float("-inf") < entry["value"] < float("inf"):
            problems.append(
                Problem(Code.OUT_OF_BOUNDS, "the number is too large", f"{path}[{_escaped(entry['code'])}]")
            )
        elif not isinstance(entry.get("value"), str | int | float | bool):
            description = f"a value is a string, a number or a boolean, not {_kind(entry.get('value'))}"
            problems.append(Problem(Code.WRONG_TYPE, description, f"{path}[{_escaped(entry['code'])}]"))
        else:
            entries.append(MetadataValue(entry["code"], entry["value"]))
    return tuple(entries)
