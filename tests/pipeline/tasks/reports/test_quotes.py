"""A quoted comment shows what its reader saw, with the term that was asked about in it."""

import pytest

from tasks.reports.comments import pieces


def test_where_terms_overlap_the_one_asked_about_is_marked() -> None:
    cut = list(pieces("customer service", [(0, 16, "POSITIVE", False), (9, 16, "NEGATIVE", True)]))
    assert [(piece.text, piece.focus) for piece in cut] == [("customer ", False), ("service", True)]


def test_a_long_comment_is_cut_around_the_word_asked_about() -> None:
    content = "word " * 400 + "till" + " word" * 400
    cut = list(pieces(content, [(2000, 2004, "NEGATIVE", True)]))
    assert [piece.text for piece in cut if piece.focus] == ["till"]
    assert (cut[0].text, cut[-1].text) == ("…", "…")
    assert sum(len(piece.text) for piece in cut) < 700


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("Wartezeit<br />keine Parkpl&auml;tze", "Wartezeit keine Parkplätze"),
        ("Wasn&#39;t good &#128077; &#x1F44D;", "Wasn't good 👍 👍"),
        ('<p class="x">A <b>very</b> long<a href="/?a=1&amp;b=2">wait</a></p>', " A very longwait "),
        ("late&lt;br&gt;again<!-- was: early -->", "late again"),
        ("<name> said 3 < 4 &notes; <small but cosy>", "<name> said 3 < 4 &notes; <small but cosy>"),
    ],
)
def test_a_quoted_comment_is_what_its_reader_saw(sent: str, seen: str) -> None:
    assert "".join(piece.text for piece in pieces(sent, [])) == seen


def test_a_term_among_markup_stays_highlighted() -> None:
    sent = "Nie<br />Parkpl&auml;tze&#33;"
    cut = list(pieces(sent, [(9, 24, "NEGATIVE", True)]))
    assert [(piece.text, piece.focus) for piece in cut] == [("Nie ", False), ("Parkplätze", True), ("!", False)]


def test_a_comment_that_is_cut_within_a_tag_shows_nothing_of_it() -> None:
    sent = '<a href="/page?of=shop">till</a> ' * 60
    begin = sent.index("till", 1000)
    text = "".join(piece.text for piece in pieces(sent, [(begin, begin + 4, "NEGATIVE", True)]))
    assert set(text.replace("…", " ").split()) == {"till"}
