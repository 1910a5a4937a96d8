"""What a process holds of a dataset that a cluster counts: time and private memory of the outlines of many segments.

    python benchmarks/aggregation_outlines.py --segments 15259

15,259 segments are those of a billion documents. Here they hold a few documents each, which their outlines do not show.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aggregating.corpus import DATASET, make_corpus, store_corpus
from aggregation import private_bytes

from feedback.aggregation.loader import Distant, Loader
from feedback.store.engine import open_engine, snapshot
from feedback.store.segments.cache import SegmentCache

DOCUMENTS = 16


def main() -> None:
    """Store the segments, and print what a fresh process needs to know them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segments", type=int, default=15_259)
    parser.add_argument("--probe", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.probe is not None:
        print(json.dumps(probe(arguments.probe)))
        return
    with tempfile.TemporaryDirectory(prefix="feedback-benchmark-") as directory:
        store_corpus(make_corpus(arguments.segments * DOCUMENTS, 1), Path(directory), DOCUMENTS).dispose()
        command = [sys.executable, __file__, "--probe", directory]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="")


def probe(directory: Path) -> dict[str, float]:
    """Seconds and private bytes of outlining all segments, and what planning a question by them takes at first."""
    engine = open_engine(f"sqlite:///{directory / 'feedback.db'}")
    engine.connect().close()
    loader = Loader(SegmentCache(None, 0), distant=Distant(engine, 0))
    before, begun = private_bytes(), time.perf_counter()
    with snapshot(engine) as connection, connection.begin():
        found = loader.snapshot(connection, DATASET.id)
    seconds = time.perf_counter() - begun
    held = private_bytes() - before
    begun = time.process_time()
    planned = (
        found.created,
        found.column("TERMS").keys,
        found.column("createdAt").days,
        found.column("metadata.nps").scores,
    )
    assert all(planned)
    planning = time.process_time() - begun
    return {
        "segments": len(found.parts),
        "seconds": round(seconds, 2),
        "private_mb": round(held / 1e6, 1),
        "private_bytes_a_segment": round(held / len(found.parts)),
        "planning_ms": round(planning * 1000, 1),
    }


if __name__ == "__main__":
    main()
