"""Texts out of web pages are read as their readers saw them, and terms stand where they are in the text as sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.analysis import Profile, analyse, markup
from tests.analysis.make import opinions_of

POSITIVE, NEGATIVE = "POSITIVE", "NEGATIVE"


def test_a_tag_that_breaks_a_line_ends_a_sentence_and_names_nothing() -> None:
    found = opinions_of("The room was great<br /><br>The staff was rude</p><p class='x'>Nice pool")
    assert found == {"room": POSITIVE, "staff": NEGATIVE, "pool": POSITIVE}


def test_a_tag_within_a_line_leaves_the_sentence_whole() -> None:
    assert opinions_of('The <b>room</b> was <a href="http://x.example/?a=1&amp;b=2">great</a>.') == {"room": POSITIVE}


def test_a_tag_that_was_escaped_is_one() -> None:
    found = opinions_of("The room was great&lt;br /&gt;&lt;BR&gt;The staff was rude&lt;/p&gt;")
    assert found == {"room": POSITIVE, "staff": NEGATIVE}


def test_a_tag_between_the_words_of_a_term_does_not_part_them() -> None:
    assert "customer <b>service" in opinions_of("The customer <b>service</b> was great")


def test_an_entity_is_what_it_stands_for() -> None:
    assert opinions_of("The staff &amp; the pool didn&#39;t disappoint") == {"staff": POSITIVE, "pool": POSITIVE}
    assert opinions_of("Le caf&eacute; est d&eacute;licieux", "fr") == {"caf&eacute;": POSITIVE}


def test_a_term_is_called_by_the_letters_that_were_meant() -> None:
    (found,) = analyse("Le caf&eacute; est bon", Profile(lang="fr")).enrichments
    assert found.term == "café__NOUN__1"


@pytest.mark.parametrize(
    "text",
    [
        "5 < 6 > 4",
        "Dear <name>, hello",
        "I <3 it",
        "AT&T",
        "R&D;",
        "a &unknown; b",
        "drinks&notes;",
        "<small but cosy> room",
        "if a<b and c>d",
        "<",
        "&",
    ],
)
def test_what_is_no_markup_is_left_alone(text: str) -> None:
    assert markup.plain(text) is None


def test_a_picture_within_its_tag_is_no_text() -> None:
    found = opinions_of(f'Great room <img alt="" src="data:image/png;base64,{"iVBORw0KGgo" * 500}"/>')
    assert found == {"room": POSITIVE}


@given(
    st.lists(st.sampled_from(["<br>", "</p>", "&amp;", "&#x1F600;", "&nbsp;", "<b>", "wi-fi", "é", " ", "<", "&", ";"]))
)
def test_every_character_knows_where_it_was(parts: list[str]) -> None:
    text = "".join(parts)
    page = markup.plain(text)
    if page is not None:
        assert len(page.text) == len(page.begins) == len(page.ends)
        for shown, begin, end in zip(*page, strict=True):
            sent = text[begin:end]
            assert sent == shown or sent[0] in "<&"
