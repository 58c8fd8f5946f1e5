"""What measurements share: graphs for speed and memory, how a call is timed, noise given away."""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from sentree import Graph, SSEPartition, knn_graph

#: Clusters in the graphs.
BLOBS = 50


def least(function, repeats=1, clock=time.process_time):
    """Return the least time of several calls, CPU time by default, and the last result."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = clock()
        result = function()
        best = min(best, clock() - start)
    return best, result


def timed(search, *arguments):
    """Return the result of a call, and its CPU time."""
    start = time.process_time()
    return search(*arguments), time.process_time() - start


def blobs(n, spread=1.0):
    return make_blobs(n, 8, centers=BLOBS, cluster_std=spread, random_state=0)


def blob_graph(n, folder, spread=1.0):
    """The 10-nearest-neighbour graph of 8-dimensional blobs, kept on disk between calls."""
    path = folder / (f"blobs-{n}.npz" if spread == 1 else f"blobs-{n}-spread-{spread}.npz")
    if not path.exists():
        graph = knn_graph(blobs(n, spread)[0], 10)
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, indptr=graph.indptr, indices=graph.indices, weights=graph.weights)
    arrays = np.load(path)
    return Graph(arrays["indptr"], arrays["indices"], arrays["weights"])


def fitted(graph, y=None, **settings):
    return SSEPartition(affinity="precomputed", **settings).fit(graph, y).labels_


def nearest_label(X, labels):
    """Give noise, which is labelled -1, the label of its nearest row that has one."""
    known = labels >= 0
    if known.all() or not known.any():
        return labels
    nearest = NearestNeighbors(n_neighbors=1).fit(X[known])
    labels = labels.copy()
    labels[~known] = labels[known][nearest.kneighbors(X[~known], return_distance=False)[:, 0]]
    return labels
