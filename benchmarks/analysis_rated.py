"""Whether the terms' opinions add up to the customer's rating: a measure on industries and texts nobody annotated.

    python benchmarks/analysis_rated.py DATA [--half held-out|training] [--each 400] [--json]

DATA holds `feedback/` and `ratings/`. A text counts as praise if more of its terms are positive than negative, and as
complaint if fewer are; where they are equal it has no verdict. Lukewarm ratings are left out. The held-out half is the
one that no weight was learnt from.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from feedback.analysis import Profile, analyse, rated
from feedback.analysis.rated import RatedText


def leaning(text: RatedText) -> int:
    """Above 0 if the analysis finds more praise than complaint in a text, below if less."""
    found = analyse(text.text, Profile(lang=text.lang)).enrichments
    opinions = Counter(enrichment.opinion for enrichment in found)
    return opinions["POSITIVE"] - opinions["NEGATIVE"]


def measure(texts: list[RatedText], each: int) -> dict[str, dict[str, float]]:
    """By source: how many texts, the share with a verdict, the share of those right, by sign and in the mean."""
    counts: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
    for text in texts:
        seen = counts[text.source]
        if seen[text.sign, "texts"] >= each:
            continue
        seen[text.sign, "texts"] += 1
        value = leaning(text)
        seen[text.sign, "verdict"] += value != 0
        seen[text.sign, "right"] += value * text.sign > 0
    report: dict[str, dict[str, float]] = {}
    for source, seen in sorted(counts.items()):
        right = {sign: seen[sign, "right"] / max(seen[sign, "verdict"], 1) for sign in (1, -1)}
        total = seen[1, "texts"] + seen[-1, "texts"]
        report[source] = {
            "texts": total,
            "verdict": (seen[1, "verdict"] + seen[-1, "verdict"]) / total,
            "praise_right": right[1],
            "complaint_right": right[-1],
            "right": (right[1] + right[-1]) / 2,
        }
    return report


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("held-out", "training"), default="held-out")
    parser.add_argument("--each", type=int, default=400, help="texts of a source and sign at most")
    parser.add_argument("--json", action="store_true")
    found = parser.parse_args()
    held = found.half == "held-out"
    report = measure([text for text in rated.read(found.data) if rated.held_out(text) == held], found.each)
    if found.json:
        sys.stdout.write(json.dumps({name: {k: round(v, 4) for k, v in row.items()} for name, row in report.items()}))
        return
    sys.stdout.write(f"{'source':36} texts  verdict  praise right  complaint right  mean\n")
    for name, row in report.items():
        shares = [100 * row[key] for key in ("verdict", "praise_right", "complaint_right", "right")]
        sys.stdout.write(
            f"{name:36} {row['texts']:5.0f}  {shares[0]:7.1f}  {shares[1]:12.1f}  {shares[2]:15.1f}  {shares[3]:4.1f}\n"
        )


if __name__ == "__main__":
    main()
