"""Peak memory of one search, in a process of its own.

python benchmarks/memory.py fit 100000 --cache build/bench
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from sentree import Graph
from sentree.search.kernels import merge, stretch
from shared import blob_graph, fitted

SEARCHES = {"merge": merge, "stretch": stretch, "fit": fitted}


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
    parser.add_argument("search", choices=SEARCHES)
    parser.add_argument("n", type=int, help="vertices of the graph")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    options = parser.parse_args()
    print(json.dumps(measured(options.search, options.n, options.cache)))


if __name__ == "__main__":
    main()
