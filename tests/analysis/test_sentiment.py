"""A sentence in which no word judges is heard as a whole, by a network that gives the same figures everywhere."""

import json
import time
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

from feedback.analysis import sentiment, sentiment_training
from feedback.analysis.pieces import Pieces, checksum, words
from feedback.analysis.profile import OwnOpinion
from feedback.analysis.sentiment_sources import PRAISE, Table, labelled, written
from tests.analysis.make import opinions_of

SENTENCES = Path(__file__).resolve().parents[1] / "gold" / "sentences"
FIRST, SECOND = "Seventeen days and the parcel sits in Leeds.", "The driver carried both boxes up to my flat."


# (sentences told as what they are; signs of those that praise or complain) on held-out blocks, percent less two points.
FLOORS = {
    "de": (68.2, 72.3),
    "en": (69.0, 71.9),
    "es": (69.2, 71.9),
    "fr": (70.1, 71.3),
    "it": (70.0, 73.0),
    "nl": (65.6, 67.8),
    "pt": (69.0, 74.8),
    "zh": (70.9, 74.6),
}


@pytest.mark.parametrize("lang", sorted(FLOORS))
def test_the_network_stays_above_its_floor_on_held_out_sentences(lang: str) -> None:
    reached = sentiment_training.right(sentiment.network(), written(SENTENCES / f"{lang}.tsv")[1])
    assert all(have >= floor for have, floor in zip(reached, FLOORS[lang], strict=True)), reached


def test_a_sentence_has_the_same_figures_alone_and_among_others() -> None:
    texts = [FIRST, "", SECOND, "房间正对着马路，一晚上没睡。", "x" * 500]
    together = sentiment.judge(texts)
    assert together == [sentiment.judge([text])[0] for text in texts]
    assert together == sentiment.judge(texts[::-1])[::-1]


def test_what_holds_no_piece_of_a_word_says_nothing() -> None:
    assert sentiment.judge(["", " \n", "\U000f0000", "\u200b"]) == [(0.0, 0.0)] * 4


def test_what_is_told_as_a_fact_is_judged() -> None:
    assert opinions_of("The guide left us at a carpet shop for two hours.")["guide"] == "NEGATIVE"
    assert opinions_of("Der Fahrer trug die Kisten bis in meine Wohnung.", "de")["Fahrer"] == "POSITIVE"
    assert opinions_of("The parcel was sent on 3 May with DHL.")["parcel"] == "NEUTRAL"


@pytest.mark.parametrize(
    "text",
    ["De scherpschutter.", "Good:\nThe pool\nBad:\nThe bar", "The lamp was blue.", "The room was on the third floor."],
)
def test_titles_headings_descriptions_and_salutations_tell_nothing(text: str) -> None:
    assert set(opinions_of(text, "nl" if text.startswith("De ") else "en").values()) <= {"NEUTRAL"}


@pytest.mark.parametrize(
    "text", ["房间在楼上。" * 5000, "The parcel a" + "\u0301\u0327" * 20_000 + " sits in the shed."]
)
def test_long_texts_take_proportional_time_and_bounded_memory(text: str) -> None:
    sentiment.judge(["."])
    tracemalloc.start()
    start = time.process_time()
    sentiment.judge([text] + ["房间在楼上。"] * 5000)
    spent, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (spent < 20, peak < 40e6) == (True, True), (spent, peak)


def test_an_own_entry_settles_what_its_sentence_says() -> None:
    text = "The guide left us at a carpet shop for two hours."
    assert opinions_of(text)["guide"] == "NEGATIVE"
    own = (OwnOpinion("two hours", "NEUTRAL"),)
    assert opinions_of(text, opinions=own)["guide"] == "NEUTRAL"
    elsewhere = OwnOpinion("two hours", "NEUTRAL", context=("battery",))
    assert opinions_of(text, opinions=(elsewhere,))["guide"] == "NEGATIVE"
    here = OwnOpinion("two hours", "NEUTRAL", context=("shop",))
    assert opinions_of(text, opinions=(elsewhere, here))["guide"] == "NEUTRAL"


def test_words_are_cut_into_their_likeliest_pieces() -> None:
    scores = {"▁un": -2.0, "▁unhappy": -9.0, "happy": -3.0, "hap": -5.0, "py": -5.0, "▁": -4.0}
    checks = sorted(map(checksum, scores))
    names = {checksum(piece): piece for piece in scores}
    known = Pieces(np.array(checks, np.uint32), np.array([scores[names[c]] for c in checks], np.float32), 8)
    assert [names[checks[n]] for n in known.of("unhappy", 9)] == ["▁un", "happy"]
    assert [names[checks[n]] for n in known.of("unhapüpy", 9)] == ["▁un", "hap", "py"]


def test_shouting_reads_as_speaking_and_chinese_is_cut_in_short_runs() -> None:
    assert words("WAITED ２ hours", 64) == ["Waited", "2", "hours"]
    assert words("disappointing😡", 64) == ["disappointing😡"]
    assert max(map(len, words("等" * 100, 64))) < 20


def test_a_file_of_sentences_holds_whole_blocks_out(tmp_path: Path) -> None:
    path = tmp_path / "en.tsv"
    path.write_text("".join(f"RETAIL\t-\tThe till stood still {n} times.\n" for n in range(50)))
    learnt, held = written(path)
    assert (len(learnt), len(held)) == (40, 10)
    assert {e.text.split()[4] for e in held} == {str(n) for n in range(10)}
    path.write_text("RETAIL\tbad\tThe till stood still.\n")
    with pytest.raises(ValueError, match=r"en\.tsv:1: expected an industry, \+, - or 0"):
        written(path)


def test_training_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    chance = np.random.default_rng(5)
    checks = np.sort(chance.choice(2**32, 300, replace=False).astype(np.uint32))
    table = Table(Pieces(checks, np.zeros(300, np.float32), 5), chance.normal(size=(300, 512)).astype(np.float32))
    cut = [chance.integers(0, 300, 1 + n % 9).tolist() for n in range(200)]
    signs = np.array([sum(pieces) % 3 for pieces in cut])
    meanings = chance.normal(size=(200, 512)) / 512**0.5
    lesson = sentiment_training.Lesson(cut, meanings.astype(np.float16), signs, np.ones(200, np.float32))
    for name in ("a.npz", "b.npz"):
        sentiment_training.save(sentiment_training.fit(table.vectors, lesson, 2), table, cut, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_network_too_wide_for_exact_sums_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentiment_training, "HIDDEN", 256)
    chance = np.random.default_rng(5)
    table = Table(Pieces(np.arange(70, dtype=np.uint32), np.zeros(70, np.float32), 5), np.ones((70, 512), np.float32))
    lesson = sentiment_training.Lesson([[1, 2]], np.ones((1, 512), np.float16), np.array([0]), np.ones(1, np.float32))
    found = sentiment_training.fit(chance.normal(size=(70, 512)).astype(np.float32), lesson, 1)
    found["wide"][:] = 1.0
    with pytest.raises(ValueError, match="may exceed what 32-bit floats hold exactly"):
        sentiment_training.save(found, table, [[1, 2]], tmp_path / "wide.npz")


def test_training_learns_what_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, small in (("WIDTH", 16), ("HIDDEN", 24), ("LAST", 24), ("_TOKENS", 64)):
        monkeypatch.setattr(sentiment_training, name, small)
    chance = np.random.default_rng(5)
    checks = np.sort(chance.choice(2**32, 90, replace=False).astype(np.uint32))
    table = Table(Pieces(checks, np.zeros(90, np.float32), 5), chance.normal(size=(90, 512)).astype(np.float32))
    cut = [[int(piece), *chance.integers(3, 90, 2).tolist()] for piece in chance.integers(0, 3, 3000)]
    signs = np.array([pieces[0] for pieces in cut])
    meanings = np.tile(np.eye(512, dtype=np.float16)[0], (3000, 1))
    lesson = sentiment_training.Lesson(cut, meanings, signs, np.ones(3000, np.float32))
    found = sentiment_training.fit(table.vectors, lesson, 6)
    sentiment_training.save(found, table, cut, tmp_path / "net.npz")
    chances = sentiment.forward(sentiment.load(tmp_path / "net.npz"), cut)
    assert np.mean(chances.argmax(1) == signs) > 0.95


def test_sentences_of_real_comments_are_read_from_where_they_lie(tmp_path: Path) -> None:
    said = [f"They called back after {n} minutes." for n in range(3)]
    (tmp_path / "calls.csv").write_text("text\n" + "\n".join(said) + "\n", encoding="utf-8")
    places = [
        {
            "file": "calls.csv",
            "row": n + 1,
            "column": 0,
            "begin": 0,
            "end": len(text),
            "crc32": zlib.crc32(text.encode()),
        }
        for n, text in enumerate(said)
    ]
    marks = tmp_path / "en.jsonl"
    marks.write_text("".join(json.dumps(place | {"sign": "+"}) + "\n" for place in places))
    assert [(e.text, e.sign) for e in labelled(marks, tmp_path)] == [(text, PRAISE) for text in said]
