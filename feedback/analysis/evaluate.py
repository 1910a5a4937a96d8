"""Measures the analysis on marked texts: what `feedback evaluate` prints.

Exact and overlap figures count spans; the aligned term of a gold span is the one that overlaps it most. Polarity is
measured on gold spans that were found; opinionated precision on all terms that were given an opinion, opinionated
recall on all gold spans that have one, found or not.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from feedback.analysis.gold import GoldText, read
from feedback.analysis.pipeline import analyse
from feedback.analysis.profile import Profile

CLASSES = ("POSITIVE", "NEGATIVE", "NEUTRAL")
_HALF = 0.5
_CONTEXT = 60
_SHOWN = 20

Span = tuple[int, int, str]


class Error(NamedTuple):
    """A gold span that was not found, or was found with another opinion."""

    id: str
    expected: str
    found: str
    context: str


class Result(NamedTuple):
    """The figures of a set, each 0 to 1, with what they were counted on, and the errors."""

    documents: int
    terms: int
    figures: dict[str, float]
    errors: list[Error]


def iou(a: Span | tuple[int, int], b: Span | tuple[int, int]) -> float:
    """How much of two spans together they share."""
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return shared / (max(a[1], b[1]) - min(a[0], b[0])) if shared > 0 else 0.0


def predict(text: GoldText) -> list[Span]:
    """The terms the analysis finds in a gold text."""
    found = analyse(text.text, Profile(lang=text.lang or None, industry=text.industry)).enrichments
    return [(e.offset.begin, e.offset.end, e.opinion) for e in found]


def measure(texts: Iterable[GoldText]) -> Result:
    """The figures over `texts`."""
    counts: Counter[str] = Counter()
    confusion: Counter[tuple[str, str]] = Counter()
    errors: list[Error] = []
    documents = terms = 0
    for text in texts:
        documents += 1
        terms += len(text.terms)
        _count(text, predict(text), counts, confusion, errors)
    return Result(documents, terms, _figures(counts, confusion), errors)


def _count(
    text: GoldText,
    predicted: list[Span],
    counts: Counter[str],
    confusion: Counter[tuple[str, str]],
    errors: list[Error],
) -> None:
    gold = [(t.begin, t.end, t.opinion) for t in text.terms]
    spans, marked = {p[:2] for p in predicted}, {g[:2] for g in gold}
    counts["gold"] += len(marked)
    counts["predicted"] += len(spans)
    counts["exact"] += len(spans & marked)
    counts["overlap_predicted"] += sum(any(iou(p, g) > 0 for g in marked) for p in spans)
    counts["half_predicted"] += sum(any(iou(p, g) >= _HALF for g in marked) for p in spans)
    judged = [p for p in predicted if p[2] != "NEUTRAL"]
    counts["judged"] += len(judged)
    counts["judged_right"] += sum(any(iou(p, g) > 0 and g[2] == p[2] for g in gold) for p in judged)
    for g in gold:
        best = max(predicted, key=lambda p: (iou(p, g), p[2] != "NEUTRAL", p[1] - p[0]), default=None)
        share = iou(best, g) if best else 0.0
        counts["overlap"] += share > 0
        counts["half"] += share >= _HALF
        if g[2] not in CLASSES:
            continue
        counts["opinionated"] += g[2] != "NEUTRAL"
        if best is not None and share > 0:
            confusion[g[2], best[2]] += 1
            counts["opinionated_right"] += g[2] != "NEUTRAL" and g[2] == best[2]
        if best is None or share == 0 or best[2] != g[2]:
            around = (
                text.text[max(0, g[0] - _CONTEXT) : g[0]]
                + "["
                + text.text[g[0] : g[1]]
                + "]"
                + text.text[g[1] : g[1] + _CONTEXT]
            )
            errors.append(Error(text.id, g[2], best[2] if best and share else "not found", around.replace("\n", " ")))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _f1(precision: float, recall: float) -> float:
    return _ratio(2 * precision * recall, precision + recall)


def _figures(counts: Counter[str], confusion: Counter[tuple[str, str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, hit, right in (
        ("exact", "exact", "exact"),
        ("overlap", "overlap", "overlap_predicted"),
        ("iou50", "half", "half_predicted"),
    ):
        found[f"{name}_recall"] = _ratio(counts[hit], counts["gold"])
        found[f"{name}_precision"] = _ratio(counts[right], counts["predicted"])
    aligned = sum(confusion.values())
    found["polarity_accuracy"] = _ratio(sum(confusion[c, c] for c in CLASSES), aligned)
    scores = []
    for c in CLASSES:
        expected = sum(n for (gold, _), n in confusion.items() if gold == c)
        predicted = sum(n for (_, guess), n in confusion.items() if guess == c)
        if expected:
            scores.append(_f1(_ratio(confusion[c, c], predicted), _ratio(confusion[c, c], expected)))
    found["polarity_macro_f1"] = _ratio(sum(scores), len(scores))
    precision = _ratio(counts["judged_right"], counts["judged"])
    recall = _ratio(counts["opinionated_right"], counts["opinionated"])
    found["opinionated_precision"], found["opinionated_recall"] = precision, recall
    found["opinionated_f1"] = _f1(precision, recall)
    return found


def render(name: str, result: Result) -> str:
    """The figures and the first errors as text."""

    def percent(figure: str) -> str:
        return f"{100 * result.figures[figure]:5.1f}"

    lines = [f"{name}: {result.documents} documents, {result.terms} marked terms"]
    lines += [
        f"  terms, {n:8} recall {percent(f'{n}_recall')}  precision {percent(f'{n}_precision')}"
        for n in ("exact", "overlap", "iou50")
    ]
    lines.append(
        f"  polarity of terms found: accuracy {percent('polarity_accuracy')}  macro-F1 {percent('polarity_macro_f1')}"
    )
    lines.append(
        f"  opinionated: precision {percent('opinionated_precision')}  recall {percent('opinionated_recall')}"
        f"  F1 {percent('opinionated_f1')}"
    )
    # A praise taken for a complaint, or the reverse, is worse than a term missed.
    worst = sorted(result.errors, key=lambda e: (e.found == "not found", "NEUTRAL" in {e.expected, e.found}))
    lines += [f"  {e.id}: expected {e.expected}, {e.found}: {e.context}" for e in worst[:_SHOWN]]
    return "\n".join(lines)


def main(path: Path, as_json: bool = False) -> str:  # noqa: FBT001, FBT002 - mirrors the command's flag
    """The report on a gold file, as text or as one JSON object."""
    result = measure(read(Path(path)))
    if not as_json:
        return render(Path(path).name, result)
    rounded = {name: round(value, 4) for name, value in result.figures.items()}
    errors = [error._asdict() for error in result.errors]
    return json.dumps(
        {"documents": result.documents, "terms": result.terms, **rounded, "errors": errors},
        ensure_ascii=False,
        indent=1,
    )
