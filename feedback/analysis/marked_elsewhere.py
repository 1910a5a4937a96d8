"""Reads marks on comments that are other people's: where a text lies and what a person marked in it, not the text."""

import json
import re
import zlib
from functools import cache
from pathlib import Path

from feedback.analysis.gold import GoldTerm, GoldText
from feedback.analysis.rated import csv_rows

_BLANKS = re.compile(r"\s+")


def read(marks: Path, data: Path) -> list[GoldText]:
    """The texts that a `.jsonl` file named after its language marks in CSV files under `data`.

    A line holds `file` (below `data`) and its `delimiter` if that is no comma, `row` and `column` of the cell, counted
    from 0, `begin` and `end` of the text in it once runs of blanks are one blank each, the text's `crc32`, its
    `industry`, and `terms` as `[begin, end, opinion]` in code points of the text. Raises `ValueError` where the cell
    holds another text, `OSError` where a file is missing.
    """
    found = []
    for n, line in enumerate(marks.read_text(encoding="utf-8").splitlines(), 1):
        mark = json.loads(line)
        cell = _cell(data / mark["file"], mark.get("delimiter", ","), mark["row"], mark["column"])
        text = cell[mark["begin"] : mark["end"]]
        if zlib.crc32(text.encode()) != mark["crc32"]:
            raise ValueError(f"{marks}:{n}: row {mark['row']} of {mark['file']} holds another text than was marked")
        terms = tuple(GoldTerm(*term) for term in mark["terms"])
        found.append(GoldText(f"{marks.stem}:{n}", marks.stem, mark["industry"], text, terms))
    return found


def _cell(path: Path, delimiter: str, row: int, column: int) -> str:
    return _BLANKS.sub(" ", _table(path, delimiter)[row][column]).strip()


@cache
def _table(path: Path, delimiter: str) -> list[list[str]]:
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: give the folder that holds it")
    return list(csv_rows(path, delimiter))
