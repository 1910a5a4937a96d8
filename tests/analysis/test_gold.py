"""Every language holds the figures it reached on the comments its weights never saw."""

from pathlib import Path

import pytest

from feedback.analysis import evaluate, gold, opinion_training

GOLD = Path(__file__).resolve().parents[1] / "gold"

# (terms found at IoU >= .5, polarity accuracy of those found, opinionated F1) on the odd-numbered comments, in percent,
# less two points. They go up with the analysis; they never go down to let a change pass.
FLOORS: dict[str, tuple[float, float, float]] = {
    "de": (96.9, 87.4, 88.3),
    "en": (94.3, 82.8, 81.5),
    "es": (96.7, 82.3, 81.1),
    "fr": (97.1, 86.2, 87.6),
    "it": (94.1, 86.7, 84.3),
    "nl": (96.9, 87.9, 84.9),
    "pt": (96.0, 85.2, 85.0),
    "zh": (96.3, 91.7, 82.1),
    "judged/de": (93.6, 89.3, 76.0),
    "judged/en": (86.2, 82.3, 71.7),
    "judged/es": (96.9, 93.3, 78.9),
    "judged/fr": (96.4, 89.1, 78.8),
    "judged/it": (96.3, 92.6, 79.0),
    "judged/nl": (94.8, 92.0, 76.2),
    "judged/pt": (96.6, 88.2, 76.5),
    "judged/zh": (96.9, 90.6, 67.2),
    "facts/de": (93.6, 86.7, 63.2),
    "facts/en": (92.6, 82.6, 62.5),
    "facts/es": (96.7, 94.6, 78.9),
    "facts/fr": (95.0, 92.2, 74.5),
    "facts/it": (96.0, 92.8, 76.2),
    "facts/nl": (95.4, 88.4, 74.7),
    "facts/pt": (96.6, 92.5, 75.9),
    "facts/zh": (95.5, 91.8, 75.1),
    "statements/de": (95.1, 90.8, 77.3),
    "statements/en": (94.9, 90.7, 78.6),
    "statements/es": (97.1, 92.4, 82.4),
    "statements/fr": (96.5, 94.0, 82.2),
    "statements/it": (96.3, 93.4, 82.3),
    "statements/nl": (93.3, 92.2, 78.2),
    "statements/pt": (97.0, 89.7, 75.5),
    "statements/zh": (95.0, 90.2, 72.3),
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
