"""The raw documents of an import that is not finished, packed so that a million of them are some thousand rows."""

from collections.abc import Iterable, Iterator

import msgspec
import zstandard

BLOCK_DOCUMENTS = 256
BLOCK_BYTES = 256 * 1024

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[bytes])


class DamagedBlock(Exception):
    """A payload is not what was written."""


def pack(documents: list[bytes]) -> bytes:
    """One block's payload."""
    return zstandard.ZstdCompressor(level=1).compress(_encoder.encode(documents))


def unpack(payload: bytes) -> list[bytes]:
    """The documents of one block's payload."""
    try:
        return _decoder.decode(zstandard.ZstdDecompressor().decompress(payload))
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise DamagedBlock from error


def packed(documents: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Blocks of at most 256 documents or 256 KiB, each as its number of documents and its payload."""
    block: list[bytes] = []
    size = 0
    for document in documents:
        if block and (len(block) == BLOCK_DOCUMENTS or size + len(document) > BLOCK_BYTES):
            yield len(block), pack(block)
            block, size = [], 0
        block.append(document)
        size += len(document)
    if block:
        yield len(block), pack(block)
