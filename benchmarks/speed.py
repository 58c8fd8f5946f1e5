"""Speed and memory of the kernels, as ratios against peers in the same run.

Absolute seconds on a shared machine mean little; read the ratios and the exponents. Each figure is
the least CPU time of ``--repeats`` runs, one thread.

    python benchmarks/speed.py                     # a few minutes
    python benchmarks/speed.py --largest 1000000   # with the graph of a million vertices
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from sentree import Graph, datasets, knn_graph, paper_neighbors
from sentree.affinity import PAPER_PRESETS, build_affinity
from sentree.optimise import compress, merge, move, multilevel, stretch

#: CPU seconds of the authors' program for one run on 10X_PBMC with pairs, measured elsewhere on an
#: idle core of this kind of machine; the program is not part of this repository.
AUTHORS_PBMC = 35.0


def least(function, repeats):
    """Return the least CPU time of several calls, and the last result."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return best, result


def blob_graph(n, folder):
    """The 10-nearest-neighbour graph of 8-dimensional blobs, kept on disk between calls."""
    path = folder / f"blobs-{n}.npz"
    if not path.exists():
        X, _ = make_blobs(n, 8, centers=50, random_state=0)
        graph = knn_graph(X, 10)
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, indptr=graph.indptr, indices=graph.indices, weights=graph.weights)
    arrays = np.load(path)
    return Graph(arrays["indptr"], arrays["indices"], arrays["weights"])


def csr_bytes(graph):
    return sum(a.nbytes for a in (graph.indptr, graph.indices, graph.weights, graph.degree))


def paper_run(repeats):
    """The whole paper-mode run on 10X_PBMC with pairs: graph, closure, merging, moving."""
    try:
        X, y = datasets.load_paper("10X_PBMC")
    except FileNotFoundError as error:
        print(f"skipping 10X_PBMC: {error}")
        return []
    n, k = len(y), 8
    given = datasets.sample_pairs(y, 0.2, 0.2, random_state=0)
    settings = PAPER_PRESETS["paper-cosine"]

    def make_graph():
        return build_affinity(X, paper_neighbors(n, k), **settings)

    graph_time, (graph, similarity, _) = least(make_graph, repeats)

    def after_graph():
        relation = given.relation(n, similarity)
        merged = merge(graph, relation, must_link_first=True)
        return move(graph, merged.labels, relation)

    rest_time, _ = least(after_graph, repeats)
    from sklearn.cluster import SpectralClustering

    peer = SpectralClustering(k, affinity="precomputed", random_state=0, assign_labels="cluster_qr")
    peer_time, _ = least(lambda: peer.fit(graph.to_scipy()), repeats)
    total = graph_time + rest_time
    authors = f"authors' program ({AUTHORS_PBMC:.0f} s elsewhere)"
    return [
        row("10X_PBMC pairs, whole run", n, graph.n_edges, total, authors, AUTHORS_PBMC),
        row("10X_PBMC pairs, after the graph", n, graph.n_edges, rest_time, authors, AUTHORS_PBMC),
        row(
            "10X_PBMC pairs, after the graph",
            n,
            graph.n_edges,
            rest_time,
            "scikit-learn SpectralClustering, same graph",
            peer_time,
        ),
    ]


def row(task, n, edges, seconds, peer, peer_seconds):
    return {
        "task": task,
        "n": n,
        "edges": edges,
        "seconds": round(seconds, 4),
        "peer": peer,
        "peer_seconds": round(peer_seconds, 4),
        "share_of_peer": round(seconds / peer_seconds, 5),
        "times_faster": round(peer_seconds / seconds, 1),
    }


def against_paris(graph, repeats):
    """Merging and stretching against scikit-network's Paris on the same graph."""
    try:
        from sknetwork.hierarchy import Paris
    except ImportError:
        print("skipping Paris: install the extra 'compare'")
        return []
    peer = "scikit-network Paris"
    paris_time, _ = least(lambda: Paris().fit(sp.csr_matrix(graph.to_scipy())), 1)
    merge_time, _ = least(lambda: merge(graph), repeats)
    stretch_time, binary = least(lambda: stretch(graph), repeats)
    compress_time, _ = least(lambda: compress(binary.tree, 2), repeats)
    round_time, _ = least(lambda: multilevel(graph, max_rounds=1), repeats)
    named = (
        ("merge", merge_time),
        ("stretch", stretch_time),
        ("compress", compress_time),
        ("multilevel, one round", round_time),
    )
    return [row(name, graph.n, graph.n_edges, t, peer, paris_time) for name, t in named]


def growth(sizes, folder):
    """Time of merge and stretch by size, and the exponent of growth between neighbours."""
    rows, before = [], {}
    for n in sizes:
        graph = blob_graph(n, folder)
        for name, search in (("merge", merge), ("stretch", stretch)):
            seconds, _ = least(lambda search=search, graph=graph: search(graph), 1)
            exponent = np.nan
            if name in before:
                n0, t0 = before[name]
                exponent = np.log(seconds / t0) / np.log(n / n0)
            before[name] = (n, seconds)
            memory = peak_memory(name, n, folder)
            rows.append(
                {
                    "task": name,
                    "n": n,
                    "edges": graph.n_edges,
                    "seconds": round(seconds, 3),
                    "exponent": round(exponent, 2),
                    "csr_mb": round(csr_bytes(graph) / 1e6, 1),
                    "peak_over_csr": round(memory, 2),
                }
            )
            print(pd.DataFrame(rows[-1:]).to_string(index=False), flush=True)
    return rows


def peak_memory(name, n, folder):
    """Peak memory of one search in a fresh process, the graph's own arrays included, over CSR."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory-of", name, "--largest", str(n), "--cache", folder],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.strip().splitlines()[-1])


def print_peak_memory(name, n, folder):
    graph = blob_graph(n, folder)
    search = {"merge": merge, "stretch": stretch}[name]
    search(Graph.from_edges([(0, 1), (1, 2)]))  # load what loads lazily
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    before -= csr_bytes(graph)
    # The high-water mark restarts here, so that making the graph does not count.
    Path("/proc/self/clear_refs").write_text("5")
    search(graph)
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    print((int(line.split()[1]) * 1024 - before) / csr_bytes(graph))


def manifest():
    names = ("numpy", "scipy", "scikit-learn", "scikit-network", "sentree")
    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except ImportError:
            versions[name] = None
    return {
        "python": platform.python_version(),
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "versions": versions,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100_000, help="vertices of the last graph")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="folder for speed.csv, growth.csv, speed.json")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    parser.add_argument("--memory-of", choices=["merge", "stretch"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print_peak_memory(options.memory_of, options.largest, options.cache)
        return
    rows = paper_run(options.repeats)
    rows += against_paris(blob_graph(100_000, options.cache), options.repeats)
    ratios = pd.DataFrame(rows)
    print(ratios.to_string(index=False), "\n", flush=True)
    sizes = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= options.largest]
    grown = pd.DataFrame(growth(sizes, options.cache))
    for name, part in grown.groupby("task"):
        slope = np.polyfit(np.log(part["n"]), np.log(part["seconds"]), 1)[0]
        print(f"{name}: time grows with n^{slope:.2f}")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        ratios.to_csv(options.out / "speed.csv", index=False)
        grown.to_csv(options.out / "growth.csv", index=False)
        (options.out / "speed.json").write_text(json.dumps(manifest(), indent=2) + "\n")


if __name__ == "__main__":
    main()
