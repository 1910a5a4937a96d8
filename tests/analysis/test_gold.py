"""Every language holds the figures it reached on the comments its weights never saw."""

from pathlib import Path

import pytest

from feedback.analysis import evaluate, gold, opinion_training

GOLD = Path(__file__).resolve().parents[1] / "gold"

# (terms found at IoU >= .5, polarity accuracy of those found, opinionated F1) on the odd-numbered comments, in percent,
# less two points. They go up with the analysis; they never go down to let a change pass.
FLOORS: dict[str, tuple[float, float, float]] = {
    "de": (96.9, 86.3, 85.3),
    "en": (94.3, 79.5, 78.3),
    "es": (96.7, 81.5, 80.3),
    "fr": (97.1, 85.0, 84.8),
    "it": (94.1, 85.4, 82.2),
    "nl": (96.9, 87.4, 83.6),
    "pt": (96.0, 85.2, 84.4),
    "zh": (95.3, 90.8, 81.5),
    "judged/de": (93.1, 85.3, 73.6),
    "judged/en": (85.7, 77.8, 66.8),
    "judged/es": (93.7, 88.0, 75.1),
    "judged/fr": (94.0, 84.2, 74.5),
    "judged/it": (94.7, 86.5, 70.4),
    "judged/nl": (90.4, 88.7, 69.7),
    "judged/pt": (95.7, 81.6, 71.1),
    "judged/zh": (92.1, 86.7, 63.4),
    "statements/de": (93.9, 89.4, 75.4),
    "statements/en": (92.8, 85.9, 74.4),
    "statements/es": (96.1, 89.8, 81.6),
    "statements/fr": (96.5, 90.8, 78.5),
    "statements/it": (94.5, 88.8, 78.2),
    "statements/nl": (93.1, 91.0, 78.2),
    "statements/pt": (95.5, 83.8, 73.2),
    "statements/zh": (91.6, 87.4, 69.1),
}


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_the_held_out_comments_stay_above_their_floor(name: str) -> None:
    figures = evaluate.measure(opinion_training.held_out_half(gold.read(GOLD / f"{name}.tsv"))).figures
    reached = tuple(round(100 * figures[name], 1) for name in ("iou50_recall", "polarity_accuracy", "opinionated_f1"))
    assert all(have >= floor for have, floor in zip(reached, FLOORS[name], strict=True)), (reached, FLOORS[name])


def test_marks_become_offsets() -> None:
    text, terms = gold.parse("The [room service|+] was quick but the [bathroom|-] smelled.")
    assert text == "The room service was quick but the bathroom smelled."
    assert [(text[t.begin : t.end], t.opinion) for t in terms] == [
        ("room service", "POSITIVE"),
        ("bathroom", "NEGATIVE"),
    ]


def test_the_report_names_the_worst_errors_in_context(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(
        '{"id":"a","lang":"en","text":"The staff were rude.","gold":[{"begin":4,"end":9,"opinion":"POSITIVE"}]}\n'
    )
    assert "a: expected POSITIVE, NEGATIVE: The [staff] were rude." in evaluate.main(path)
    assert '"polarity_accuracy": 0.0' in evaluate.main(path, as_json=True)
