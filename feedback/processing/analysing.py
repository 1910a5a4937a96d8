"""What runs in an analysis process: texts in, encoded analyses out, nothing else shared."""

import msgspec

from feedback.analysis import Profile, analyse_many
from feedback.domain.document import Analysis

Texts = list[tuple[str, str | None]]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Analysis]).decode


def analyse_texts(texts: Texts, profile: Profile) -> bytes:
    """The analyses of some (text, language) pairs; as bytes, because unpickling a million small objects is slow."""
    return _encode(analyse_many(texts, profile))


def decode_analyses(payload: bytes) -> list[Analysis]:
    """What `analyse_texts` found."""
    return _decode(payload)
