"""Bodies are taken apart as a JSON parser would, however their bytes fall into windows."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedback.errors import FeedbackError
from feedback.processing.intake import window
from feedback.processing.intake.json_body import split_json

# What a body taken apart by its brackets and commas would stumble over.
texts = st.text(st.sampled_from('ab"\\{}[],: \n\u00e9\U0001f600'), max_size=12)
values = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
documents = st.lists(st.dictionaries(texts, values, max_size=4), max_size=12)
separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", ":"), (",\n  ", " : ")])


def taken_apart(body: bytes, step: int) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "STEP", step)
        return [json.loads(raw) for raw in split_json(io.BytesIO(body))]


@settings(max_examples=100, deadline=None)
@given(sent=documents, separator=separators, escaped=st.booleans(), step=st.integers(1, 400))
def test_a_body_gives_the_documents_that_a_parser_finds(
    *, sent: list[Any], separator: tuple[str, str], escaped: bool, step: int
) -> None:
    body = json.dumps({"documents": sent}, separators=separator, ensure_ascii=escaped).encode()
    assert taken_apart(body, step) == sent


@settings(max_examples=150, deadline=None)
@given(documents, st.integers(0, 2000), st.sampled_from(b'{}[],:"\\x0 \x01\xff'), st.integers(1, 400))
def test_a_damaged_body_is_refused_where_a_parser_refuses_it(sent: list[Any], at: int, byte: int, step: int) -> None:
    damaged = bytearray(json.dumps({"documents": sent}).encode())
    damaged[at % len(damaged)] = byte
    expected = read(bytes(damaged))
    if expected is None:
        with pytest.raises(FeedbackError):
            taken_apart(bytes(damaged), step)
    else:
        assert taken_apart(bytes(damaged), step) == expected


def read(body: bytes) -> list[Any] | None:
    """The documents of a body, None where it is no JSON or none that is an import."""
    try:
        found = json.loads(body.decode())
    except ValueError:
        return None
    listed = found.get("documents") if isinstance(found, dict) else None
    return listed if isinstance(listed, list) and all(isinstance(one, dict) for one in listed) else None


@pytest.mark.parametrize("depth", [64, 65])
def test_a_document_nests_at_most_64_deep_wherever_it_stands(depth: int) -> None:
    deep = b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
    for body in (b'{"documents":[%b]}' % deep, b'{"documents":[%b,{"b":1}]}' % deep):
        if depth > 64:
            with pytest.raises(FeedbackError):
                taken_apart(body, 2**20)
        else:
            assert taken_apart(body, 2**20)[0] == json.loads(deep)


def test_a_comma_behind_the_last_document_is_no_json() -> None:
    with pytest.raises(FeedbackError):
        taken_apart(b'{"documents":[{"a":1},]}', 2**20)
