"""The analysis on real comments that were marked by hand, none of which anything was fitted on.

    python benchmarks/analysis_real.py DATA [--json]

DATA holds `feedback/` and `treebanks/`; the marks lie in `tests/gold/real`, the texts are other people's. What is
judged was marked before anybody saw what the engine makes of it; lexicons were mended by what showed since.
"""

import argparse
import json
import sys
from pathlib import Path

from feedback.analysis import marked_elsewhere
from feedback.analysis.evaluate import measure

MARKS = Path(__file__).resolve().parents[1] / "tests" / "gold" / "real"
SHOWN = {
    "iou50_recall": "terms found",
    "polarity_accuracy": "polarity",
    "polarity_macro_f1": "macro-F1",
    "opinionated_f1": "opinionated F1",
}


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    found = parser.parse_args()
    report = {marks.stem: measure(marked_elsewhere.read(marks, found.data)) for marks in sorted(MARKS.glob("*.jsonl"))}
    if found.json:
        rows = {lang: result.figures | {"documents": result.documents} for lang, result in report.items()}
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return
    for lang, result in report.items():
        told = ", ".join(f"{label} {100 * result.figures[name]:.1f}" for name, label in SHOWN.items())
        sys.stdout.write(f"{lang}: {result.documents} comments, {result.terms} judged terms: {told}\n")


if __name__ == "__main__":
    main()
