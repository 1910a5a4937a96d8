"""Finds out how a file is written: one pass over its bytes tells its hash, its encoding and that it can be decoded."""

import codecs
import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

import fsspec

from config.feed import Source

BLOCK = 1 << 20
SAMPLE_BYTES = 1 << 16
DELIMITERS = ",;\t|"
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class UnreadableSource(Exception):
    """A file that cannot be read as the feed says; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is written, and the hash of its bytes (of the unpacked ones, for .gz and .zip)."""

    encoding: str
    delimiter: str
    file_hash: str
    size: int


@contextmanager
def open_bytes(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file at any address fsspec reads, unpacked. Raises `UnreadableSource`."""
    try:
        with fsspec.open(path, "rb", compression="infer") as stream:
            yield cast("BinaryIO", stream)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise UnreadableSource(f"{path}: {error.strerror or 'cannot be opened'}") from error
    except ImportError as error:
        raise UnreadableSource(f"{path}: {error}") from error


@contextmanager
def open_text(path: str, encoding: str) -> Iterator[io.TextIOWrapper]:
    """The text of a file, with its line ends as they are."""
    with open_bytes(path) as stream, io.TextIOWrapper(stream, encoding=encoding, newline="") as text:
        yield text


def inspect_source(path: str, source: Source) -> Dialect:
    """How the file is written, as far as the feed does not say. Raises `UnreadableSource`."""
    digest, size, sample = hashlib.sha256(), 0, b""
    candidates: dict[str, codecs.IncrementalDecoder] = {}
    with open_bytes(path) as stream:
        while block := stream.read(BLOCK):
            if not size:
                sample, candidates = block[:SAMPLE_BYTES], _candidates(block, source.encodings)
            size += len(block)
            digest.update(block)
            candidates = _still_decoding(candidates, block, final=False)
    candidates = _still_decoding(candidates, b"", final=True)
    if size and not candidates:
        tried = ", ".join(source.encodings)
        raise UnreadableSource(f"{path}: none of {tried} decodes the whole file; add its encoding to source.encodings")
    encoding = next(iter(candidates), "utf-8")
    text = sample.decode(encoding, errors="ignore")
    return Dialect(encoding, source.delimiter or sniff_delimiter(text, source), digest.hexdigest(), size)


def sniff_delimiter(text: str, source: Source) -> str:
    """The delimiter that cuts the most rows of the sample into the same number of columns, more columns first."""
    lines = text.splitlines(keepends=True)[source.skip_rows :]
    scores = {delimiter: _agreement(lines[:200], delimiter, source.quote) for delimiter in DELIMITERS}
    return max(DELIMITERS, key=lambda delimiter: scores[delimiter])


def _agreement(lines: list[str], delimiter: str, quote: str) -> tuple[float, int]:
    widths: Counter[int] = Counter()
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)
    while True:
        try:
            widths[len(next(reader))] += 1
        except StopIteration:
            break
        except csv.Error:
            widths[0] += 1
    usual = [(rows / widths.total(), width) for width, rows in widths.items() if width > 1]
    return max(usual, default=(0.0, 0))


def _candidates(first: bytes, encodings: list[str]) -> dict[str, codecs.IncrementalDecoder]:
    marked = [encoding for mark, encoding in BYTE_ORDER_MARKS.items() if first.startswith(mark)]
    return {name: codecs.getincrementaldecoder(name)("strict") for name in marked or encodings}


def _still_decoding(
    candidates: dict[str, codecs.IncrementalDecoder], block: bytes, *, final: bool
) -> dict[str, codecs.IncrementalDecoder]:
    good = {}
    for name, decoder in candidates.items():
        try:
            decoder.decode(block, final)
        except UnicodeError:
            continue
        good[name] = decoder
    return good
