"""Partitions."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import (
    Graph,
    SSEPartition,
)
from sentree.search.objective import partition_objective


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, 4, centers=4, cluster_std=0.8, random_state=0)


def test_partition_finds_blobs_exactly(blobs):
    X, y = blobs
    model = SSEPartition(n_clusters=4).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.objective_ == partition_objective(model.graph_, model.labels_).value


def test_too_few_parts_for_n_clusters_is_said():
    graph = Graph.from_edges([(0, 1), (2, 3), (4, 5)])
    with pytest.warns(UserWarning, match="3 parts that do not touch"):
        model = SSEPartition(n_clusters=2, affinity="precomputed").fit(graph)
    assert model.n_clusters_ == 2


def test_one_class_gives_must_links_only(blobs):
    X, y = blobs
    known = np.where(y == 0, 0, -1)
    model = SSEPartition().fit(X, known)
    assert len(set(model.labels_[y == 0].tolist())) == 1


def test_clusters_are_named_after_most_of_their_labelled_samples():
    X = np.repeat([[0.0], [10.0], [20.0]], 20, axis=0) + np.linspace(0, 1, 60)[:, None]
    known = np.full(60, None, dtype=object)
    known[[3, 4, 5]] = "a", "b", "a"
    known[[50, 51]] = "c", "b"  # as many of each: the first
    model = SSEPartition(n_clusters=3, penalty=0.0).fit(X, known)
    expected = [None] * 3
    expected[model.labels_[0]], expected[model.labels_[50]] = "a", "c"
    assert model.cluster_names_ == tuple(expected)
    assert SSEPartition(n_clusters=3).fit(X).cluster_names_ == (None, None, None)
