"""Learns the sentence network: four layers over vectors of word pieces, fitted with what narrows the vectors."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import gold, language, marked_elsewhere, sentiment
from feedback.analysis.opinion_training import training_half
from feedback.analysis.pieces import Pieces
from feedback.analysis.sentiment import LAYERS, LIMIT, STEPS, VECTOR_STEPS, Floats, beside
from feedback.analysis.sentiment_sources import (
    NEITHER,
    PRAISE,
    Example,
    Table,
    listed,
    marked,
    meanings,
    of_ratings,
    of_treebank,
    table,
    written,
)

WIDTH, HIDDEN, LAST, MEANING = 64, 128, 128, 512
"""How many numbers a piece has, how many the two layers above find in it and its neighbours, how many are left of a
sentence, and how many the teacher tells of it."""
EPOCHS = 5
RATE = 2e-3
_TOKENS = 4096
"""Pieces a step."""
_DROPPED = 0.4
_DECAY, _WARM, _LEAST = 1e-4, 200, 0.02
_HARDLY = 0.9995
_SAMPLE = 5000

Weights = dict[str, Floats]


def sources(sentences: Iterable[Path], marks: Iterable[Path], data: Path) -> list[Example]:
    """What is learnt from: files of sentences, training halves of gold files, lexicons, treebanks, rated texts."""
    learnt: list[Example] = []
    for path in sentences:
        learnt += written(path)[0]
    for path in marks:
        if path.suffix == ".jsonl":
            learnt += marked(marked_elsewhere.read(path, data))
        else:
            learnt += marked(training_half(gold.read(path)))
    for code in language.available():
        learnt += listed(code)
        learnt += of_treebank(code, data / "treebanks" / f"{code}.train.conllu.gz")
    return learnt + list(of_ratings(data))


class _Batch(NamedTuple):
    """Some sentences side by side: the pieces of all, where each sentence begins, and what is known of it."""

    pieces: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    meanings: Floats
    signs: NDArray[np.int64]
    weights: Floats


class Lesson(NamedTuple):
    """All sentences that are learnt from: their pieces (none empty), what the teacher makes of each, and the signs."""

    cut: list[list[int]]
    meanings: NDArray[np.float16]
    """Sentences x 512, each of length 1."""
    signs: NDArray[np.int64]
    weights: Floats


def _batches(lesson: Lesson, chance: np.random.Generator) -> Iterator[_Batch]:
    """The sentences in a random order, about `_TOKENS` pieces at once."""
    order = chance.permutation(len(lesson.cut))
    ends = np.cumsum([len(lesson.cut[n]) for n in order]) // _TOKENS
    for part in np.split(order, np.flatnonzero(np.diff(ends)) + 1):
        lengths = np.array([len(lesson.cut[n]) for n in part])
        yield _Batch(
            np.array([piece for n in part for piece in lesson.cut[n]]),
            np.concatenate([[0], np.cumsum(lengths[:-1])]),
            lengths,
            lesson.meanings[part].astype(np.float32),
            lesson.signs[part],
            lesson.weights[part],
        )


def _start(vectors: Floats, chance: np.random.Generator) -> Weights:
    def drawn(rows: int, columns: int) -> Floats:
        return np.asarray(chance.normal(size=(rows, columns)) / np.sqrt(rows), np.float32)

    sample = vectors[chance.choice(len(vectors), min(len(vectors), 8000), replace=False)]
    directions = np.linalg.svd(sample, full_matrices=False)[2][:WIDTH].T
    found = {
        "narrow": (directions * 0.3).astype(np.float32),
        "near": drawn(3 * WIDTH, HIDDEN),
        "wide": drawn(3 * HIDDEN, HIDDEN) * np.float32(0.5),
        "pooled": drawn(2 * HIDDEN, LAST),
        "meant": drawn(LAST, MEANING),
        "out": drawn(LAST, 3) * np.float32(0.1),
    }
    return found | {f"{name}_bias": np.zeros(value.shape[1], np.float32) for name, value in found.items()}


def _back_through_beside(rows: Floats, starts: NDArray[np.int64]) -> Floats:
    """What `beside` put together, taken apart and added up: the way back through it."""
    before, here, behind = np.split(rows, 3, axis=1)
    before, behind = before.copy(), behind.copy()
    before[starts] = 0
    behind[starts[1:] - 1] = 0
    here = here.copy()
    here[:-1] += before[1:]
    here[1:] += behind[:-1]
    return here


def _gradients(w: Weights, batch: _Batch, raw: Floats, chance: np.random.Generator) -> Weights:
    """How the error of one batch changes with each weight: one pass forward and one back."""
    starts = batch.starts
    of = np.repeat(np.arange(len(starts)), batch.lengths)
    half = np.sqrt(batch.lengths).astype(np.float32)[:, None] * np.float32(2)
    narrow = np.tanh(raw @ w["narrow"] + w["narrow_bias"])
    around = beside(narrow, starts)
    near = np.maximum(around @ w["near"] + w["near_bias"], 0)
    around_near = beside(near, starts)
    wider = np.maximum(around_near @ w["wide"] + w["wide_bias"], 0)
    wide = near + wider
    peaks = np.maximum.reduceat(wide, starts, axis=0)
    both = np.concatenate([np.add.reduceat(wide, starts, axis=0) / half, peaks], axis=1)
    pooled = np.maximum(both @ w["pooled"] + w["pooled_bias"], 0)

    found: Weights = {}

    def back(name: str, inner: Floats, outer: Floats) -> Floats:
        found[name], found[f"{name}_bias"] = inner.T @ outer, outer.sum(0)
        return outer @ w[name].T

    spared = pooled * (chance.random(pooled.shape) >= _DROPPED).astype(np.float32) / np.float32(1 - _DROPPED)
    d_signs = back("out", spared, _of_signs(spared @ w["out"] + w["out_bias"], batch)) * (spared > 0)
    d_meant = back("meant", pooled, _of_meanings(pooled @ w["meant"] + w["meant_bias"], batch))
    d_both = back("pooled", both, (d_signs + d_meant) * (pooled > 0))
    d_sums, d_peaks = np.split(d_both, 2, axis=1)
    d_wide = (d_sums / half)[of] + np.where(wide == peaks[of], d_peaks[of], 0)
    d_near = d_wide + _back_through_beside(back("wide", around_near, d_wide * (wider > 0)), starts)
    d_narrow = _back_through_beside(back("near", around, d_near * (near > 0)), starts)
    back("narrow", raw, d_narrow * (1 - narrow * narrow))
    return found


def _of_signs(last: Floats, batch: _Batch) -> Floats:
    """How the error in telling praise, complaint and neither changes with the last layer's sums."""
    chances = np.exp(last - last.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    chances[np.arange(len(last)), batch.signs] -= 1
    return np.asarray(chances * batch.weights[:, None] / np.float32(len(last)), np.float32)


def _of_meanings(meant: Floats, batch: _Batch) -> Floats:
    """How the angle between what was learnt to mean and what the teacher means changes with the former."""
    length = np.sqrt((meant * meant).sum(1, keepdims=True)) + np.float32(1e-6)
    unit = meant / length
    alike = (unit * batch.meanings).sum(1, keepdims=True)
    return np.asarray((alike * unit - batch.meanings) / length / np.float32(len(meant)), np.float32)


def fit(vectors: Floats, lesson: Lesson, epochs: int = EPOCHS) -> Weights:
    """Fit all layers with Adam (Kingma & Ba 2015) to the teacher's meanings and to the signs at once."""
    chance = np.random.default_rng(1)
    found = _start(vectors, chance)
    first = {name: np.zeros_like(value) for name, value in found.items()}
    second = {name: np.zeros_like(value) for name, value in found.items()}
    total = epochs * (sum(map(len, lesson.cut)) // _TOKENS + 1)
    step = 0
    for _ in range(epochs):
        for batch in _batches(lesson, chance):
            step += 1
            rate = RATE * min(1.0, step / _WARM) * max(_LEAST, 1 - step / total)
            slopes = _gradients(found, batch, vectors[batch.pieces], chance)
            for name, slope in slopes.items():
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope * slope
                move = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                found[name] = (found[name] - rate * (move + _DECAY * found[name])).astype(np.float32)
    return found


def save(found: Weights, table: Table, sample: Sequence[Sequence[int]], path: Path) -> None:
    """Write weights as small whole numbers; on `sample`, pieces of sentences, their scales are set.

    Raises `ValueError` where a layer's sums might not be exact any more.
    """
    narrow = np.tanh(table.vectors @ found["narrow"] + found["narrow_bias"])
    vectors = np.rint(narrow * VECTOR_STEPS).astype(np.int8)
    peaks = _peaks(found, vectors, sample)
    inputs = (1 / VECTOR_STEPS, *(peak / STEPS for peak in peaks))
    arrays: dict[str, NDArray[np.generic]] = {
        "checks": table.pieces.checks,
        "scores": table.pieces.scores.astype(np.float16),
        "longest": np.array(table.pieces.longest),
        "vectors": vectors,
        "peaks": np.array(peaks),
    }
    for name, unit in zip(LAYERS, inputs, strict=True):
        step = float(np.abs(found[name]).max()) / VECTOR_STEPS
        arrays[f"{name}_weights"] = np.rint(found[name] / step).astype(np.int8)
        if np.abs(np.rint(found[name] / step)).sum(0).max() * STEPS >= sentiment.EXACT:
            raise ValueError(
                f"the sums of the layer {name!r} may exceed what 32-bit floats hold exactly: make it narrower"
            )
        arrays[f"{name}_scale"] = np.array(step * unit)
        arrays[f"{name}_bias"] = found[f"{name}_bias"]
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def _peaks(found: Weights, vectors: NDArray[np.int8], sample: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """What the layers' outputs hardly ever exceed."""
    starts = np.concatenate([[0], np.cumsum([len(pieces) for pieces in sample])[:-1]])
    rows = vectors[[piece for pieces in sample for piece in pieces]].astype(np.float32) / np.float32(VECTOR_STEPS)
    near = np.maximum(beside(rows, starts) @ found["near"] + found["near_bias"], 0)
    wide = near + np.maximum(beside(near, starts) @ found["wide"] + found["wide_bias"], 0)
    root = np.sqrt(np.diff([*starts, len(rows)])).astype(np.float32)[:, None]
    sums, tops = np.add.reduceat(wide, starts, axis=0) / root / np.float32(2), np.maximum.reduceat(wide, starts, axis=0)
    both = np.concatenate([sums, tops], axis=1)
    pooled = np.maximum(both @ found["pooled"] + found["pooled_bias"], 0)
    return tuple(float(np.quantile(values, _HARDLY)) for values in (near, both, pooled))  # type: ignore[return-value]


def _lesson(known: Iterable[Example], pieces: Pieces) -> Lesson:
    told = [(example, cut) for example in known if (cut := pieces.of(example.text, LIMIT))]
    signs = np.array([example.sign for example, _ in told])
    weights = np.array([example.weight for example, _ in told], np.float32)
    return Lesson([cut for _, cut in told], meanings([example.text for example, _ in told]), signs, weights)


def right(found: sentiment.Network, known: Iterable[Example]) -> tuple[float, float]:
    """In percent: the sentences told as what they are; of those that praise or complain, the ones of the right sign."""
    told = [(found.pieces.of(e.text, LIMIT), e.sign) for e in known]
    told = [(pieces, sign) for pieces, sign in told if pieces]
    chances = sentiment.forward(found, [pieces for pieces, _ in told])
    signs = np.array([sign for _, sign in told])
    judged = signs != NEITHER
    praised = chances[judged, 0] > chances[judged, 1]
    return float(100 * np.mean(chances.argmax(1) == signs)), float(100 * np.mean(praised == (signs[judged] == PRAISE)))


def train(sentences: Sequence[Path], marks: Sequence[Path], data: Path, out: Path) -> str:
    """Learn the network from all sources, write it to `out` and say what came of it."""
    loaded = table()
    lesson = _lesson(sources(sentences, marks, data), loaded.pieces)
    save(fit(loaded.vectors, lesson), loaded, lesson.cut[:: max(1, len(lesson.cut) // _SAMPLE)], out)
    sentiment.forget()
    found = sentiment.load(out)
    lines = [f"{len(lesson.cut)} sentences, {len(loaded.pieces.checks)} pieces, {out.stat().st_size // 1024} kB"]
    shares = [(path.stem, *right(found, written(path)[1])) for path in sentences]
    lines += [f"{code}: {all_of:.1f} % right, {signs:.1f} % of signs" for code, all_of, signs in shares]
    return "\n".join(lines)
