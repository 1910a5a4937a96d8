"""Learns how readily feedback judges a noun: from marked comments, and for all other nouns from what they mean."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import aspects, language, lexicon, treebank
from feedback.analysis.aspects import STEPS
from feedback.analysis.gold import GoldText
from feedback.analysis.opinion_training import NEITHER, phrases
from feedback.analysis.pieces import checksum
from feedback.analysis.sentiment_sources import meanings
from feedback.analysis.tags import NOUNS
from feedback.analysis.words import noun_lemma

FOLDS = 5
"""A word's score comes of the comments on other words alone: what is fitted later must not see more than it will."""
PULL = 1.0
"""How hard the weights of meanings are drawn to nought, where one mention pulls with 1."""
_ROUNDS = 8
_MOST = 1.5

Matrix = NDArray[np.float64]


def mentions(texts: Iterable[GoldText]) -> Iterator[tuple[str, bool]]:
    """The base form of each noun that comments speak of, and whether it was praised or blamed there."""
    for read, node, _, label in phrases(texts):
        yield noun_lemma(read, node.head), label not in (None, NEITHER)


def nouns(code: str, treebanks: Path) -> set[str]:
    """The words of a language that may name something, for all that taxonomies, lexicons and treebanks say."""
    lang = language.load(code)
    found = set(lang.nouns) | set(lang.stopterms)
    found |= {row[0].lower() for row in lexicon.rows(lang.folder / "opinions.tsv") if row[2:3] == ["N"]}
    shown = (word for sentence in treebank.read(treebanks / f"{code}.train.conllu.gz") for word in sentence.words)
    found |= {word.form.lower() for word in shown if word.tag in NOUNS}
    return found | {lang.lemmas.lemma(word, "NOUN") for word in found}


def fit(vectors: Matrix, judged: Matrix, all_of: Matrix) -> Matrix:
    """Logistic regression by Newton's method: what to multiply a vector with a 1 behind it by.

    `judged` and `all_of` count, for each row of `vectors`, how often the word was judged and how often it was met.
    """
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    pull = np.full(rows.shape[1], PULL)
    pull[-1] = 1e-6
    found = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (judged - all_of * chance) - pull * found
        bend = (rows * (all_of * chance * (1 - chance))[:, None]).T @ rows + np.diag(pull)
        found = found + np.linalg.solve(bend, slope)
    return found


def train(texts: Iterable[GoldText], treebanks: Path, out: Path) -> str:
    """Learn from marked comments, write the table of all nouns of all languages to `out`, say what came of it.

    Languages are loaded anew, since they keep what they looked up. Raises `ValueError` where the comments judge
    nothing, or nothing is merely mentioned in them.
    """
    met: dict[str, list[int]] = {}
    for word, judged in mentions(texts):
        tally = met.setdefault(word, [0, 0])
        tally[0] += judged
        tally[1] += 1
    told = sum(judged for judged, _ in met.values()), sum(total for _, total in met.values())
    if not 0 < told[0] < told[1]:
        raise ValueError("aspects are learnt from comments in which some nouns are judged and others only mentioned")
    words = sorted(set(met).union(*(nouns(code, treebanks) for code in language.available())))
    fold = np.array([checksum(word) % FOLDS for word in words])
    counts = np.array([met.get(word, [0, 0]) for word in words], np.float64)
    vectors = meanings(words).astype(np.float64)
    scores = np.zeros(len(words))
    for part in range(FOLDS):
        learnt = (fold != part) & (counts[:, 1] > 0)
        weights = fit(vectors[learnt], counts[learnt, 0], counts[learnt, 1])
        here = fold == part
        usual = np.average(vectors[learnt] @ weights[:-1], weights=counts[learnt, 1])
        scores[here] = vectors[here] @ weights[:-1] - usual
    _write(words, scores, out)
    aspects.forget()
    language.load.cache_clear()
    return f"{len(words)} words, {len(met)} of them met in comments, {_told(scores, counts)}"


def _write(words: list[str], scores: Matrix, out: Path) -> None:
    # Of two words of one checksum the later counts.
    table = {
        checksum(word): round(float(score) * STEPS)
        for word, score in zip(words, scores.clip(-_MOST, _MOST), strict=True)
    }
    checks = sorted(table)
    np.savez_compressed(
        out, checks=np.array(checks, np.uint32), scores=np.array([table[check] for check in checks], np.int8)
    )


def _told(scores: Matrix, counts: Matrix) -> str:
    """How often, of a judged and a merely mentioned noun drawn at random, the judged one scores higher."""
    order = np.argsort(scores, kind="stable")
    judged, passed = counts[order, 0], counts[order, 1] - counts[order, 0]
    below = np.cumsum(passed) - passed / 2
    return f"{100 * (judged * below).sum() / (judged.sum() * passed.sum()):.1f} % of pairs in order"
