"""Fits a classifier on labelled texts with scikit-learn, as a process of its own: what that takes ends with it.

Reads {"texts": [...], "values": [...]} as JSON from standard input and writes a `Fitted` as MessagePack.
"""

import sys
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from feedback.analysis.fitted import Model, features, vector
from feedback.domain.labelled import Fitted, Labelled

FOLDS = 5
MAX_FEATURES = 20_000
_LEAST_DOCUMENTS = 2
_FREEDOM = 10.0
_STEPS = 300
_TOLERANCE = 1e-3

Features = NDArray[np.uint32]


def fit(labelled: Labelled) -> Fitted:
    """The model of all documents; its figures are of five others, each asked about a fifth it was not fitted on."""
    found = [features(text) for text in labelled.texts]
    if not len(_vocabulary(found)[0]):
        return Fitted()
    from sklearn.metrics import accuracy_score, f1_score  # noqa: PLC0415  An extra, and slow to load.
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    values = np.array(labelled.values)
    guessed = values.copy()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for learnt, asked in folds.split(np.zeros(len(values)), values):
        model = fit_model([found[n] for n in learnt], values[learnt].tolist())
        guessed[asked] = [model.predict(found[n]) for n in asked]
    model = fit_model(found, labelled.values)
    accuracy = float(accuracy_score(values, guessed))
    macro_f1 = float(f1_score(values, guessed, average="macro"))
    return Fitted(model.pack(), FOLDS, round(accuracy, 4), round(macro_f1, 4), len(model.hashes))


def fit_model(found: Sequence[Features], values: Sequence[str]) -> Model:
    """A logistic regression on the features of each document."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    hashes, rarity = _vocabulary(found)
    rows = [vector(hashes, rarity, document) for document in found]
    bounds = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([places for places, _ in rows])
    shares = np.concatenate([shares for _, shares in rows])
    matrix = csr_matrix((shares, places, bounds), shape=(len(found), len(hashes)), dtype=np.float64)
    solver = LogisticRegression(C=_FREEDOM, class_weight="balanced", max_iter=_STEPS, tol=_TOLERANCE)
    solver.fit(matrix, np.array(values))
    classes = tuple(str(value) for value in solver.classes_)
    weights, bias = solver.coef_, solver.intercept_
    if len(weights) == 1:
        # Of two classes only the second's row is told.
        weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    return Model(classes, hashes, rarity, weights.astype(np.float32), bias.astype(np.float32))


def _vocabulary(found: Sequence[Features]) -> tuple[Features, NDArray[np.float32]]:
    """The features that at least two documents share, the most frequent where there are too many, and their rarity.

    What a single document says stays out of the model, so that nothing in it can be traced to one customer.
    """
    hashes, counts = np.unique(np.concatenate(found), return_counts=True)
    shared = counts >= _LEAST_DOCUMENTS
    hashes, counts = hashes[shared], counts[shared]
    if len(hashes) > MAX_FEATURES:
        kept = np.sort(np.lexsort((hashes, -counts))[:MAX_FEATURES])
        hashes, counts = hashes[kept], counts[kept]
    return hashes, (1 + np.log((1 + len(found)) / (1 + counts))).astype(np.float32)


def main() -> None:
    """Standard input to standard output."""
    labelled = msgspec.json.decode(sys.stdin.buffer.read(), type=Labelled)
    sys.stdout.buffer.write(msgspec.msgpack.encode(fit(labelled)))


if __name__ == "__main__":
    main()
