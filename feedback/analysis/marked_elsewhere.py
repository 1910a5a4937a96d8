"""Reads marks on comments that are other people's: where a text lies and what a person marked in it, not the text."""

import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from feedback.analysis import treebank
from feedback.analysis.gold import GoldTerm, GoldText
from feedback.analysis.rated import csv_rows

_BLANKS = re.compile(r"\s+")


def read(marks: Path, data: Path) -> list[GoldText]:
    """The texts that a `.jsonl` file named after its language marks, with the terms of each.

    A line has, besides what `places` reads, its `industry`, and `terms` as `[begin, end, opinion]` in code points of
    the text. Raises what `places` raises.
    """
    found = []
    for n, (mark, text) in enumerate(places(marks, data), 1):
        terms = tuple(GoldTerm(*term) for term in mark["terms"])
        found.append(GoldText(f"{marks.stem}:{n}", marks.stem, mark["industry"], text, terms))
    return found


def places(marks: Path, data: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The lines of a `.jsonl` file, each with the text whose place in CSV files and treebanks under `data` it tells.

    A line holds `file` (below `data`) and its `delimiter` if that is no comma, `row` and `column` of the cell, counted
    from 0 (of a gzipped CoNLL-U file the number of the sentence as `row`), `begin` and `end` of the text in it once
    runs of blanks are one blank each, and the text's `crc32`. Raises `ValueError` where another text stands there,
    `OSError` where a file is missing.
    """
    for n, line in enumerate(marks.read_text(encoding="utf-8").splitlines(), 1):
        mark = json.loads(line)
        cell = _cell(data / mark["file"], mark)
        text = cell[mark["begin"] : mark["end"]]
        if zlib.crc32(text.encode()) != mark["crc32"]:
            raise ValueError(f"{marks}:{n}: row {mark['row']} of {mark['file']} holds another text than was marked")
        yield mark, text


def _cell(path: Path, mark: dict[str, Any]) -> str:
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: give the folder that holds it")
    if path.name.endswith(".conllu.gz"):
        written = _sentences(path)[mark["row"]]
    else:
        written = _table(path, mark.get("delimiter", ","))[mark["row"]][mark["column"]]
    return _BLANKS.sub(" ", written).strip()


@cache
def _table(path: Path, delimiter: str) -> list[list[str]]:
    return list(csv_rows(path, delimiter))


@cache
def _sentences(path: Path) -> list[str]:
    return [sentence.text for sentence in treebank.read(path)]
