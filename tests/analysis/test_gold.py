"""Every language holds the figures it reached on the comments its weights never saw."""

from pathlib import Path

import pytest

from feedback.analysis import evaluate, gold, opinion_training

GOLD = Path(__file__).resolve().parents[1] / "gold"

# (terms found at IoU >= .5, polarity accuracy of those found, opinionated F1) on the odd-numbered comments, in percent,
# less two points. They go up with the analysis; they never go down to let a change pass.
FLOORS: dict[str, tuple[float, float, float]] = {
    "de": (96.9, 87.4, 86.8),
    "en": (94.3, 80.4, 79.0),
    "es": (96.7, 81.5, 80.6),
    "fr": (97.1, 86.2, 86.5),
    "it": (94.1, 85.8, 83.7),
    "nl": (96.9, 87.4, 83.8),
    "pt": (96.0, 85.2, 84.5),
    "zh": (95.3, 90.8, 81.5),
    "judged/de": (93.6, 86.8, 74.0),
    "judged/en": (86.2, 78.3, 67.4),
    "judged/es": (93.7, 90.2, 77.3),
    "judged/fr": (94.0, 87.4, 77.0),
    "judged/it": (94.7, 87.9, 72.5),
    "judged/nl": (90.4, 88.7, 70.2),
    "judged/pt": (95.7, 83.4, 71.1),
    "judged/zh": (92.9, 87.8, 64.0),
    "facts/de": (93.6, 83.1, 57.2),
    "facts/en": (92.6, 77.8, 56.4),
    "facts/es": (95.7, 90.9, 74.6),
    "facts/fr": (93.8, 88.7, 69.7),
    "facts/it": (94.9, 90.9, 72.1),
    "facts/nl": (92.3, 80.6, 64.9),
    "facts/pt": (95.4, 89.6, 73.0),
    "facts/zh": (92.7, 89.3, 68.8),
    "statements/de": (94.7, 89.9, 76.8),
    "statements/en": (93.3, 86.7, 76.0),
    "statements/es": (96.1, 89.8, 81.6),
    "statements/fr": (96.5, 92.3, 80.9),
    "statements/it": (94.7, 91.3, 81.5),
    "statements/nl": (93.3, 91.2, 78.2),
    "statements/pt": (96.1, 84.9, 74.7),
    "statements/zh": (92.1, 87.5, 70.1),
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
