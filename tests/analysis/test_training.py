"""What training makes is reproducible, and what is shipped is as good as the documentation says."""

import gzip
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from feedback.analysis import (
    gold,
    language,
    lemmas,
    marked_elsewhere,
    opinion_training,
    opinions,
    tagger,
    tagger_training,
)
from feedback.analysis.language import FOLDER

# Percent of the words of the first 300 sentences of the test treebank, less a point.
TAGGED: dict[str, float] = {
    "de": 87.5,
    "en": 92.3,
    "es": 89.4,
    "fr": 92.7,
    "it": 90.2,
    "nl": 90.0,
    "pt": 90.3,
    "zh": 75.1,
}


@pytest.mark.parametrize("lang", sorted(TAGGED))
def test_a_shipped_tagger_is_as_good_as_it_was(lang: str, treebanks: Path) -> None:
    spoken = language.load(lang)
    test = tagger_training.samples(treebanks / f"{lang}.test.conllu.gz", spoken.cut)[:300]
    assert spoken.tagger is not None
    assert 100 * tagger_training.accuracy(spoken.tagger, test) >= TAGGED[lang]


def test_training_a_tagger_twice_gives_the_same_bytes(treebanks: Path, tmp_path: Path) -> None:
    spoken = language.load("de")
    data = tagger_training.samples(treebanks / "de.train.conllu.gz", spoken.cut)[:120]
    for name in ("a.npz", "b.npz"):
        tagger_training.train(list(data), tmp_path / name, spoken.hint, epochs=2)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert tagger.Tagger.load(tmp_path / "a.npz").tag(["der", "Zug"], ["w", "w"])[0] == "DET"


def test_fitting_opinions_twice_gives_the_same_weights() -> None:
    rows = np.eye(len(opinions.weights()))[:20]
    labels = np.arange(20) % 3
    first, second = (opinion_training.fit(rows, labels, np.ones(20)) for _ in range(2))
    assert np.array_equal(first, second)


def test_marks_find_their_text_where_it_lies_and_tell_another(tmp_path: Path) -> None:
    (tmp_path / "stays.csv").write_text('id;text\n1;"Nice\n room,  cold soup."\n', encoding="utf-8")
    said = "room, cold soup."
    mark = {"file": "stays.csv", "delimiter": ";", "row": 1, "column": 1, "begin": 5, "end": 21, "industry": "TRAVEL"}
    mark |= {"crc32": zlib.crc32(said.encode()), "terms": [[6, 15, "NEGATIVE"]]}
    marks = tmp_path / "en.jsonl"
    marks.write_text(json.dumps(mark) + "\n")
    (found,) = marked_elsewhere.read(marks, tmp_path)
    assert (found.lang, found.text, found.terms) == ("en", said, (gold.GoldTerm(6, 15, "NEGATIVE"),))
    marks.write_text(json.dumps(mark | {"row": 0}) + "\n")
    with pytest.raises(ValueError, match=r"row 0 of stays\.csv holds another text"):
        marked_elsewhere.read(marks, tmp_path)


def test_marks_find_their_sentence_in_a_treebank(tmp_path: Path) -> None:
    words = ["1\tNice\tnice\tADJ", "2\trooms\troom\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No", "3\t!\t!\tPUNCT"]
    rows = ["\t".join((row.split("\t") + ["_"] * 10)[:10]) for row in words]
    with gzip.open(tmp_path / "en.train.conllu.gz", "wt", encoding="utf-8") as out:
        out.write("1\tNo\tno\tINTJ" + "\t_" * 6 + "\n\n" + "\n".join(rows) + "\n\n")
    mark = {"file": "en.train.conllu.gz", "row": 1, "begin": 0, "end": 11, "industry": "TRAVEL"}
    mark |= {"crc32": zlib.crc32(b"Nice rooms!"), "terms": [[5, 10, "POSITIVE"]]}
    marks = tmp_path / "en.jsonl"
    marks.write_text(json.dumps(mark) + "\n")
    (found,) = marked_elsewhere.read(marks, tmp_path)
    assert (found.text, found.terms) == ("Nice rooms!", (gold.GoldTerm(5, 10, "POSITIVE"),))


def test_lemma_rules_are_learnt_and_written_and_read_back(tmp_path: Path) -> None:
    words = [("rooms", "NOUN", "room"), ("beds", "NOUN", "bed"), ("tables", "NOUN", "table"), ("mice", "NOUN", "mouse")]
    lemmas.save(tmp_path / "lemmas.tsv", *lemmas.learn(words))
    model = lemmas.Lemmas.load(tmp_path / "lemmas.tsv")
    assert [model.lemma(word, "NOUN") for word in ("chairs", "mice")] == ["chair", "mouse"]


def test_base_forms_are_learnt_of_words_alone() -> None:
    words = [("Rooms", "NOUN", "room"), ("@ra", "NOUN", "ann@ra"), (",", "VERB", "be"), ("14h", "NOUN", "h")]
    assert list(lemmas.triples(words)) == [("rooms", "NOUN", "room")]


def test_the_lexicon_corrects_a_lemma() -> None:
    assert language.load("en").form("batteries").keys >= {"battery"}
    assert language.load("fr").form("déçue").keys >= {"déçu"}


def test_every_language_folder_can_be_loaded() -> None:
    codes = language.available()
    assert codes == sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and (path / "opinions.tsv").exists())
    assert all(language.load(code).known for code in codes)
