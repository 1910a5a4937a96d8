"""Reads texts whose terms and opinions a person marked: JSONL with offsets, or our own bracketed TSV."""

import json
import re
from pathlib import Path
from typing import NamedTuple

_MARK = re.compile(r"\[([^\[\]|]+)\|([+\-0])\]")
_SIGN = {"+": "POSITIVE", "-": "NEGATIVE", "0": "NEUTRAL"}


class GoldTerm(NamedTuple):
    """A marked span, code points, end exclusive. An opinion other than the three is counted for finding terms only."""

    begin: int
    end: int
    opinion: str


class GoldText(NamedTuple):
    """A text with the terms a person marked in it."""

    id: str
    lang: str
    industry: str
    text: str
    terms: tuple[GoldTerm, ...]


def read(path: Path) -> list[GoldText]:
    """The texts of a `.jsonl` file, or of a `.tsv` file whose name is the language's code."""
    if path.suffix == ".tsv":
        return _read_marked(path)
    found = []
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            row = json.loads(line)
            terms = tuple(GoldTerm(g["begin"], g["end"], g["opinion"].upper()) for g in row.get("gold", ()))
            found.append(
                GoldText(
                    str(row.get("id", n)), row.get("lang") or "", row.get("industry") or "GENERAL", row["text"], terms
                )
            )
    return found


def _read_marked(path: Path) -> list[GoldText]:
    found = []
    for n, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip() and not line.startswith("# "):
            industry, _, marked = line.rstrip("\r").partition("\t")
            text, terms = parse(marked)
            found.append(GoldText(f"{path.stem}:{n}", path.stem.split(".")[0], industry, text, terms))
    return found


def parse(marked: str) -> tuple[str, tuple[GoldTerm, ...]]:
    """Take the marks out of a text: `The [room|+] was fine.` gives the plain text and a positive term."""
    text, last, terms = "", 0, []
    for mark in _MARK.finditer(marked):
        text += marked[last : mark.start()]
        terms.append(GoldTerm(len(text), len(text) + len(mark[1]), _SIGN[mark[2]]))
        text += mark[1]
        last = mark.end()
    return text + marked[last:], tuple(terms)
