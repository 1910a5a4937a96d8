"""What runs in an analysis process: texts in, what was found in them out, as bytes."""

import time

import msgspec

from feedback.analysis import Profile, analyse_many
from feedback.domain.findings import Findings, Found, findings_of, places
from feedback.domain.metadata_values import Typed

Texts = list[tuple[str, str | None, dict[str, Typed] | None]]
"""Texts with their language and, where classifiers ask for it, their metadata."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Findings).decode


def analyse_texts(texts: Texts, profile: Profile) -> bytes:
    """What is found in some texts; as bytes, because unpickling a million small objects is slow."""
    begun = time.thread_time()
    analyses = analyse_many(texts, profile)
    seconds = time.thread_time() - begun
    findings = findings_of(analyses)
    findings.seconds = seconds
    return _encode(findings)


def decode_findings(payload: bytes) -> list[Found]:
    """What `analyse_texts` found, text by text."""
    return places(_decode(payload))
