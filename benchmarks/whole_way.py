"""From features to clusters: sentree beside scanpy's neighbours and Leiden, in the same run.

Blobs of 20 dimensions, apart and overlapping. scanpy as its tutorial has it: ``pp.neighbors`` with
15 neighbours (pynndescent beyond some thousand samples, and UMAP's weights) and ``tl.leiden`` of
igraph with two iterations. It has compiled itself on a small set before the clock runs. sentree as
it comes. Wall-clock and CPU seconds and the most memory, on 1 and 2 threads; each program in a
process of its own, ended after ``--timeout`` seconds.

    python benchmarks/whole_way.py --out benchmarks/results
    python benchmarks/whole_way.py --sizes 100000
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from alone import Clock, alone, tell, versions, write
from neighbors_peers import KINDS
from speed import manifest

SIZES = [100_000, 1_000_000]
FEATURES = 20
CENTERS = 50
OURS = "sentree"


def samples(kind, n):
    X, y = make_blobs(n, FEATURES, centers=CENTERS, random_state=0, **KINDS[kind])
    return X.astype(np.float32), y


def sentree(X, threads):
    """A whole fit: neighbours, graph, clusters, their number."""
    from sentree import SSEPartition

    with Clock() as clock:
        labels = SSEPartition(n_jobs=threads).fit(X).labels_
    return clock, labels


def scanpy(X, threads):
    """Neighbours and Leiden as recommended."""
    import anndata
    import scanpy as sc

    sc.settings.n_jobs = threads
    if not hasattr(sp.csr_array, "getnnz"):  # scanpy 1.11 asks the matrix of pynndescent 0.7 for it
        sp.csr_array.getnnz = sp.csr_array._getnnz

    def run(samples):
        adata = anndata.AnnData(samples)
        sc.pp.neighbors(adata, n_neighbors=15, use_rep="X")
        sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)
        return adata.obs["leiden"].cat.codes.to_numpy()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(X[:: max(1, len(X) // 6000)])  # it compiles itself
        with Clock() as clock:
            labels = run(X)
    return clock, labels


PROGRAMS = {OURS: sentree, "scanpy neighbours + Leiden": scanpy}


def measure_one(program, kind, n, threads):
    """Measure one program, and tell."""
    X, y = samples(kind, n)
    clock, labels = PROGRAMS[program](X, threads)
    found = {"clusters": len(np.unique(labels)), "ari": round(adjusted_rand_score(y, labels), 4)}
    tell(**clock.told(), **found)


def measure(options, record):
    """Return a row for each program, data set and number of threads, kept as they come."""
    rows = []
    for n, kind, threads in itertools.product(options.sizes, options.kinds, options.threads):
        ours = {}
        for program in PROGRAMS:
            found = alone(
                *(__file__, "--one", program, "--kinds", kind, "--sizes", n),
                threads=threads,
                timeout=options.timeout,
            )
            ours = found if program == OURS else ours
            ratios = {
                f"ours_over_its_{name}": round(ours[name] / found[name], 3)
                for name in ("seconds", "cpu_seconds")
                if name in ours and name in found
            }
            case = {"n": n, "d": FEATURES, "kind": kind, "threads": threads}
            rows.append({**case, "program": program, **found, **ratios})
            print(rows[-1], flush=True)
            table = write(rows, record, options.out, "whole_way")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for each program")
    parser.add_argument("--out", type=Path, help="folder for whole_way.csv and whole_way.json")
    parser.add_argument("--one", choices=PROGRAMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        [n], [kind], [threads] = options.sizes, options.kinds, options.threads
        measure_one(options.one, kind, n, threads)
        return
    record = manifest() | {"rivals": versions("scanpy", "igraph", "pynndescent", "umap-learn")}
    print(measure(options, record).to_string(index=False))


if __name__ == "__main__":
    main()
