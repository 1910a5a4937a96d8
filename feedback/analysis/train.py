"""Trains what the analysis ships; the same data give the same bytes: `python -m feedback.analysis.train --help`."""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from feedback.analysis import (
    aspect_training,
    aspects,
    gold,
    language,
    lemmas,
    marked_elsewhere,
    opinion_training,
    opinions,
    sentiment,
    sentiment_training,
    tagger,
    tagger_training,
    treebank,
)
from feedback.analysis.gold import GoldText
from feedback.analysis.language import FOLDER, Language

_OTHERS = {
    "judged": "comments in which only what is judged is marked",
    "facts": "the same, written to tell facts",
    "statements": "single statements, what is judged marked",
}


def _words(lang: Language, path: Path) -> Iterator[tuple[str, str, str]]:
    for sentence in treebank.read(path):
        cut = lang.cut(sentence.text)
        for form, (tag, lemma) in zip(cut.surface, treebank.align(cut, sentence.words), strict=True):
            yield form, tag, lemma


def train_lemmas(code: str, treebanks: Path) -> str:
    """Learn the base forms of a language and say how many of the test treebank's it gets right."""
    lang = language.load(code)
    out = FOLDER / code / "lemmas.tsv"
    lemmas.save(out, *lemmas.learn(lemmas.triples(_words(lang, treebanks / f"{code}.train.conllu.gz"))))
    model = lemmas.Lemmas.load(out)
    test = [row for row in lemmas.triples(_words(lang, treebanks / f"{code}.test.conllu.gz")) if row[1] in lemmas.OPEN]
    right = sum(model.lemma(form, tag) == lemma for form, tag, lemma in test)
    share = 100 * right / max(len(test), 1)
    return f"{code} lemmas: {share:.1f} % of nouns, verbs, adjectives and adverbs, {out.stat().st_size // 1024} kB"


def train_tagger(code: str, treebanks: Path) -> str:
    """Train a language's tagger and say how many words of the test treebank it tags right, as written and roughened."""
    lang = language.load(code)
    out = FOLDER / code / "tagger.npz"
    given: tuple[str, ...] = ()
    if code == "zh":
        from feedback.analysis import chinese_dictionary  # noqa: PLC0415 - it takes a moment to load

        given = chinese_dictionary.CLASSES
    tagger_training.train(
        tagger_training.samples(treebanks / f"{code}.train.conllu.gz", lang.cut), out, lang.listed, given
    )
    model = tagger.Tagger.load(out)
    model.hint = lang.hint
    test = tagger_training.samples(treebanks / f"{code}.test.conllu.gz", lang.cut)
    chance = random.Random(1)  # noqa: S311 - reproducible, not secret
    clean = tagger_training.accuracy(model, test)
    rough = tagger_training.accuracy(model, [tagger_training.roughen(sample, chance) for sample in test])
    return (
        f"{code} tagger: {100 * clean:.1f} % as written, {100 * rough:.1f} % roughened, {out.stat().st_size // 1024} kB"
    )


def _learnt(path: Path, data: Path) -> list[GoldText]:
    """The texts of a gold file that may be learnt from."""
    if path.suffix == ".jsonl":
        return marked_elsewhere.read(path, data)
    return opinion_training.training_half(gold.read(path))


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m feedback.analysis.train", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    for name in ("tagger", "lemmas"):
        sub = what.add_parser(name, help=f"train the {name} of languages from CoNLL-U treebanks")
        sub.add_argument("codes", nargs="+", metavar="LANG")
        sub.add_argument(
            "--treebanks", type=Path, required=True, help="folder with LANG.train.conllu.gz and LANG.test.conllu.gz"
        )
    sub = what.add_parser("opinions", help="fit the opinion model on the even-numbered comments of gold files")
    sub.add_argument("golds", nargs="+", type=Path, metavar="GOLD", help="comments in which all terms are marked")
    for name, what_is_marked in _OTHERS.items():
        sub.add_argument(f"--{name}", nargs="*", default=[], type=Path, metavar="GOLD", help=what_is_marked)
    sub.add_argument("--data", type=Path, help="folder with feedback/ and ratings/: texts marked by place, rated texts")
    sub = what.add_parser("aspects", help="learn how readily feedback judges nouns; needs the extra `train`")
    sub.add_argument(
        "golds", nargs="+", type=Path, metavar="GOLD", help="comments in which only what is judged is marked"
    )
    sub.add_argument(
        "--data", type=Path, required=True, help="folder with treebanks/ and the texts that are marked by place"
    )
    sub = what.add_parser("sentiment", help="fit the sentence network; needs the extra `train`")
    sub.add_argument(
        "sentences", nargs="+", type=Path, metavar="SENTENCES", help="sentences marked +, - or 0 as a whole"
    )
    sub.add_argument(
        "--marked", nargs="*", default=[], type=Path, metavar="GOLD", help="comments whose terms are marked"
    )
    sub.add_argument("--data", type=Path, required=True, help="folder with feedback/, ratings/ and treebanks/")
    found = parser.parse_args()
    if found.what == "sentiment":
        sys.stdout.write(sentiment_training.train(found.sentences, found.marked, found.data, sentiment.MODEL) + "\n")
        return
    if found.what == "aspects":
        texts = [text for path in found.golds for text in _learnt(path, found.data)]
        sys.stdout.write(aspect_training.train(texts, found.data / "treebanks", aspects.TABLE) + "\n")
        return
    if found.what == "opinions":
        marked = [(path, opinion_training.ALL_MARKED) for path in found.golds]
        marked += [(path, opinion_training.JUDGED_MARKED) for path in found.judged]
        marked += [(path, opinion_training.FACTS) for path in found.facts]
        marked += [(path, opinion_training.STATEMENTS) for path in found.statements]
        sys.stdout.write(opinion_training.train(marked, opinions.WEIGHTS, found.data) + "\n")
        return
    train = train_tagger if found.what == "tagger" else train_lemmas
    for code in found.codes:
        sys.stdout.write(train(code, found.treebanks) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
