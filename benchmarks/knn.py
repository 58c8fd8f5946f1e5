"""Time knn_graph and KNNTransformer against other searches, in the same run.

knn_graph beside a faiss inverted file called by hand, with the same number of cells and probes. The
time by hand is training, filling and searching, once with the training defaults of faiss and once
trained on as few samples as knn_graph trains on: the second ratio is free of that saving. The time
of knn_graph also has the choice of probes, exact weights, the graph and its checks.

KNNTransformer beside the transformers of scikit-learn (exact) and pynndescent (as scanpy sets it
up), each from samples to the sparse matrix. pynndescent compiles itself in the first repeat.

Recall is measured on 1000 queries. Prints a table; --out writes CSV.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import faiss
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_blobs
from sklearn.neighbors import KNeighborsTransformer

from sentree import KNNTransformer
from sentree.graph import index_search as search
from sentree.graph.build import knn_graph
from sentree.graph.exact_search import exact_neighbors
from sentree.graph.queries import Queries
from sentree.graph.spaces import make_space

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Row(NamedTuple):
    """One line of the result."""

    method: str
    seconds: float
    recall: float
    ratio: float  # of knn_graph, or KNNTransformer, to this method


def overlapping_blobs(n: int, d: int, seed: int) -> Floats:
    X, _ = make_blobs(n, d, centers=100, cluster_std=4.0, center_box=(-5.0, 5.0), random_state=seed)
    return np.ascontiguousarray(X, dtype=np.float64)


def by_hand(X: Floats, p: int, probes: int, seed: int, per_cell: int | None = None) -> Indices:
    """Neighbours as a user of faiss would find them; None trains with the defaults of faiss."""
    points = X.astype(np.float32)
    n, d = points.shape
    quantizer = faiss.IndexFlatL2(d)
    index = faiss.IndexIVFFlat(quantizer, d, max(1, math.isqrt(n)))
    index.cp.seed = seed
    if per_cell is not None:
        index.cp.max_points_per_centroid = per_cell
    index.train(points)
    index.add(points)
    index.nprobe = probes
    return np.asarray(index.search(points, p + 1)[1])


class Spy:
    """Keeps what the search inside knn_graph found, and how many probes it chose."""

    def __init__(self) -> None:
        self.index: Any = None
        self.columns: Indices = np.empty((0, 0), dtype=np.int64)

    def build(self, points: Any, seed: int) -> Any:
        """Stand in for the making of the index."""
        self.index = _inverted_file(points, seed)
        return self.index

    def order(self, space: Any, queries: Any, columns: Indices) -> Any:
        """Stand in for what follows the search."""
        self.columns = columns
        return _regular(space, queries, columns)


_inverted_file, _regular = search._inverted_file, search._regular


def recall(X: Floats, columns: Indices, p: int, rows: Indices) -> float:
    """Share of the true p neighbours of some samples that were found."""
    space = make_space(X, "euclidean")
    truth = exact_neighbors(space, p, Queries(space.take(rows), rows))
    expected = truth.indices[truth.indptr[:-1, None] + np.arange(p)]
    hits = (columns[rows][:, :, None] == expected[:, None, :]).any(axis=1)
    return float(hits.mean())


def transformers(n: int, p: int, seed: int) -> dict[str, Any]:
    """Return transformers to sparse matrices of distances, ours last."""
    from pynndescent import PyNNDescentTransformer

    return {
        "scikit-learn": KNeighborsTransformer(n_neighbors=p, n_jobs=-1),
        "pynndescent": PyNNDescentTransformer(
            n_neighbors=p + 1,  # it counts the sample itself
            n_trees=min(64, 5 + round(n**0.5 / 20)),
            n_iters=max(5, round(math.log2(n))),
            n_jobs=-1,
            random_state=seed,
        ),
        "KNNTransformer": KNNTransformer(p, n_jobs=-1, random_state=seed),
    }


def neighbors_of(matrix: Any, p: int) -> Indices:
    """Return the columns of a matrix of distances, the sample itself aside."""
    columns = np.asarray(matrix.indices).reshape(matrix.shape[0], -1)
    own = columns == np.arange(matrix.shape[0])[:, None]
    own[~own.any(axis=1), -1] = True
    return columns[~own].reshape(matrix.shape[0], -1)[:, :p]


def measure_transformers(X: Floats, p: int, repeats: int, seed: int, rows: Indices) -> list[Row]:
    seconds: dict[str, float] = {}
    found = {}
    for _ in range(repeats):
        for name, model in transformers(len(X), p, seed).items():
            spent, matrix = timed(partial(model.fit_transform, X))
            seconds[name] = min(seconds.get(name, math.inf), spent)
            found[name] = neighbors_of(matrix, p)
    return [
        Row(name, spent, recall(X, found[name], p, rows), seconds["KNNTransformer"] / spent)
        for name, spent in seconds.items()
    ]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def measure(n: int, d: int, p: int, repeats: int, seed: int) -> tuple[list[Row], int]:
    X = overlapping_blobs(n, d, seed)
    spy = Spy()
    with mock.patch.multiple(search, _inverted_file=spy.build, _regular=spy.order):
        knn_graph(X, p, neighbors="faiss", random_state=seed)
    probes = spy.index.nprobe
    methods: dict[str, Callable[[], Any]] = {
        "faiss, its training": lambda: by_hand(X, p, probes, seed),
        "faiss, our training": lambda: by_hand(X, p, probes, seed, search.TRAINING_PER_CELL),
        "knn_graph": lambda: knn_graph(X, p, neighbors="faiss", random_state=seed),
    }
    seconds = dict.fromkeys(methods, math.inf)
    found = {}
    for _ in range(repeats):  # in turns, so that other load on the machine hits all
        for name, call in methods.items():
            spent, found[name] = timed(call)
            seconds[name] = min(seconds[name], spent)
    found["knn_graph"] = spy.columns
    rows = np.sort(np.random.default_rng(seed).choice(n, size=min(n, 1000), replace=False))
    return [
        Row(name, spent, recall(X, found[name], p, rows), seconds["knn_graph"] / spent)
        for name, spent in seconds.items()
    ] + measure_transformers(X, p, repeats, seed, rows), probes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=70_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--neighbors", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3, help="the fastest counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the table as CSV")
    options = parser.parse_args()
    table, probes = measure(
        options.samples, options.features, options.neighbors, options.repeats, options.seed
    )
    cells = math.isqrt(options.samples)
    print(
        f"{options.samples} x {options.features}, p = {options.neighbors}, "
        f"{cells} cells, {probes} probes"
    )
    print(f"{'method':<21}{'seconds':>9}{'recall':>9}{'ratio':>8}")
    for row in table:
        print(f"{row.method:<21}{row.seconds:>9.3f}{row.recall:>9.4f}{row.ratio:>8.3f}")
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*Row._fields, "samples", "features", "neighbors", "cells", "probes"])
            shape = [options.samples, options.features, options.neighbors, cells, probes]
            writer.writerows([*row, *shape] for row in table)


if __name__ == "__main__":
    main()
