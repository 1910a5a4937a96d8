"""Fits the opinion model on marked texts: a multinomial logistic regression that starts from a guess."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import features, language, marked_elsewhere, opinions, pipeline, rated, reading
from feedback.analysis.evaluate import iou
from feedback.analysis.gold import GoldText, read
from feedback.analysis.rated import RatedText
from feedback.analysis.reading import Reading
from feedback.analysis.terms import Node
from feedback.domain.document import Opinion

NEITHER = opinions.CLASSES.index(Opinion.NEUTRAL)
STEPS = 600
PULL = 10.0
"""How hard weights are drawn towards the guess, where one term marked with an opinion pulls with 1."""
GUESS = {
    "modifier": 3.0,
    "predicate": 3.0,
    "subject": 2.4,
    "object": 2.2,
    "near": 2.2,
    "linked": 1.8,
    "own": 1.6,
    "back": 1.4,
    "before": 0.8,
    "clause": 0.7,
    "against": 0.5,
    "clause_aside": 0.5,
    "sentence": 0.3,
    "sentence_aside": 0.2,
    "nearest": 0.2,
    "document": 0.15,
    "document_aside": 0.1,
    "sentiment": 0.5,
    "sentiment_aside": 0.3,
}
"""What a judgement in a relation to a noun says of it before any comment was read."""
GUESS_OF_NEITHER = {"bias": 0.6, "silent": 1.0, "quiet": 0.5, "name_inner": 1.4, "question": 0.4, "condition": 0.3}
RATED = 250
RATED_SHARE = 0.05
"""How much all rated texts together weigh beside all marked ones."""
DIRECT = tuple(range(features.BACK)) + tuple(range(len(features.RELATIONS), len(features.RELATIONS) + features.BACK))
MIRRORED = 0.33
"""How much a comment counts with praise and complaint exchanged: what ties a judgement to its noun knows no sign."""
_INDIRECT = -0.8
"""The guess for judgements that are no plain words of praise or complaint: wishes, lacks, negations, learnt words."""
_RATE = 0.5
_HALF = 0.5

Matrix = NDArray[np.float64]
Examples = tuple[Matrix, NDArray[np.int64], Matrix]


class Shares(NamedTuple):
    """What a term marked with an opinion weighs, one marked neutral, and a noun phrase nobody marked, as neutral."""

    judged: float
    neutral: float
    unmarked: float


ALL_MARKED = Shares(judged=1.2, neutral=0.864, unmarked=0.1725)
"""For comments in which all that is mentioned is marked; ours mention more in passing, on purpose, than others do."""
JUDGED_MARKED = Shares(judged=1.0, neutral=0.45, unmarked=0.124)
"""For comments in which only what is judged is marked."""
FACTS = Shares(judged=0.5, neutral=0.225, unmarked=0.1035)
"""For comments written to tell facts that the engine did not know; they mention as much in passing as others do."""
STATEMENTS = Shares(judged=0.3, neutral=0.135, unmarked=0.025)
"""For single statements, of which there are many, each written to be a judgement."""


def training_half(texts: list[GoldText]) -> list[GoldText]:
    """The even-numbered comments, which weights may be fitted on; the odd ones are held out."""
    return texts[1::2]


def held_out_half(texts: list[GoldText]) -> list[GoldText]:
    """The odd-numbered comments: the floor the tests hold is measured on these alone."""
    return texts[::2]


def phrases(texts: Iterable[GoldText]) -> Iterator[tuple[Reading, Node, list[float], int | None]]:
    """The noun phrases of marked texts with their evidence, and each one's class; None where nobody marked it.

    Left out are those that overlap a mark without being what was marked, and judging nouns that nobody marked ("a
    nightmare"), which may well have the opinion they carry.
    """
    for text in texts:
        read_text = reading.read(text.text, language.load(text.lang))
        (proof,) = pipeline.evidence_on([read_text])
        for node, row in zip(proof.nodes, proof.rows, strict=True):
            spans = [(read_text.begin[a], read_text.end[b - 1]) for a, b in node.spans]
            best = max(
                ((iou(span, (g.begin, g.end)), g.opinion) for span in spans for g in text.terms), default=(0.0, "")
            )
            if best[0] >= _HALF and best[1] in opinions.CLASSES:
                yield read_text, node, row, opinions.CLASSES.index(Opinion(best[1]))
            elif spans and not (best[0] or row[features.OWN] or row[features.OWN + len(features.RELATIONS)]):
                yield read_text, node, row, None


def examples(texts: Iterable[GoldText], shares: Shares = ALL_MARKED) -> Examples:
    """Rows of evidence, the class of each, and its weight."""
    rows: list[list[float]] = []
    labels: list[int] = []
    weights: list[float] = []
    for _, _, row, label in phrases(texts):
        rows.append(row)
        labels.append(NEITHER if label is None else label)
        weights.append(shares.unmarked if label is None else shares.neutral if label == NEITHER else shares.judged)
    return np.array(rows), np.array(labels, np.int64), np.array(weights)


def with_mirrored(rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> Examples:
    """The examples, and each with praise and complaint exchanged, which counts `MIRRORED` of the whole."""
    other = [features.FEATURES.index(_opposite(name)) for name in features.FEATURES]
    exchanged = np.array([1, 0, 2])[labels]
    return (
        np.concatenate([rows, rows[:, other]]),
        np.concatenate([labels, exchanged]),
        np.concatenate([(1 - MIRRORED) * weights, MIRRORED * weights]),
    )


def _opposite(name: str) -> str:
    known = {"+": "-", "-": "+"}
    if name[-1] in known:
        return name[:-1] + known[name[-1]]
    return {"last_positive": "last_negative", "last_negative": "last_positive"}.get(name, name)


def signed(texts: Iterable[RatedText], each: int = RATED) -> tuple[Matrix, Matrix]:
    """Rows of evidence on the terms of rated texts and the sign of each, at most `each` texts a language and sign."""
    rows: list[list[float]] = []
    signs: list[int] = []
    seen: Counter[tuple[str, int]] = Counter()
    for text in texts:
        if rated.held_out(text):
            continue
        seen[text.lang, text.sign] += 1
        if seen[text.lang, text.sign] > each or not language.load(text.lang).entries:
            continue
        read_text = reading.read(text.text[:1500], language.load(text.lang))
        (proof,) = pipeline.evidence_on([read_text])
        for node, row in zip(proof.nodes, proof.rows, strict=True):
            # A text's praise says nothing of terms that nothing was said of.
            if node.spans and any(row[k] for k in DIRECT):
                rows.append(row)
                signs.append(text.sign)
    return np.array(rows).reshape(-1, len(features.FEATURES)), np.array(signs, np.float64)


def guess() -> Matrix:
    """The weights that training starts from: features x classes."""
    weights = np.zeros((len(features.FEATURES), len(opinions.CLASSES)))
    for n, name in enumerate(features.FEATURES):
        at = {"+": 0, "-": 1}.get(name[-1])
        if at is None:
            weights[n, 2] = GUESS_OF_NEITHER.get(name, 0.0)
        else:
            weights[n, at] = GUESS.get(name[:-1], _INDIRECT)
    return weights


def fit(
    rows: Matrix,
    labels: NDArray[np.int64],
    weights: Matrix,
    pull: float = PULL,
    rated: tuple[Matrix, Matrix] | None = None,
) -> Matrix:
    """The weights that explain the labels, near the guess where the texts say little: features x classes.

    Terms of `rated` texts tell praise from complaint only: they may be neutral, whatever the rating.
    """
    start = guess()
    found = start.copy()
    target = np.eye(len(opinions.CLASSES))[labels]
    total = weights.sum()
    speed = np.zeros_like(found)
    for _ in range(STEPS):
        scores = rows @ found
        scores -= scores.max(1, keepdims=True)
        chance = np.exp(scores)
        chance /= chance.sum(1, keepdims=True)
        gradient = (rows.T @ ((chance - target) * weights[:, None]) + pull * (found - start)) / total
        if rated is not None and len(rated[0]):
            margin = rated[0] @ (found[:, 0] - found[:, 1])
            slope = rated[0].T @ (-rated[1] / (1 + np.exp(rated[1] * margin))) * (RATED_SHARE / len(rated[0]))
            gradient[:, 0] += slope
            gradient[:, 1] -= slope
        speed = 0.9 * speed - _RATE * gradient
        found = found + speed
    return found


def train(marked: Iterable[tuple[Path, Shares]], out: Path, data: Path | None = None) -> str:
    """Fit on the training halves of gold files, each with its shares, write the weights to `out`, say what came of it.

    `data` is the folder of the texts that `.jsonl` files mark by place, which are learnt from whole, as tests cannot
    read them, and of rated texts to learn from besides. Without it there are neither.
    """
    learnt, held = [], []
    for path, shares in marked:
        if path.suffix != ".jsonl":
            texts = read(path)
            learnt.append(examples(training_half(texts), shares))
            held.append(examples(held_out_half(texts), shares))
        elif data is not None:
            learnt.append(examples(marked_elsewhere.read(path, data), shares))
    found = fit(*with_mirrored(*_joined(learnt)), rated=signed(rated.read(data)) if data else None)
    _write(found, out)
    opinions.forget()
    return "\n".join(f"{name}: {_told(*_joined(part))}" for name, part in (("trained on", learnt), ("held out", held)))


def _write(found: Matrix, out: Path) -> None:
    table = {
        name: [round(float(value), 3) for value in line] for name, line in zip(features.FEATURES, found, strict=True)
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in table.items())
    out.write_text(
        f'{{"classes": {json.dumps([c.value for c in opinions.CLASSES])}, "weights": {{\n{lines}\n}}}}\n',
        encoding="utf-8",
    )


def _joined(parts: list[Examples]) -> Examples:
    rows, labels, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return rows, labels, weights


def _told(rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> str:
    right = (rows @ opinions.weights()).argmax(1) == labels
    return f"{len(rows)} noun phrases, {100 * np.average(right, weights=weights):.1f} % of their weight right"
