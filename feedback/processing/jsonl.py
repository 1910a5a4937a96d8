"""Analyses JSON lines without a service, for `feedback analyse`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from feedback.analysis import Profile, analyse_many
from feedback.domain.findings import shown
from feedback.errors import Code, Malformed

_BATCH = 256


def analyse_lines(lines: Iterable[bytes], lang: str, industry: str = "GENERAL") -> Iterator[bytes]:
    """A line `{"id", "enrichments", "topics"}` for each line `{"id", "text"}`; blank lines are skipped."""
    profile = Profile(lang=lang, industry=industry)
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    while batch := list(islice(numbered, _BATCH)):
        items = [_item(line, number) for number, line in batch]
        analyses = analyse_many([(text, None, None) for _, text in items], profile)
        for (identifier, _), found in zip(items, analyses, strict=True):
            enrichments, topics = shown(found.enrichments, found.topics)
            record = {"id": identifier, "enrichments": enrichments, "topics": topics}
            yield msgspec.json.encode(record) + b"\n"


def _item(line: bytes, number: int) -> tuple[Any, str]:
    try:
        members = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"not JSON: {error}"
        raise Malformed(message, field=f"line {number}") from None
    if not isinstance(members, dict) or not isinstance(members.get("text"), str):
        message = "a line is an object with a string named text"
        raise Malformed(message, code=Code.WRONG_TYPE, field=f"line {number}")
    return members.get("id"), members["text"]
