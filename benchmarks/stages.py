"""The stages of a fit from a file to a file, each timed: what the cost model is fitted to.

Blobs of 20 dimensions in an NPY file. Every size runs in a process of its own. A stage is a row:
wall-clock and CPU seconds, and the most memory of the process until its end. ``cost_model.py``
reads the file, and others with the same columns.

    python benchmarks/stages.py --out benchmarks/results
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

import numpy as np

from alone import Clock, alone, tell, write
from speed import manifest
from whole_way import FEATURES, samples

SIZES = [100_000, 300_000, 1_000_000]


def measure_one(n, threads):
    """Run the stages one after the other, and tell."""
    from sentree import KNNTransformer, SSEPartition
    from sentree.graph.build import graph_from_distances

    rows = []

    def stage(name, function, *arguments):
        with Clock() as clock:
            result = function(*arguments)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        rows.append({"stage": name, **clock.told(), "peak_bytes": peak})
        return result

    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "samples.npy", Path(folder) / "labels.npy"
        np.save(path, samples("overlapping", n)[0])
        X = stage("read", np.load, path)
        found = stage("search", KNNTransformer(15, n_jobs=threads).fit_transform, X)
        graph = stage("assemble", graph_from_distances, found)
        model = SSEPartition(affinity="precomputed", n_jobs=threads)
        labels = stage("move", model.fit, graph).labels_
        stage("write", np.save, out, labels)
    tell(rows=rows, edges=graph.n_edges)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for each size")
    parser.add_argument("--out", type=Path, help="folder for stages.csv and stages.json")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure_one(options.sizes[0], options.threads[0])
        return
    record, rows = manifest(), []
    for n in options.sizes:
        for threads in options.threads:
            found = alone(
                *(__file__, "--one", "--sizes", n), threads=threads, timeout=options.timeout
            )
            case = {"n": n, "d": FEATURES, "threads": threads}
            rows += [{**case, **row} for row in found.get("rows", [{"stage": "all", **found}])]
            table = write(rows, record, options.out, "stages")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
