"""Fits the opinion model on marked texts: a multinomial logistic regression drawn towards weights set by hand."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import evidence, features, language, opinions, rated, reading, terms
from feedback.analysis.clauses import clauses
from feedback.analysis.evaluate import iou
from feedback.analysis.gold import GoldText, read
from feedback.analysis.hits import hits
from feedback.analysis.rated import RatedText
from feedback.domain.document import Opinion

STEPS = 600
PULL = 200.0
"""How hard weights are drawn towards the ones training starts from: our own comments are tidier than real ones."""
RATED = 250
RATED_SHARE = 0.05
"""How much all rated texts together weigh beside all marked ones."""
DIRECT = tuple(range(features.BACK)) + tuple(range(len(features.RELATIONS), len(features.RELATIONS) + features.BACK))
NEUTRAL_SHARE = 0.6
"""The weight of a term marked neutral: our comments mention more in passing, on purpose, than customers' do."""
MIRRORED = 0.25
"""How much a comment counts with praise and complaint exchanged: what ties a judgement to its noun knows no sign."""
UNMARKED = 0.1
"""The weight of a noun phrase nobody marked, taken as neutral; a marked one weighs 1."""
_RATE = 0.5
_HALF = 0.5

Matrix = NDArray[np.float64]


def training_half(texts: list[GoldText]) -> list[GoldText]:
    """The even-numbered comments, which weights may be fitted on; the odd ones are held out."""
    return texts[1::2]


def held_out_half(texts: list[GoldText]) -> list[GoldText]:
    """The odd-numbered comments: the floor the tests hold is measured on these alone."""
    return texts[::2]


def examples(texts: Iterable[GoldText]) -> tuple[Matrix, NDArray[np.int64], Matrix]:
    """Rows of evidence, the class of each, and its weight."""
    rows: list[list[float]] = []
    labels: list[int] = []
    weights: list[float] = []
    for text in texts:
        read_text = reading.read(text.text, language.load(text.lang))
        nodes = terms.nodes(read_text)
        parts = clauses(read_text, nodes)
        proof = evidence.Evidence(read_text, nodes, parts, hits(read_text, parts))
        for node, row in zip(nodes, proof.rows, strict=True):
            if not node.spans:
                continue
            spans = [(read_text.begin[a], read_text.end[b - 1]) for a, b in node.spans]
            best = max(
                ((iou(span, (g.begin, g.end)), g.opinion) for span in spans for g in text.terms), default=(0.0, "")
            )
            known = best[0] >= _HALF and best[1] in opinions.CLASSES
            # A judging noun that nobody marked ("a nightmare") may well have the opinion it carries.
            if not known and (best[0] > 0 or row[features.OWN] or row[features.OWN + len(features.RELATIONS)]):
                continue
            rows.append(row)
            labels.append(opinions.CLASSES.index(Opinion(best[1])) if known else 2)
            weights.append(UNMARKED if not known else NEUTRAL_SHARE if best[1] == "NEUTRAL" else 1.0)
    return np.array(rows), np.array(labels, np.int64), np.array(weights)


def with_mirrored(rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> tuple[Matrix, NDArray[np.int64], Matrix]:
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
        nodes = terms.nodes(read_text)
        parts = clauses(read_text, nodes)
        proof = evidence.Evidence(read_text, nodes, parts, hits(read_text, parts))
        for node, row in zip(nodes, proof.rows, strict=True):
            # A text's praise says nothing of terms that nothing was said of.
            if node.spans and any(row[k] for k in DIRECT):
                rows.append(row)
                signs.append(text.sign)
    return np.array(rows).reshape(-1, len(features.FEATURES)), np.array(signs, np.float64)


def fit(
    rows: Matrix,
    labels: NDArray[np.int64],
    weights: Matrix,
    pull: float = PULL,
    rated: tuple[Matrix, Matrix] | None = None,
) -> Matrix:
    """The weights that explain the labels, kept near the hand-set ones where the texts say little.

    Terms of `rated` texts tell praise from complaint only: they may be neutral, whatever the rating.
    """
    start = opinions.fixed()
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


def train(golds: list[Path], out: Path, data: Path | None = None) -> str:
    """Fit on the training halves of `golds`, write the weights to `out` and say what came of it."""
    texts = [text for path in golds for text in training_half(read(path))]
    rows, labels, weights = examples(texts)
    found = fit(*with_mirrored(rows, labels, weights), rated=signed(rated.read(data)) if data else None)
    table = {
        name: [round(float(value), 3) for value in line] for name, line in zip(features.FEATURES, found, strict=True)
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in table.items())
    out.write_text(
        f'{{"classes": {json.dumps([c.value for c in opinions.CLASSES])}, "weights": {{\n{lines}\n}}}}\n',
        encoding="utf-8",
    )
    opinions.forget()
    held = [text for path in golds for text in held_out_half(read(path))]
    report = []
    for name, part in (("trained on", (rows, labels, weights)), ("held out", examples(held))):
        right = (part[0] @ opinions.weights()).argmax(1) == part[1]
        marked = part[2] > UNMARKED
        report.append(f"{name}: {int(marked.sum())} marked terms, {100 * right[marked].mean():.1f} % right")
    return "\n".join(report)
