"""The search for neighbours beside other programs, each as fast as it can at the same recall.

Blobs of 20 and 50 dimensions, apart and overlapping, 10 neighbours of every sample. A program has
settings from fast to thorough, and is told with the first that finds 95 % of the true neighbours of
1000 samples, or with the last. Only that setting's time counts, not the choice, which ours has to
make by itself. The time is from samples to the arrays of neighbours; a program that compiles itself
has done so.

Wall-clock and CPU seconds and the most memory of the process, on 1 and 2 threads. Every program
runs in a process of its own and is ended after ``--timeout`` seconds, which has the choice in it.

    python benchmarks/neighbors_peers.py --out benchmarks/results
    python benchmarks/neighbors_peers.py --sizes 100000 1000000
"""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

from alone import Clock, alone, tell, versions, write
from speed import manifest

NEIGHBORS = 10
WANTED = 0.95
SIZES = [100_000, 1_000_000]
DIMENSIONS = [20, 50]
KINDS = {
    "apart": {"cluster_std": 1.0, "center_box": (-10.0, 10.0)},
    "overlapping": {"cluster_std": 4.0, "center_box": (-5.0, 5.0)},
}


def samples(kind, n, d):
    X, _ = make_blobs(n, d, centers=100, random_state=0, **KINDS[kind])
    return np.ascontiguousarray(X, dtype=np.float32)


def truth(X, path):
    """Some rows, and their neighbours by brute force; kept on disk."""
    if not path.exists():
        import faiss

        rows = np.sort(np.random.default_rng(0).choice(len(X), min(len(X), 1000), replace=False))
        index = faiss.IndexFlatL2(X.shape[1])
        index.add(X)
        found = index.search(X[rows], NEIGHBORS + 1)[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, rows=rows, columns=others(rows, found))
    stored = np.load(path)
    return stored["rows"], stored["columns"]


def others(rows, columns):
    """Leave each row itself out of its neighbours, or the farthest where it is not among them."""
    own = columns == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return columns[~own].reshape(len(rows), -1)[:, :NEIGHBORS]


def recall(columns, found):
    """Share of the true neighbours that were found, row by row."""
    pairs = zip(columns, found, strict=True)
    return float(np.mean([np.isin(true, some).mean() for true, some in pairs]))


# Programs take the samples, rows to try settings on and the true neighbours of these. They return
# what their setting is called, their clock, and the neighbours of all samples.


def sentree_search(X, threads, rows, columns):
    """KNNTransformer as it comes."""
    from sentree import KNNTransformer

    with Clock() as clock:
        matrix = KNNTransformer(NEIGHBORS, n_jobs=threads).fit_transform(X)
    return "as it comes", clock, matrix.indices.reshape(len(X), -1)


def sentree_graph(X, threads, rows, columns):
    """knn_graph as it comes: neighbours, weights and the graph of both directions."""
    from sentree import knn_graph

    with Clock() as clock:
        graph = knn_graph(X, NEIGHBORS, n_jobs=threads)
    found = {i: graph.indices[graph.indptr[i] : graph.indptr[i + 1]] for i in rows}
    return "as it comes, weights and graph too", clock, found


def faiss_cells(X, threads, rows, columns):
    """An inverted file of 4 sqrt(n) cells, as the guide of faiss has it."""
    import faiss

    cells = 4 * math.isqrt(len(X))
    with Clock() as clock:
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], cells)
        index.train(X)
        index.add(X)
    for probes in (2, 4, 8, 16, 32, 64, 128, 256):
        index.nprobe = probes
        if recall(columns, index.search(X[rows], NEIGHBORS + 1)[1]) >= WANTED:
            break
    with clock:
        found = index.search(X, NEIGHBORS + 1)[1]
    return f"{cells} cells, {probes} probes", clock, found


def faiss_layers(X, threads, rows, columns):
    """A hierarchical navigable small world of 16 links."""
    import faiss

    with Clock() as clock:
        index = faiss.IndexHNSWFlat(X.shape[1], 16)
        index.hnsw.efConstruction = 64
        index.add(X)
    for effort in (16, 32, 64, 128, 256):
        index.hnsw.efSearch = effort
        if recall(columns, index.search(X[rows], NEIGHBORS + 1)[1]) >= WANTED:
            break
    with clock:
        found = index.search(X, NEIGHBORS + 1)[1]
    return f"M 16, efConstruction 64, efSearch {effort}", clock, found


def pynndescent(X, threads, rows, columns):
    """NNDescent's own graph; to ask for more neighbours is its way to more recall."""
    from pynndescent import NNDescent

    fixed = {"n_jobs": threads, "random_state": 0}
    for count in (NEIGHBORS + 1, 15, 20, 30):
        _ = NNDescent(X[:5000], n_neighbors=count, **fixed).neighbor_graph  # it compiles itself
        with Clock() as clock:
            found = NNDescent(X, n_neighbors=count, **fixed).neighbor_graph[0]
        if recall(columns, others(rows, found[rows])) >= WANTED:
            break
    return f"n_neighbors {count}", clock, found


def pipnn(X, threads, rows, columns):
    """PiPNN with its defaults, and with more rounds."""
    from pipnn import self_knn_graph

    for runs in (1, 2, 3, 5):
        with Clock() as clock:
            found = self_knn_graph(X, NEIGHBORS, runs=runs, n_jobs=threads)[0]
        if recall(columns, found[rows]) >= WANTED:
            break
    return f"runs {runs}", clock, found


PROGRAMS = {
    "sentree KNNTransformer": sentree_search,
    "sentree knn_graph": sentree_graph,
    "faiss IVF": faiss_cells,
    "faiss HNSW": faiss_layers,
    "pynndescent": pynndescent,
    "pipnn": pipnn,
}
OURS = "sentree KNNTransformer"


def measure_one(program, kind, n, d, threads, cache):
    """Measure one program, and tell."""
    X = samples(kind, n, d)
    rows, columns = truth(X, cache / f"neighbors-{kind}-{n}-{d}.npz")
    setting, clock, found = PROGRAMS[program](X, threads, rows, columns)
    share = recall(columns, [found[i] for i in rows])
    tell(setting=setting, **clock.told(), recall=round(share, 4))


def measure(options, record):
    """Return a row for each program, data set and number of threads, kept as they come."""
    rows = []
    for n, d, kind, threads in itertools.product(
        options.sizes, options.dimensions, options.kinds, options.threads
    ):
        case, ours = {"n": n, "d": d, "kind": kind, "threads": threads}, {}
        for program in options.programs:
            found = alone(
                *(__file__, "--one", program, "--kinds", kind, "--sizes", n),
                *("--dimensions", d, "--cache", options.cache),
                threads=threads,
                timeout=options.timeout,
            )
            ours = found if program == OURS else ours
            ratios = {
                f"ours_over_its_{name}": round(ours[name] / found[name], 3)
                for name in ("seconds", "cpu_seconds")
                if name in ours and name in found
            }
            rows.append({**case, "program": program, **found, **ratios})
            print(rows[-1], flush=True)
            table = write(rows, record, options.out, "neighbors_peers")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--dimensions", type=int, nargs="+", default=DIMENSIONS)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for each program")
    parser.add_argument("--out", type=Path, help="folder for neighbors_peers.csv and .json")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the truth")
    parser.add_argument("--one", choices=PROGRAMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        [n], [d], [kind], [threads] = (
            options.sizes,
            options.dimensions,
            options.kinds,
            options.threads,
        )
        measure_one(options.one, kind, n, d, threads, options.cache)
        return
    record = manifest() | {"rivals": versions("faiss-cpu", "pynndescent", "pipnn")}
    print(measure(options, record).to_string(index=False))


if __name__ == "__main__":
    main()
