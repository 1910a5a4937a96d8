"""Instants and their texts are each other's inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.domain.timestamps import from_iso, month_of, to_iso

FIRST = from_iso("0001-01-01T00:00:00Z")
LAST = from_iso("9999-12-31T23:59:59.999Z")


@given(st.integers(FIRST, LAST))
def test_every_instant_comes_back_from_its_text(ms: int) -> None:
    assert from_iso(to_iso(ms)) == ms


def test_a_text_has_milliseconds_and_z() -> None:
    assert to_iso(-1) == "1969-12-31T23:59:59.999Z"


def test_zones_are_turned_into_utc_and_finer_fractions_cut() -> None:
    assert to_iso(from_iso("2026-03-01T00:30:00.1239+01:00")) == "2026-02-28T23:30:00.123Z"
    assert month_of(from_iso("2026-03-01T00:30:00+01:00")) == "2026-02"


@pytest.mark.parametrize(
    "text", ["", "now", "2026-03-01", "2026-03-01T10:00:00", "2026-13-01T00:00:00Z", "0000-01-01T00:00Z"]
)
def test_what_names_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  The caller says which value it was.
        from_iso(text)
