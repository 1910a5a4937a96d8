"""Checks the data files of a language for form and volume, so that a bad line is found before it is shipped."""

import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LANG = ROOT / "feedback" / "analysis" / "lang"
POS = set("ANVRIPEM*")
KINDS = {
    "negator",
    "postnegator",
    "intensifier",
    "diminisher",
    "contrast",
    "except",
    "focus",
    "absence",
    "nearness",
    "concession",
    "wish",
    "condition",
    "excess",
    "lack",
    "more",
    "less",
    "question",
}
MARK = re.compile(r"\[([^\[\]|]+)\|([+\-0])\]")


def rows(path: Path) -> list[tuple[int, list[str]]]:
    """The lines of a data file as (line number, columns), comments and blank lines left out."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [(n, line.split("\t")) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("# ")]


def check(code: str) -> tuple[list[str], Counter[str]]:
    """All problems of one language's files, and what they hold."""
    folder, problems, counts = LANG / code, [], Counter[str]()
    seen: set[tuple[str, ...]] = set()
    for n, row in rows(folder / "opinions.tsv"):
        cells = [*row, "", "", ""][:4]
        entry, strength, pos, when = cells
        if not re.fullmatch(r"[+-]?[0-3]", strength) or pos not in POS or entry != entry.strip() or not entry:
            problems.append(f"opinions.tsv:{n}: expected entry, strength -3..3, pos, when: {row}")
            continue
        if when and not re.fullmatch(r"(with|not)=[^=\s][^=]*", when):
            problems.append(f"opinions.tsv:{n}: 'when' is with=a,b or not=a,b: {when!r}")
        key = (entry.casefold(), pos, when)
        if key in seen:
            problems.append(f"opinions.tsv:{n}: duplicate entry {entry!r} {pos} {when}")
        seen.add(key)
        counts["opinions"] += 1
        counts["opinions negative"] += strength.startswith("-")
        counts["opinions conditional"] += bool(when)
        counts["opinions phrases"] += " " in entry
    for n, row in rows(folder / "modifiers.tsv"):
        if len(row) != 3 or row[1] not in KINDS or not re.fullmatch(r"\d(\.\d+)?", row[2]):
            problems.append(f"modifiers.tsv:{n}: expected entry, kind, weight: {row}")
            continue
        counts["modifiers"] += 1
        counts[f"modifiers {row[1]}"] += 1
    for n, row in rows(folder / "spelling.tsv"):
        if len(row) != 2 or row[0] == row[1]:
            problems.append(f"spelling.tsv:{n}: expected wrong, right: {row}")
        counts["spellings"] += 1
    counts["stopterms"] = len(rows(folder / "stopterms.txt"))
    taxonomy = tomllib.loads((LANG / "taxonomy.toml").read_text(encoding="utf-8"))
    missing = {(industry, topic) for industry, topics in taxonomy.items() for topic in topics}
    for n, row in rows(folder / "topics.tsv"):
        if len(row) != 4 or row[1] not in taxonomy.get(row[0], []):
            problems.append(f"topics.tsv:{n}: expected industry, code of taxonomy.toml, label, terms: {row[:3]}")
            continue
        missing.discard((row[0], row[1]))
        counts["topics"] += 1
        counts["topic terms"] += len(row[3].split("|"))
        if not 15 <= len(row[3].split("|")) <= 80:
            problems.append(f"topics.tsv:{n}: {row[0]} {row[1]} has {len(row[3].split('|'))} terms, wanted 20 to 60")
    problems += [f"topics.tsv: {industry} {topic} is missing" for industry, topic in sorted(missing)]
    gold = ROOT / "tests" / "gold" / f"{code}.tsv"
    for n, row in rows(gold) if gold.exists() else []:
        if len(row) != 2 or row[0] not in taxonomy:
            problems.append(f"gold:{n}: expected industry, text")
            continue
        if re.search(r"[\[\]|]", MARK.sub("", row[1])):
            problems.append(f"gold:{n}: broken mark in {row[1]!r}")
        counts["gold comments"] += 1
        for _, opinion in MARK.findall(row[1]):
            counts[f"gold terms {opinion}"] += 1
    return problems, counts


def main() -> int:
    """Print the counts of each language named on the command line, and its problems; exit 1 if there are any."""
    failed = False
    for code in sys.argv[1:] or sorted(p.name for p in LANG.iterdir() if (p / "opinions.tsv").exists()):
        problems, counts = check(code)
        print(code, ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        print("\n".join(f"  {problem}" for problem in problems[:50]))
        failed = failed or bool(problems)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
