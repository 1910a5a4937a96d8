"""Trains a tagger from treebanks: an averaged perceptron over the features of `tagger`, on clean and rough text."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import tagger
from feedback.analysis.tagger import PAIR_BITS, PLACES, STATIC_BITS, TAGS, Floats, Ints, Scaled
from feedback.analysis.tokens import Tokens
from feedback.analysis.treebank import align, read

EPOCHS = 5
MARGIN = 3.0
_FREQUENT = 200
_SURE = 8
_FORCED = {"VERB", "ADV", "AUX", "ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART"}
_RARE_SHARE = 0.04
_SEED = 7
_OPEN = {"NOUN", "ADJ", "VERB", "PROPN", "ADV"}
_CLOSED = {"ADP", "DET", "PRON", "CCONJ", "SCONJ", "AUX", "PART"}

Cut = Callable[[str], Tokens]


@dataclass(frozen=True)
class Sample:
    """A sentence to learn from: its tokens' forms, kinds and tags."""

    words: list[str]
    kinds: list[str]
    tags: list[str]


def samples(path: Path, cut: Cut) -> list[Sample]:
    """The sentences of a treebank on our own tokens."""
    found = []
    for sentence in read(path):
        tokens = cut(sentence.text)
        tags = [tag for tag, _ in align(tokens, sentence.words)]
        if tags and all(tag in TAGS for tag in tags):
            found.append(Sample(tokens.surface, tokens.kind, tags))
    return found


def roughen(sample: Sample, chance: random.Random) -> Sample:
    """The sentence as a customer might type it: no capitals or all capitals, accents and full stops dropped."""
    words, kinds, tags = sample.words, sample.kinds, sample.tags
    roll = chance.random()
    if roll < 0.08:
        words = [word.upper() for word in words]
    elif roll < 0.85:
        words = [word.lower() for word in words]
    if chance.random() < 0.3:
        words = [tagger.plain(word) for word in words]
    if chance.random() < 0.4:
        # An unknown word: what is left to go by is its ending and where it stands.
        words = [
            f"q{word[-3:]}"
            if kinds[n] == "w" and tags[n] in _OPEN and len(word) > 3 and chance.random() < 0.25
            else word
            for n, word in enumerate(words)
        ]
    if chance.random() < 0.3:
        kept = [n for n in range(len(words)) if tags[n] != "DET"]
        words, kinds, tags = [words[n] for n in kept], [kinds[n] for n in kept], [tags[n] for n in kept]
    if chance.random() < 0.5:
        kept = [n for n in range(len(words)) if kinds[n] != "p" or chance.random() < 0.3]
        words, kinds, tags = [words[n] for n in kept], [kinds[n] for n in kept], [tags[n] for n in kept]
    return Sample(words, kinds, tags)


def classes(data: list[Sample], given: tuple[str, ...] = ()) -> tuple[dict[str, int], list[str]]:
    """The ambiguity class of each known word and the names of the classes.

    Where the classes of most words are `given` by a dictionary, only frequent small words are learnt here.
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in data:
        for word, kind, tag in zip(sample.words, sample.kinds, sample.tags, strict=True):
            if kind == "w":
                seen[word.lower()][tag] += 1
    totals = Counter({word: sum(tags.values()) for word, tags in seen.items()})
    frequent = {
        word for word, _ in totals.most_common(4 * _FREQUENT) if seen[word].most_common(1)[0][0] in _CLOSED | {"ADV"}
    }
    frequent = set(sorted(frequent, key=lambda word: (-totals[word], word))[:_FREQUENT])
    names = ["?", "<b>", *(f"<{kind}>" for kind in tagger.FIXED), *given]
    number = {name: n for n, name in enumerate(names)}
    words: dict[str, int] = {}
    for word in sorted(seen):
        if totals[word] < 2 or "\n" in word or (given and word not in frequent):
            continue
        tags = sorted(tag for tag, count in seen[word].items() if count >= _RARE_SHARE * totals[word])
        sure = totals[word] >= _SURE and len(seen[word]) == 1 and tags[0] in _FORCED
        name = f"={word}" if word in frequent else f"!{tags[0]}" if sure else "|".join(tags)
        words[word] = number.setdefault(name, len(number))
    return words, list(number)


class Problem:
    """All training tokens as rows of feature numbers."""

    def __init__(self, data: list[Sample], model: tagger.Tagger) -> None:
        forms: dict[tuple[str, str], int] = {("\x02", "b"): 0}
        ids: list[int] = []
        gold: list[int] = []
        self.starts: list[int] = []
        for sample in data:
            self.starts.append(len(ids))
            ids += [0, 0]
            ids += [forms.setdefault(key, len(forms)) for key in zip(sample.words, sample.kinds, strict=True)]
            ids += [0, 0]
            gold += [-1, -1, *(TAGS.index(tag) for tag in sample.tags), -1, -1]
        self.gold: Ints = np.array(gold, np.int64)
        flat: Ints = np.array(ids, np.int64)
        by_place = []
        class_of = {name: n for n, name in enumerate(model.class_names)}
        form_class = np.zeros(len(forms), np.int64)
        for (word, kind), n in forms.items():
            lexical = model.lexical(word) if kind == "w" else "?"
            form_class[n] = class_of.get(lexical if kind == "w" else f"<{kind}>", 0)
        for place in PLACES:
            rows = [
                [tagger.row(f) for f in tagger.features(w, k, model.lexical(w) if k == "w" else "?", place)]
                for w, k in forms
            ]
            width = max(map(len, rows))
            # The row past the last is a dummy that pads short rows and stays at zero.
            table = np.full((len(rows), width), 1 << STATIC_BITS, np.int32)
            for n, found in enumerate(rows):
                table[n, : len(found)] = found
            by_place.append(table[np.roll(flat, -place)])
        self.static: NDArray[np.int32] = np.concatenate(by_place, axis=1)
        self.classes: Ints = form_class[flat]
        self.pairs = tagger.class_pairs(np.pad(self.classes, 2)).T
        self.live = np.flatnonzero((self.gold >= 0) & np.array([k == "w" for _, k in forms])[flat])


def perceptron(
    rows: NDArray[np.int32], gold: Ints, live: Ints, size: int, *, epochs: int, base: Floats | None = None
) -> Floats:
    """Averaged perceptron weights; `base` are scores to add to those of the weights, and to leave alone."""
    weights = np.zeros((size + 1, len(TAGS)), np.float32)
    drift = np.zeros_like(weights)
    step = 1
    order = live.copy()
    chance = np.random.default_rng(_SEED)
    for _ in range(epochs):
        chance.shuffle(order)
        for n in order.tolist():
            active = rows[n]
            scores = weights[active].sum(0)
            if base is not None:
                scores = scores + base[n]
            guess, right = int(scores.argmax()), int(gold[n])
            # A margin keeps the words that are learnt by heart from hiding what their neighbours teach.
            if guess != right or scores[right] - np.partition(scores, -2)[-2] < MARGIN:
                if guess == right:
                    scores[right] = -np.inf
                    guess = int(scores.argmax())
                weights[active, right] += 1
                drift[active, right] += step
                weights[active, guess] -= 1
                drift[active, guess] -= step
                weights[size] = drift[size] = 0
            step += 1
    averaged: Floats = weights - drift / np.float32(step)
    averaged[size] = 0
    return averaged


def _scores(problem: Problem, weights: Floats, offset: int) -> Floats:
    scores = np.zeros((len(problem.gold), len(TAGS)), np.float32)
    for column in range(problem.static.shape[1]):
        scores += weights[problem.static[:, column]]
    for column in range(problem.pairs.shape[1]):
        scores += weights[problem.pairs[:, column] + offset]
    return scores


def _quantise(weights: Floats) -> Scaled:
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / 127 if weights.any() else 1.0
    return np.clip(np.rint(weights / scale), -127, 127).astype(np.int8), scale


def fragments(data: list[Sample], chance: random.Random) -> list[Sample]:
    """Short stretches of the sentences, so that what begins a text is not always what begins a sentence."""
    found = []
    for sample in data:
        if len(sample.words) > 6 and chance.random() < 0.35:
            start = chance.randrange(len(sample.words) - 4)
            stop = start + chance.randint(2, 8)
            found.append(Sample(sample.words[start:stop], sample.kinds[start:stop], sample.tags[start:stop]))
    return found


def train(
    data: list[Sample], out: Path, hint: Callable[[str], str], given: tuple[str, ...] = (), epochs: int = EPOCHS
) -> None:
    """Train on `data` and write the model to `out`."""
    words, names = classes(data, given)
    chance = random.Random(_SEED)  # noqa: S311 - reproducible, not secret
    data = data + [roughen(sample, chance) for sample in data + fragments(data, chance)]
    empty = tagger.Tagger(
        words,
        names,
        np.zeros((1 << STATIC_BITS, len(TAGS)), np.int8),
        np.zeros((1 << PAIR_BITS, len(TAGS)), np.int8),
        (1, 1),
    )
    empty.hint = hint
    problem = Problem(data, empty)
    # Static features, then a dummy row, then the pairs, in one table.
    offset = (1 << STATIC_BITS) + 1
    size = offset + (1 << PAIR_BITS)
    rows = np.concatenate([problem.static, (problem.pairs + offset).astype(np.int32)], axis=1)
    weights = perceptron(rows, problem.gold, problem.live, size, epochs=epochs)
    weights[1 << STATIC_BITS] = 0
    # The second pass must see first-pass tags as wrong as they will be on new text: each half is tagged by the other's.
    base = np.zeros((len(problem.gold), len(TAGS)), np.float32)
    middle = problem.starts[len(data) // 4], problem.starts[len(data) // 2], problem.starts[3 * len(data) // 4]
    position = np.arange(len(problem.gold))
    first_half = (position < middle[0]) | ((position >= middle[1]) & (position < middle[2]))
    for half in (first_half, ~first_half):
        part = perceptron(rows, problem.gold, problem.live[~half[problem.live]], size, epochs=max(2, epochs - 2))
        part[1 << STATIC_BITS] = 0
        base[half] = _scores(problem, part, offset)[half]
    first = base.argmax(1)
    first[problem.gold < 0] = len(TAGS)
    padded = np.concatenate([[len(TAGS)] * 2, first, [len(TAGS)] * 2])
    left, right = tagger.tag_pairs(padded, np.pad(problem.classes, 2))
    second_rows = tagger.pair_rows(tagger.TAG_TEMPLATES, left, right).T.astype(np.int32)
    second = perceptron(second_rows, problem.gold, problem.live, 1 << PAIR_BITS, epochs=epochs, base=base)
    static = _quantise(weights[: 1 << STATIC_BITS])
    tagger.save(out, words, names, static, _quantise(weights[offset:size] + second[:-1]))


def accuracy(model: tagger.Tagger, data: list[Sample]) -> float:
    """The share of word tokens that get the right tag."""
    right = total = 0
    for sample in data:
        for guess, tag, kind in zip(model.tag(sample.words, sample.kinds), sample.tags, sample.kinds, strict=True):
            if kind != "p":
                total += 1
                right += guess == tag
    return right / max(total, 1)
