"""A sentence in which no word judges is heard as a whole, by a network that gives the same figures everywhere."""

from pathlib import Path

import numpy as np
import pytest

from feedback.analysis import sentiment, sentiment_training
from feedback.analysis.pieces import Pieces, checksum, words
from feedback.analysis.profile import OwnOpinion
from feedback.analysis.sentiment_sources import Table, written
from tests.analysis.make import opinions_of

SENTENCES = Path(__file__).resolve().parents[1] / "gold" / "sentences"
FIRST, SECOND = "Seventeen days and the parcel sits in Leeds.", "The driver carried both boxes up to my flat."


def test_a_sentence_has_the_same_figures_alone_and_among_others() -> None:
    texts = [FIRST, "", SECOND, "房间正对着马路，一晚上没睡。", "x" * 500]
    together = sentiment.judge(texts)
    assert together == [sentiment.judge([text])[0] for text in texts]
    assert together == sentiment.judge(texts[::-1])[::-1]


def test_what_holds_no_piece_says_nothing() -> None:
    assert sentiment.judge(["", " \n", "\U000f0000"])[:2] == [(0.0, 0.0)] * 2


def test_an_own_entry_settles_what_its_sentence_says() -> None:
    text = "The guide left us at a carpet shop for two hours."
    assert opinions_of(text)["guide"] == "NEGATIVE"
    own = (OwnOpinion("two hours", "NEUTRAL"),)
    assert opinions_of(text, opinions=own)["guide"] == "NEUTRAL"


def test_words_are_cut_into_their_likeliest_pieces() -> None:
    scores = {"▁un": -2.0, "▁unhappy": -9.0, "happy": -3.0, "hap": -5.0, "py": -5.0, "▁": -4.0}
    checks = sorted(map(checksum, scores))
    names = {checksum(piece): piece for piece in scores}
    known = Pieces(np.array(checks, np.uint32), np.array([scores[names[c]] for c in checks], np.float32), 8)
    assert [names[checks[n]] for n in known.of("unhappy")] == ["▁un", "happy"]
    assert [names[checks[n]] for n in known.of("unhapüpy")] == ["▁un", "hap", "py"]


def test_shouting_reads_as_speaking_and_chinese_is_cut_in_short_runs() -> None:
    assert words("WAITED ２ hours") == ["Waited", "2", "hours"]
    assert max(map(len, words("等" * 100))) < 20


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
