"""Time `sentree cluster` on a CSV against its parts by hand, and the start of `sentree --help`.

The parts, each timed on its own in a process where everything is imported: pandas reads the file,
knn_graph makes the graph with the settings of the command, SSEPartition clusters that graph. The
command also starts Python, imports, checks, scores the strengths and writes the table. All use the
threads they use by default, and take turns; medians count.

    python benchmarks/command_line.py
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from sklearn.datasets import make_blobs

from sentree import Constraints, SSEPartition

#: What must hold: the command against its parts, and seconds that --help may need.
MOST_RATIO, MOST_START = 1.5, 0.5
COMMAND = Path(sys.executable).with_name("sentree")


def clocks():
    """Return the CPU seconds of this process and those of its children, and the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used), time.perf_counter()


def timed(call):
    """Return what a call returns, and its CPU and clock seconds."""
    before = clocks()
    result = call()
    return result, *(late - early for late, early in zip(clocks(), before, strict=True))


def parts(path):
    """Yield the name and the times of each part."""
    table, *seconds = timed(lambda: pd.read_csv(path))
    yield "reading (pandas)", *seconds
    model = SSEPartition()
    features, none = table.iloc[:, 1:], Constraints.empty()
    affinity, *seconds = timed(lambda: model._affinity(features, none))
    yield "neighbours and weights", *seconds
    _, *seconds = timed(lambda: SSEPartition(affinity="precomputed").fit(affinity.graph))
    yield "search", *seconds


def run(*command):
    """Run a program."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="file for the table")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        X, _ = make_blobs(
            options.samples, options.features, centers=30, cluster_std=3.0, random_state=0
        )
        table = pd.DataFrame(X, columns=[f"x{k}" for k in range(options.features)])
        table.insert(0, "id", [f"s{k}" for k in range(len(table))])
        table.to_csv(path, index=False)
        for _ in range(options.repeats):
            rows += parts(path)
            call = (COMMAND, "cluster", path, "--out", Path(folder) / "out.csv")
            rows.append(("sentree cluster", *timed(lambda call=call: run(*call))[1:]))
    for _ in range(3 * options.repeats):
        rows.append(("sentree --help", *timed(lambda: run(COMMAND, "--help"))[1:]))
        rows.append(("python -c pass", *timed(lambda: run(sys.executable, "-c", "pass"))[1:]))
    result = pd.DataFrame(rows, columns=["part", "cpu_seconds", "clock_seconds"])
    result = result.groupby("part", sort=False).median().round(3)
    print(result.to_string())
    named = result["cpu_seconds"], result["clock_seconds"]
    for name, seconds in zip(("CPU", "clock"), named, strict=True):
        ratio = seconds["sentree cluster"] / seconds.iloc[:3].sum()
        start = seconds["sentree --help"] - seconds["python -c pass"]
        print(f"{name}: the command takes {ratio:.2f} times its parts (at most {MOST_RATIO}); ")
        print(f"{name}: --help takes {start:.2f} s more than nothing (at most {MOST_START})")
    if options.out:
        result.to_csv(options.out)


if __name__ == "__main__":
    main()
