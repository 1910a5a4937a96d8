"""Aggregations timed against DuckDB, ClickHouse, Polars, pandas and bare numpy, on the same data in the same run.

    python benchmarks/aggregation.py --documents 1000000 --json figures.json

Each question is asked several times, the quick ones more often, and the best time counts, of everybody alike: `cpu_s`
is processor time of the whole process, `wall_s` the clock. The kernel forgets in between what the question left behind,
so that each time counts as the first; `again_s` is its clock where it remembers. Every rival's answer must agree with
the kernel's. ClickHouse takes part where `chdb` is installed. With `--further`, three dimensions of terms are asked,
only of those that need not hold every triple in memory, and scores by the most frequent of thousands of numbers.
`bytes_per_document` and `cold_start_s` are measured in fresh processes.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from aggregating.bare import Numpy
from aggregating.corpus import DATASET, Corpus, make_corpus, replace, segments_of, store_corpus
from aggregating.questions import FURTHER, QUESTIONS, Question

from feedback.aggregation import Aggregator
from feedback.store.engine import open_engine

THREADS = 2
BUDGET = 10**12
# A question is asked until it has taken so long: the best of three times of four milliseconds says more of what else
# the machine does than of the question.
SECONDS = 0.25
POLARITIES = {"positive": 0, "negative": 1, "neutral": 2}
RIVALS = ("duckdb", "clickhouse", "polars", "pandas", "numpy")
Answer = dict[tuple[Any, ...], tuple[Any, int]]


def main() -> None:
    """Run the benchmark, print a table, and write the figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--repeat", type=int, default=3, help="how often each question is asked at least")
    parser.add_argument("--without", nargs="*", default=[], choices=RIVALS, help="leave rivals out, such as pandas")
    parser.add_argument("--further", action="store_true", help="ask two more hard questions")
    parser.add_argument("--probe", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.probe is not None:
        print(json.dumps(probe(arguments.probe)))
        return
    with tempfile.TemporaryDirectory(prefix="feedback-benchmark-") as directory:
        figures = run(arguments, Path(directory))
    print_table(figures)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1))
    if not all(question["agree"] for question in figures["questions"]):
        sys.exit("an answer disagrees")


def run(arguments: argparse.Namespace, directory: Path) -> dict[str, Any]:
    """All figures of one corpus."""
    corpus = make_corpus(arguments.documents, arguments.seed)
    engine = store_corpus(corpus, directory)
    probed = [run_probe(directory), run_probe(directory)]
    kernel = Aggregator(engine, cache_dir=directory / "cache", cache_bytes=BUDGET, threads=THREADS)
    told: list[dict[str, Any]] = []
    for replaced in (False, True):
        if replaced:
            corpus = replace(corpus, engine, 0.01, arguments.seed + 1)
        asked = QUESTIONS + FURTHER if arguments.further else QUESTIONS
        questions = [q for q in asked if q.replaced is replaced]
        told += compare(questions, kernel, corpus, arguments)
    engine.dispose()
    return {
        "documents": arguments.documents,
        "questions": told,
        "geomean_cpu": {rival: geomean(told, rival) for rival in RIVALS},
        "bytes_per_document": {"cache": probed[0]["cache"], "private": probed[1]["private"]},
        "cold_start_s": {"database": probed[0]["seconds"], "cache": probed[1]["seconds"]},
        "segments": segments_of(engine)[0],
        "threads": THREADS,
    }


def compare(
    questions: Sequence[Question], kernel: Aggregator, corpus: Corpus, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Ask everybody, one after the other, so that only one of them holds its copy of the data at a time."""
    told = {q.name: {"name": q.name, "hard": q.hard, "agree": True, "cpu_s": {}, "wall_s": {}} for q in questions}
    mine: dict[str, list[Answer]] = {}
    for question in questions:
        replies = timed(
            told[question.name], "feedback", partial(ask, kernel, question), arguments.repeat, kernel.forget
        )
        told[question.name]["again_s"] = milliseconds(partial(ask, kernel, question)) / 1000
        told_as_sent = msgspec.json.decode(msgspec.json.encode(replies))
        mine[question.name] = [answer_of(period) for reply in told_as_sent for period in reply["periods"]]
    for name in RIVALS:
        if name in arguments.without or (name == "clickhouse" and find_spec("chdb") is None):
            continue
        # The one before is let go of first, so that two copies of the data are never held.
        rival = None
        rival = make_rival(name, corpus)
        for question in questions:
            if name in question.without:
                continue
            one = told[question.name]
            answer = timed(one, name, partial(rival.ask, question.name), arguments.repeat)
            if not same(mine[question.name], answer):
                one["agree"] = False
                print(f"{question.name}: {name} disagrees", file=sys.stderr)
    return list(told.values())


def make_rival(name: str, corpus: Corpus) -> Any:
    """A rival with the corpus loaded; its library is imported only here, so that one may be missing."""
    if name == "duckdb":
        from aggregating.sql import DuckDB  # noqa: PLC0415 -- imported only where it takes part

        return DuckDB(corpus, THREADS)
    if name == "clickhouse":
        from aggregating.clickhouse import ClickHouse  # noqa: PLC0415 -- few have it installed

        return ClickHouse(corpus, THREADS)
    if name == "polars":
        os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))
        from aggregating.frames import Polars  # noqa: PLC0415 -- imported only where it takes part

        return Polars(corpus)
    if name == "pandas":
        from aggregating.pandas_frames import Pandas  # noqa: PLC0415 -- imported only where it takes part

        return Pandas(corpus)
    return Numpy(corpus)


def ask(kernel: Aggregator, question: Question) -> list[dict[str, Any]]:
    """The replies to a question's requests."""
    return [kernel.reply(DATASET, request, question.q) for request in question.requests]


def timed(
    told: dict[str, Any],
    who: str,
    function: Callable[[], Any],
    repeat: int,
    before: Callable[[], None] = lambda: None,
) -> Any:
    """The function's result; its least processor and clock times go into `told`. `before()` is not timed.

    It is called `repeat` times at least, and until it has taken SECONDS.
    """
    cpu, wall, spent, asked, result = math.inf, math.inf, 0.0, 0, None
    while asked < repeat or spent < SECONDS:
        before()
        begun, clock = time.process_time(), time.perf_counter()
        result = function()
        cpu, took = min(cpu, time.process_time() - begun), time.perf_counter() - clock
        wall, spent, asked = min(wall, took), spent + took, asked + 1
    told["cpu_s"][who], told["wall_s"][who] = cpu, wall
    return result


def milliseconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    function()
    return (time.perf_counter() - begun) * 1000


def answer_of(period: dict[str, Any]) -> Answer:
    """A period of a reply in the rivals' form."""
    if not period["values"]:
        return {(): (period["total"]["value"], period["total"]["volume"])}
    return {
        tuple(part for d in item["dimensions"] for part in _key(d)): (item["value"], item["volume"])
        for item in period["values"]
        if item["volume"]
    }


def _key(dimension: dict[str, Any]) -> list[Any]:
    polarity = dimension.get("polarity")
    return [dimension["value"]] if polarity is None else [dimension["value"], POLARITIES[polarity]]


def same(mine: list[Answer], theirs: list[Answer]) -> bool:
    """Whether two answers agree: the same rows, the same volumes, values to twelve digits."""
    if len(mine) != len(theirs):
        return False
    for a, b in zip(mine, theirs, strict=True):
        if a.keys() != b.keys():
            return False
        if any(a[k][1] != b[k][1] or not _near(a[k][0], b[k][0]) for k in a):
            return False
    return True


def _near(a: Any, b: Any) -> bool:
    if a is None or b is None or math.isnan(b):
        return a is None and (b is None or math.isnan(b))
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def geomean(told: Sequence[dict[str, Any]], rival: str) -> float | None:
    """Geometric mean over the eight questions of the kernel's processor time by the rival's."""
    easy = [q["cpu_s"] for q in told if not q["hard"] and rival in q["cpu_s"]]
    return math.exp(sum(math.log(c["feedback"] / c[rival]) for c in easy) / len(easy)) if easy else None


def run_probe(directory: Path) -> dict[str, float]:
    """The first answer of a fresh process."""
    command = [sys.executable, __file__, "--probe", str(directory)]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def probe(directory: Path) -> dict[str, float]:
    """Seconds to the first answer; bytes a document of cache files without external ids, and of private memory."""
    engine = open_engine(f"sqlite:///{directory / 'feedback.db'}")
    engine.connect().close()
    before, begun = private_bytes(), time.perf_counter()
    kernel = Aggregator(engine, cache_dir=directory / "cache", cache_bytes=BUDGET, threads=THREADS)
    ask(kernel, QUESTIONS[0])
    seconds = time.perf_counter() - begun
    for question in QUESTIONS:
        ask(kernel, question)
    with engine.connect() as connection:
        parts = kernel.loader.snapshot(connection, DATASET.id).parts
    documents = sum(part.documents for part in parts)
    cached = sum(part.segment.bytes - part.segment.external_bytes for part in parts)
    # Files reach their final names behind the first answer.
    deadline = time.monotonic() + 60
    while any((directory / "cache").glob("*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return {"seconds": seconds, "cache": cached / documents, "private": (private_bytes() - before) / documents}


def private_bytes() -> int:
    """Anonymous memory of this process."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))


def print_table(figures: dict[str, Any]) -> None:
    """The figures for people."""
    width = 12
    print("cpu ms".ljust(32), *(name.rjust(width) for name in ("feedback", *RIVALS, "wall ms", "again ms", "agree")))
    for question in figures["questions"]:
        times = [question["cpu_s"].get(name) for name in ("feedback", *RIVALS)]
        cells = [("-" if t is None else f"{t * 1000:.1f}").rjust(width) for t in times]
        wall = f"{question['wall_s']['feedback'] * 1000:.1f}".rjust(width)
        again = f"{question['again_s'] * 1000:.1f}".rjust(width)
        print(question["name"].ljust(32), *cells, wall, again, str(question["agree"]).rjust(width))
    for name in ("geomean_cpu", "bytes_per_document", "cold_start_s"):
        print(name, {k: v if v is None else round(v, 4) for k, v in figures[name].items()})


if __name__ == "__main__":
    main()
