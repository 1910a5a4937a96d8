"""Tells what a sentence as a whole says where no word of the lexicon judges: a small network over its pieces.

Two layers look at each piece and its neighbours, what they find is summed and its peaks are kept, and two more layers
weigh praise, complaint and neither. All weights and all that passes between layers are small whole numbers, whose sums
are exact however a matrix product is ordered: a text has the same figures alone or among others, on every machine.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis.pieces import Pieces

MODEL = Path(__file__).parent / "lang" / "sentiment.npz"
LIMIT = 64
"""Pieces; what a sentence says further on is not looked at."""
STEPS, VECTOR_STEPS = 255.0, 127.0
"""How many steps there are from zero to a layer's peak, and to 1 in vectors and weights."""
EXACT = 1 << 24
"""Whole numbers below this are exact in 32-bit floats, and so are their sums."""
_BLOCK = 16
"""Rows multiplied at once: larger products are spread over threads, which costs more than it saves."""
_AT_ONCE = 64
"""Sentences: more would only take more memory."""
_SHARES = 1024.0
"""Chances are told in this many steps: exponentials differ in their last digit from one processor to another."""
LAYERS = "near", "wide", "pooled", "out"

Floats = NDArray[np.float32]


class Layer(NamedTuple):
    """Whole-numbered `weights`, what one of their units is worth after its input's (`scale`), and the bias."""

    weights: Floats
    scale: float
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        """The layer's sums, in real units."""
        blocks = np.zeros((-(-len(rows) // _BLOCK), _BLOCK, rows.shape[1]), np.float32)
        blocks.reshape(-1, rows.shape[1])[: len(rows)] = rows
        sums = (blocks @ self.weights).reshape(-1, self.weights.shape[1])[: len(rows)]
        return np.asarray(sums * np.float32(self.scale) + self.bias, np.float32)


class Network(NamedTuple):
    """The vectors of all pieces (-127..127) and the four layers; `peaks` is what `STEPS` stands for after each."""

    pieces: Pieces
    vectors: NDArray[np.int8]
    near: Layer
    wide: Layer
    pooled: Layer
    out: Layer
    peaks: tuple[float, float, float]


def judge(sentences: Sequence[str]) -> list[tuple[float, float]]:
    """Of each sentence the chances (0..1) that it praises and that it complains; the rest is that it does neither."""
    found = [(0.0, 0.0)] * len(sentences)
    model = network()
    cut = [(n, pieces) for n, text in enumerate(sentences) if (pieces := model.pieces.of(text, LIMIT))]
    for at in range(0, len(cut), _AT_ONCE):
        told = cut[at : at + _AT_ONCE]
        chances = np.rint(forward(model, [pieces for _, pieces in told]) * _SHARES) / _SHARES
        for (n, _), (praise, blame, _) in zip(told, chances.tolist(), strict=True):
            found[n] = praise, blame
    return found


def forward(model: Network, sentences: Sequence[Sequence[int]]) -> Floats:
    """Sentences x (praise, complaint, neither), from the pieces of each, none of them empty."""
    lengths = np.array([len(pieces) for pieces in sentences])
    starts = np.concatenate([[0], np.cumsum(lengths[:-1])])
    vectors = model.vectors[[piece for pieces in sentences for piece in pieces]].astype(np.float32)
    near = _whole(np.maximum(model.near(beside(vectors, starts)), 0), model.peaks[0])
    wide = near * np.float32(model.peaks[0] / STEPS) + np.maximum(model.wide(beside(near, starts)), 0)
    wide = _whole(wide, model.peaks[1])
    sums = np.add.reduceat(wide, starts, axis=0) / np.sqrt(lengths).astype(np.float32)[:, None] / np.float32(2)
    both = np.concatenate([np.rint(np.minimum(sums, STEPS)), np.maximum.reduceat(wide, starts, axis=0)], axis=1)
    last = model.out(_whole(np.maximum(model.pooled(both), 0), model.peaks[2]))
    chances = np.exp((last - last.max(1, keepdims=True)).astype(np.float64))
    return np.asarray(chances / chances.sum(1, keepdims=True), np.float32)


def beside(rows: Floats, starts: NDArray[np.int64]) -> Floats:
    """Each row with the one before and the one behind it, zeros where a sentence begins or ends."""
    empty = np.zeros((1, rows.shape[1]), np.float32)
    before, behind = np.concatenate([empty, rows[:-1]]), np.concatenate([rows[1:], empty])
    before[starts] = 0
    behind[starts[1:] - 1] = 0
    return np.concatenate([before, rows, behind], axis=1)


def _whole(values: Floats, peak: float) -> Floats:
    """Values from 0 to `peak` as whole steps."""
    return np.asarray(np.rint(np.minimum(values * np.float32(STEPS / peak), np.float32(STEPS))), np.float32)


@cache
def network() -> Network:
    """The network that is shipped."""
    return load(MODEL)


def load(path: Path) -> Network:
    """Read a network that `sentiment_training.save` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        near, wide, pooled, out = (
            Layer(
                stored[f"{name}_weights"].astype(np.float32),
                float(stored[f"{name}_scale"]),
                stored[f"{name}_bias"].astype(np.float32),
            )
            for name in LAYERS
        )
        pieces = Pieces(stored["checks"], stored["scores"].astype(np.float32), int(stored["longest"]))
        first, second, third = stored["peaks"].tolist()
        return Network(pieces, stored["vectors"], near, wide, pooled, out, (first, second, third))


def forget() -> None:
    """Read the network anew when it is next needed: training has written another."""
    network.cache_clear()
