"""The rules a document must keep to enter its dataset; a breach is an error of the import, never of the service."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from feedback.domain.dataset import Dataset
from feedback.domain.document import MetadataValue, SentDocument
from feedback.domain.examination import escaped, examine
from feedback.domain.metadata_values import ILLEGAL, Breach, Typed, allowed_by, fit_of, shown, typed_value
from feedback.errors import Code, Problem

MAX_TEXT = 100_000
MAX_EXTERNAL_ID_BYTES = 512
MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

LANG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")
KIND = re.compile(r"[A-Z0-9_]{1,64}")
# No JSON object begins with it.
_REFUSED = b"!"

_PERSONAL = "the value does not fit its definition; it is personal data, so it is not repeated here"

_decoder = msgspec.json.Decoder(SentDocument)
_lots = msgspec.json.Decoder(list[SentDocument])
_refusals = msgspec.json.Decoder(Breach)
# As many documents as are decoded at once: what is read of them next still lies in the processor's caches.
_LOT = 256
# How many names an error lists.
_NAMED = 20


def refused(code: Code, description: str) -> bytes:
    """Stands for a document that could be told apart from the others and not be read: an error when its turn comes."""
    return _REFUSED + msgspec.json.encode(Breach(code, description))


def too_large() -> bytes:
    """Stands for a document that is larger than any may be."""
    return refused(Code.TOO_LONG, f"a document takes at most {MAX_DOCUMENT_BYTES:,} bytes")


class ValidDocument(msgspec.Struct, frozen=True, gc=False):
    """A document that keeps all rules, with its metadata in typed form."""

    sent: SentDocument
    lang: str
    type: str
    typed: dict[str, Typed]


Refused = tuple[str | None, list[Problem]]
"""The external id of a document that breaks rules, where it can be read, and everything that is wrong with it."""


class DocumentRules:
    """The rules of one dataset, ready to be held against its documents."""

    def __init__(self, dataset: Dataset) -> None:
        self._lang = dataset.lang
        self._type = dataset.type
        self._definitions = {d.code: (d, allowed_by(d)) for d in dataset.metadata_definitions}
        self._fits = {code: fit_of(*rule) for code, rule in self._definitions.items()}
        self._known = _some(list(self._definitions)[:_NAMED], len(self._definitions)) or "none"
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
            external_id, members, problems = examine(raw, f"documents[{index}]")
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

    def standing(self, sent: SentDocument) -> ValidDocument:
        """A document that is stored already: it kept the rules of its day, and later ones are not held against it."""
        typed: dict[str, Typed] = {}
        for entry in sent.metadata:
            rule = self._definitions.get(entry.code)
            outcome = None if rule is None else typed_value(rule[0], entry.value)
            if outcome is not None and not isinstance(outcome, Breach):
                typed[entry.code] = outcome
        return self._valid(sent, typed)

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
            description = f"the dataset defines no such metadata; it defines: {self._known}"
            yield Problem(Code.UNKNOWN_FIELD, description, _metadata_path(path, code))
            return
        if code in seen:
            yield Problem(Code.DUPLICATE, "given twice in one document", _metadata_path(path, code))
            return
        seen.add(code)
        definition, allowed = rule
        outcome = typed_value(definition, entry.value)
        if allowed is not None and not isinstance(outcome, Breach) and outcome not in allowed:
            choices = _some([shown(v) for v in definition.allowed_values[:_NAMED]], len(definition.allowed_values))
            outcome = Breach(Code.NOT_ALLOWED, f"{shown(entry.value)} is not among the allowed values: {choices}")
        if isinstance(outcome, Breach):
            description = _PERSONAL if definition.personal_data else outcome.description
            yield Problem(outcome.code, description, _metadata_path(path, code))
        else:
            typed[code] = outcome


def _some(first: Sequence[str], count: int) -> str:
    """Names for an error, which is stored anew for each document: the first of them, and how many more there are."""
    return ", ".join(first) + (f" and {count - len(first)} more" if count > len(first) else "")


def _storable(sent: SentDocument) -> bool:
    return ILLEGAL.search(sent.external_id) is None and ILLEGAL.search(sent.content) is None


def _metadata_path(path: str, code: str) -> str:
    return f"{path}.metadata[{escaped(code)}]"


def _external_id_breaches(external_id: str, path: str) -> Iterator[Problem]:
    if not external_id:
        yield Problem(Code.TOO_SHORT, "an externalId has at least one character", path)
    elif ILLEGAL.search(external_id):
        yield Problem(Code.ILLEGAL_CHARACTER, "NUL and lone surrogates cannot be stored", path)
    elif len(external_id.encode()) > MAX_EXTERNAL_ID_BYTES:
        yield Problem(Code.TOO_LONG, f"an externalId takes at most {MAX_EXTERNAL_ID_BYTES} bytes of UTF-8", path)


def _text_breaches(text: str, path: str, limit: int) -> Iterator[Problem]:
    if len(text) > limit:
        yield Problem(Code.TOO_LONG, f"{len(text):,} characters; at most {limit:,} are allowed", path)
    if ILLEGAL.search(text):
        yield Problem(Code.ILLEGAL_CHARACTER, "NUL and lone surrogates cannot be stored", path)


def _readable(external_id: str | None) -> str | None:
    if external_id is None or ILLEGAL.search(external_id) or len(external_id.encode()) > MAX_EXTERNAL_ID_BYTES:
        return None
    return external_id
