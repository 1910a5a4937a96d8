"""What the sentence network makes of sentences in which no word judges, none of which it was fitted on.

    python benchmarks/analysis_sentences.py [DATA]

Three kinds: those held out of the sentences written for it, others written later by other people, and, where DATA
holds `feedback/` and `ratings/`, those of real comments, labelled by hand one by one (`tests/gold/silent`).
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from feedback.analysis import sentiment
from feedback.analysis.sentiment_sources import NEITHER, Example, labelled, written
from feedback.analysis.sentiment_training import right

GOLD = Path(__file__).resolve().parents[1] / "tests" / "gold"


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?")
    data = parser.parse_args().data
    for path in sorted((GOLD / "sentences").glob("*.tsv")):
        _tell(f"held out, {path.stem}", written(path)[1])
    for path in sorted((GOLD / "sentences" / "second").glob("*.tsv")):
        learnt, held = written(path)
        _tell(f"other writers, {path.stem}", learnt + held)
    for path in sorted((GOLD / "silent").glob("*.jsonl")) if data else ():
        _tell(f"real comments, {path.stem}", labelled(path, data))


def _tell(name: str, known: Iterable[Example]) -> None:
    examples = list(known)
    every, signs = right(sentiment.network(), examples)
    neither = 100 * sum(example.sign == NEITHER for example in examples) / len(examples)
    sys.stdout.write(
        f"{name}: {len(examples)} sentences, {neither:.0f} % of them neither praise nor complain; "
        f"{every:.1f} % told as what they are, {signs:.1f} % of signs right\n"
    )


if __name__ == "__main__":
    main()
