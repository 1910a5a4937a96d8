"""How much memory `python -m flows check` needs for a large file: its growth over its own start.

    python benchmarks/check_memory.py --megabytes 2048

Writes a file of comments of that size into a temporary directory, checks it with a feed whose ids are read from a
column, and samples its private memory (resident less shared). "Start" is what it needs for a file of 1 MB.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
FEED = """
dataset: {name: large, lang: en}
external_id: {column: id}
content: {columns: comment}
metadata:
  nps: {type: NPS, column: score}
  store: {type: String, column: store}
  day: {type: Datetime, column: day, format: "%Y-%m-%d"}
"""
MEGABYTE = 1_000_000
INTERVAL = 0.05
LONGEST = 9


def write(path: Path, size: int) -> int:
    """A CSV of at least `size` bytes; its rows."""
    rows = written = 0
    with path.open("w", encoding="utf-8") as stream:
        written += stream.write("id,comment,score,store,day\n")
        while written < size:
            sentence = f"The queue at till {rows % 17} was far too long, but the staff on floor {rows % 5} were lovely."
            text = " ".join([sentence] * (1 + rows % LONGEST))
            day = f"2026-{rows % 12 + 1:02}-{rows % 28 + 1:02}"
            written += stream.write(f'c{rows},"{text} Visit {rows}.",{rows % 11},Store {rows % 40},{day}\n')
            rows += 1
    return rows


def peak_of(folder: Path, source: Path) -> tuple[float, float]:
    """The largest private memory in MB while a file is checked, and the seconds it took."""
    started, highest = time.monotonic(), 0
    command = [sys.executable, "-m", "flows", "check", str(folder / "large.yaml"), str(source)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            memory = watched.memory_info()
            highest = max(highest, memory.rss - memory.shared)
            time.sleep(INTERVAL)
    if process.returncode:
        raise SystemExit(f"check ended with {process.returncode}")
    return highest / MEGABYTE, time.monotonic() - started


def main() -> None:
    """Write, check, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=2048)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, source = Path(place), Path(place) / "large.csv"
        (folder / "large.yaml").write_text(FEED, "utf-8")
        write(source, MEGABYTE)
        start, _ = peak_of(folder, source)
        rows = write(source, chosen.megabytes * MEGABYTE)
        print(f"{chosen.megabytes} MB, {rows:,} rows", flush=True)
        peak, seconds = peak_of(folder, source)
        print(f"start {start:.0f} MB, peak {peak:.0f} MB, growth {peak - start:.0f} MB, {seconds:.0f} s")


if __name__ == "__main__":
    main()
