"""Every language holds the figures it reached on the comments its weights never saw."""

from pathlib import Path

import pytest

from feedback.analysis import evaluate, gold, opinion_training

GOLD = Path(__file__).resolve().parents[1] / "gold"

# (terms found at IoU >= .5, polarity accuracy of those found, opinionated F1) on the odd-numbered comments, in percent,
# less two points. They go up with the analysis; they never go down to let a change pass.
FLOORS: dict[str, tuple[float, float, float]] = {
    "de": (96.9, 86.3, 85.3),
    "en": (94.3, 79.1, 77.1),
    "es": (96.7, 81.5, 79.9),
    "fr": (97.1, 85.0, 84.8),
    "it": (93.6, 82.7, 79.8),
    "nl": (95.8, 87.4, 82.3),
    "pt": (96.0, 83.3, 83.7),
    "zh": (95.3, 87.9, 77.9),
}


@pytest.mark.parametrize("lang", sorted(FLOORS))
def test_the_held_out_comments_stay_above_their_floor(lang: str) -> None:
    figures = evaluate.measure(opinion_training.held_out_half(gold.read(GOLD / f"{lang}.tsv"))).figures
    reached = tuple(round(100 * figures[name], 1) for name in ("iou50_recall", "polarity_accuracy", "opinionated_f1"))
    assert all(have >= floor for have, floor in zip(reached, FLOORS[lang], strict=True)), (reached, FLOORS[lang])


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
