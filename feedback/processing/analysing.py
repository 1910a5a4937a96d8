"""What runs in an analysis process: texts in, encoded analyses out, nothing else shared."""

import msgspec

from feedback.analysis import Profile, analyse_many
from feedback.domain.document import Analysis
from feedback.domain.validation import Typed

Texts = list[tuple[str, str | None, dict[str, Typed] | None]]
"""Texts with their language and, where classifiers ask for it, their metadata."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Analysis]).decode


def analyse_texts(texts: Texts, profile: Profile) -> bytes:
    """The analyses of some texts; as bytes, because unpickling a million small objects is slow."""
    return _encode(analyse_many(texts, profile))


def decode_analyses(payload: bytes) -> list[Analysis]:
    """What `analyse_texts` found."""
    return _decode(payload)
