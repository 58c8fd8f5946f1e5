"""Peak memory of searches, each in a process of its own, as multiples of the graph's own arrays.

python benchmarks/memory.py fit 100000 --cache build/bench
python benchmarks/memory.py --table --sizes 100000 1000000 --out benchmarks/results
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from sentree import Graph, SSEHierarchy, SSEPartition
from sentree.search.kernels import merge, stretch
from shared import BLOBS, blob_graph, blobs, fitted

#: Share of the samples that have a label.
LABELLED = 0.1
SIZES = [100_000, 1_000_000]


def number(graph):
    """A fit with a given number of clusters."""
    return fitted(graph, n_clusters=min(BLOBS, graph.n), n_jobs=2)


def labels(graph):
    """A fit with labels on some of the samples."""
    return fitted(graph, known(graph.n), n_jobs=2)


def known(n):
    """Known classes of some samples; -1 for the others."""
    rng = np.random.default_rng(0)
    return np.where(rng.random(n) < LABELLED, blobs(n)[1] if n > BLOBS else 0, -1)


def tree(graph):
    """A tree of all samples."""
    return SSEHierarchy(affinity="precomputed", n_jobs=2).fit(graph).tree_


def strengths(graph):
    """A fit, and how sure every sample is of its cluster."""
    return SSEPartition(affinity="precomputed", n_jobs=2).fit(graph).membership_strength_


def plain(graph):
    return fitted(graph, n_jobs=2)


SEARCHES = {
    "merge": merge,
    "stretch": stretch,
    "fit": plain,
    "number": number,
    "labels": labels,
    "strengths": strengths,
    "tree": tree,
}
#: The searches of a table.
TOLD = ["fit", "number", "labels", "strengths", "tree"]


def csr_bytes(graph):
    return sum(a.nbytes for a in (graph.indptr, graph.indices, graph.weights, graph.degree))


def peak_memory(name, n, folder):
    """Run this file and return what it prints."""
    command = [sys.executable, __file__, name, str(n), "--cache", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def measured(name, n, folder):
    """Return the peak in GB, and without the interpreter over the bytes of the graph.

    The graph's own arrays count in both.
    """
    graph = blob_graph(n, folder)
    SEARCHES[name](Graph.from_edges([(0, 1), (1, 2)]))  # load what loads lazily
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    before -= csr_bytes(graph)
    # The high-water mark restarts here, so that making the graph does not count.
    Path("/proc/self/clear_refs").write_text("5")
    SEARCHES[name](graph)
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    peak = int(line.split()[1]) * 1024
    return {"gigabytes": peak / 1e9, "over_csr": (peak - before) / csr_bytes(graph)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("search", choices=SEARCHES, nargs="?")
    parser.add_argument("n", type=int, nargs="?", help="vertices of the graph")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    parser.add_argument("--table", action="store_true", help="every search at every size")
    parser.add_argument("--searches", nargs="*", default=TOLD, choices=SEARCHES)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--out", type=Path, help="folder for peaks.csv")
    options = parser.parse_args()
    if options.table:
        rows = [
            {"n": n, "search": name, **peak_memory(name, n, options.cache)}
            for n in options.sizes
            for name in options.searches
        ]
        table = pd.DataFrame(rows).round(3)
        print(table.to_string(index=False))
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            table.to_csv(options.out / "peaks.csv", index=False)
        return
    if options.search is None or options.n is None:
        parser.error("give a search and a number of vertices, or --table")
    print(json.dumps(measured(options.search, options.n, options.cache)))


if __name__ == "__main__":
    main()
