"""How new samples join the graph."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from sentree import SSEPartition
from sentree.estimators import fitted
from sentree.graph.build import auto_settings, build_affinity


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, 4, centers=4, cluster_std=0.8, random_state=0)


@pytest.mark.parametrize("neighbors", ["exact", "faiss", "sklearn"])
@pytest.mark.parametrize("features", [4, 60])
def test_predictions_do_not_depend_on_batches(neighbors, features, monkeypatch):
    X, _ = make_blobs(400, features, centers=4, cluster_std=4.0, random_state=1)
    X[:, 0] *= 1000  # scaled by the range of the training samples
    model = SSEPartition(n_clusters=4, neighbors=neighbors).fit(X[:300])
    labels, strength = model.predict(X[300:], return_strength=True)
    alone = [model.predict(row[None], return_strength=True) for row in X[300:]]
    np.testing.assert_array_equal(labels, [int(part[0][0]) for part in alone])
    np.testing.assert_allclose(strength, [float(part[1][0]) for part in alone])
    np.testing.assert_array_equal(labels[::-1], model.predict(X[:299:-1]))
    monkeypatch.setattr(fitted, "_CHUNK", 7)
    np.testing.assert_array_equal(labels, model.predict(X[300:]))
    np.testing.assert_array_equal(labels, pickle.loads(pickle.dumps(model)).predict(X[300:]))


@pytest.mark.parametrize("features", [4, 60])
def test_new_samples_are_weighed_as_the_training_samples_are(features):
    X, _ = make_blobs(200, features, centers=4, cluster_std=3.0, random_state=2)
    old, new = X[:160], X[160:]
    arguments = auto_settings(old)
    found = build_affinity(old, 9, **arguments).extension.reach(new)
    low, spread = old.min(axis=0), np.ptp(old, axis=0) if features > 50 else old.std(axis=0)
    metric, rank = arguments["metric"], arguments["local_rank"]
    distance = cdist((new - low) / spread, (old - low) / spread, metric)
    inner = np.sort(cdist((old - low) / spread, (old - low) / spread, metric), axis=1)
    nearest = np.sort(distance, axis=1)
    kernel = np.exp(-(distance**2) / np.outer(nearest[:, rank - 1], inner[:, rank]))
    expected = np.where(distance <= nearest[:, [8]], kernel, 0.0)
    np.testing.assert_allclose(found.weights.toarray(), expected, rtol=1e-8, atol=1e-300)
    np.testing.assert_array_equal(found.nearest, distance.argmin(axis=1))


def test_features_constant_in_training_do_not_count(blobs):
    X, _ = blobs
    X = np.column_stack((X, np.full(300, 7.0)))
    model = SSEPartition(n_clusters=4, n_neighbors=10).fit(X[:200])
    changed = X[200:].copy()
    changed[:, -1] = -1e6
    for one, other in zip(
        model.predict(changed, return_strength=True),
        model.predict(X[200:], return_strength=True),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_sparse_and_dense_new_samples_are_the_same():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(150, 80)) * np.repeat(rng.random((3, 80)) < 0.3, 50, axis=0)
    X = X.astype(float)
    thin, thick = SSEPartition(3).fit(sp.csr_matrix(X)), SSEPartition(3).fit(X)
    for model in (thin, thick):
        np.testing.assert_array_equal(model.predict(X), model.predict(sp.csr_matrix(X)))
