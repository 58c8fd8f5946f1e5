"""Probabilities of clusters against dense walks, and new samples against the objective."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reference import random_problem, slow_assign, slow_walks
from sentree import Graph, SSEHierarchy, SSEPartition, load
from sentree.estimators import membership as walking
from sentree.estimators.membership import (
    Certainty,
    Hidden,
    Memberships,
    membership,
    second_best,
)
from sentree.estimators.placement import Modules
from sentree.graph.build import build_affinity
from sentree.graph.extend import Reach

BOTH = [SSEPartition, SSEHierarchy]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, 4, centers=4, cluster_std=0.8, random_state=0)


def reach(weights, own=0.0):
    weights = np.atleast_2d(weights)
    m = len(weights)
    return Reach(sp.csr_array(weights), np.full(m, -1), np.full(m, own))


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 12),
    k=st.integers(1, 5),
    steps=st.sampled_from([0.0, 0.4, 1.0, 2.0, 2.5, 5.0]),
    own_weight=st.booleans(),
)
def test_membership_is_where_walks_end(seed, n, k, steps, own_weight):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n, own_weight=own_weight)
    labels = np.unique(rng.integers(k, size=n), return_inverse=True)[1]
    found = membership(graph, labels, steps).toarray()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found, slow_walks(dense, labels, steps), atol=0.01)
    other, share = second_best(membership(graph, labels, steps), labels)
    found[np.arange(n), labels] = 0.0
    np.testing.assert_array_equal(share, found.max(axis=1))
    np.testing.assert_array_equal(other, np.where(share > 0, found.argmax(axis=1), -1))


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 12),
    k=st.integers(1, 5),
    own=st.sampled_from([0.0, 1.0]),
)
def test_a_new_vertex_goes_where_the_objective_is_lowest(seed, n, k, own):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n, own_weight=bool(own))
    labels = np.unique(rng.integers(k, size=n), return_inverse=True)[1].astype(np.int32)
    weights = rng.uniform(0.1, 5.0, size=(4, n)) * (rng.random((4, n)) < 0.4)
    weights[:, 0] += 0.1  # touches something
    assigned = Modules.of(graph, labels).assign(reach(weights, own))
    for row, label in zip(weights, assigned, strict=True):
        best, values = slow_assign(dense, labels.tolist(), row, own)
        assert values[int(label)] == pytest.approx(values[best], abs=1e-12)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 12),
    steps=st.sampled_from([1.0, 1.5, 3.0]),
    power=st.sampled_from([1.0, 3.0]),
)
def test_new_samples_walk_from_their_neighbours(seed, n, steps, power):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n)
    labels = np.unique(rng.integers(3, size=n), return_inverse=True)[1].astype(np.int32)
    weights = rng.uniform(0.1, 5.0, size=(4, n)) * (rng.random((4, n)) < 0.6)
    weights[3] = 0.0
    joined = reach(weights)
    placed = Modules.of(graph, labels).assign(joined)
    sizes = np.bincount(labels)
    shorter = slow_walks(dense, labels, steps - 1)
    certainty = Certainty(steps, power, sp.csr_array(shorter))
    found = certainty.of_new(joined, placed, sizes)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(found.argmax(axis=1), placed)
    for row, own, joint in zip(found, placed, weights, strict=True):
        if joint.sum() == 0:
            expected = sizes / n
        else:
            expected = (joint @ shorter / joint.sum()) ** power
            expected /= expected.sum()
        expected = np.minimum(expected, max(expected[own], 1e-3))
        expected[own] = max(expected[own], 1e-3)
        np.testing.assert_allclose(row, expected / expected.sum(), atol=0.01)


def test_membership_of_plain_cases():
    two_parts = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)], n=6)
    apart = np.array([0, 0, 0, 1, 1, 2])
    np.testing.assert_array_equal(membership(two_parts, apart, 9).toarray(), np.eye(3)[apart])
    split = membership(two_parts, np.array([0, 0, 1, 2, 2, 2]), 1).toarray()
    np.testing.assert_array_equal(split[:3], [[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0]])


def test_walks_are_as_long_as_hidden_labels_say():
    X, _ = make_blobs(600, 2, centers=[[0, 0], [2, 0]], random_state=0)
    model = SSEPartition(2).fit(X)
    graph, labels = model.graph_, model.labels_
    mean = {}
    for found in (1.0, 0.99, 0.9, 0.8, 0.0):
        certainty = Certainty.of(graph, labels, Hidden(10**6, found))
        rows = certainty.of_samples(graph).toarray()
        mean[found] = rows[np.arange(600), labels].mean()
    for found in (0.99, 0.9, 0.8):
        assert mean[found] == pytest.approx(found, abs=0.002)
    assert 0.99 < mean[1.0] < 1  # there is a highest power, and samples that suit another cluster
    assert 0.5 < mean[0.0] < 0.8  # walks have a longest length
    usual = Certainty.of(graph, labels)
    few = Certainty.of(graph, labels, Hidden(5, 1.0))
    assert 1 <= few.steps < usual.steps == Certainty.of(graph, labels, Hidden(0, 0.0)).steps


@pytest.mark.parametrize("labels", [None, 30])
def test_large_graphs_are_walked_range_by_range(blobs, labels, monkeypatch):
    X, y = blobs
    X = X + np.random.default_rng(0).normal(0, 3.0, X.shape)  # clusters that overlap
    known = None if labels is None else np.where(np.arange(y.size) % (y.size // labels), -1, y)
    model = SSEPartition(4).fit(X, known)
    graph = model.graph_.with_isolated([0.0, 0.0])
    clusters = np.concatenate((model.labels_, [0, 1]))
    whole = Memberships(graph, clusters, model._hidden())
    expected, strength = whole.of_samples, whole.strength
    monkeypatch.setattr(walking, "_WHOLE", 500)
    parts = Memberships(graph, clusters, model._hidden())
    np.testing.assert_allclose(parts.strength, strength, atol=1e-12)
    np.testing.assert_allclose(parts.of_samples.toarray(), expected.toarray(), atol=1e-12)
    assert parts.certainty.steps == pytest.approx(whole.certainty.steps)
    assert (strength[-2:] == 0).all()


def test_tiny_weights_lose_no_digits():
    rng = np.random.default_rng(0)
    graph, *_ = random_problem(rng, 60, density=0.3)
    labels = np.arange(60, dtype=np.int32) % 5
    weights = rng.random((40, 60)) * (rng.random((40, 60)) < 0.3)
    modules, certainty = Modules.of(graph, labels), Certainty.of(graph, labels)
    small, tiny = (reach(weights * scale) for scale in (1e-9, 1e-200))
    placed = modules.assign(small)
    np.testing.assert_array_equal(placed, modules.assign(tiny))
    found = [certainty.of_new(one, placed, np.bincount(labels)) for one in (small, tiny)]
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_ties_go_to_the_smaller_module():
    graph = Graph.from_edges([(0, 1), (2, 3)])
    modules = Modules.of(graph, np.array([1, 1, 0, 0], np.int32))
    assert modules.assign(reach([1.0, 0, 1, 0])).tolist() == [0]


def test_what_touches_nothing_goes_to_the_nearest_or_the_largest():
    graph = Graph.from_edges([(0, 1), (2, 3), (3, 4)])
    modules = Modules.of(graph, np.array([0, 0, 1, 1, 1], np.int32))
    nothing = Reach(sp.csr_array((2, 5)), np.array([0, -1]), np.zeros(2))
    assert modules.assign(nothing).tolist() == [0, 1]
    with pytest.raises(ValueError, match="3 labels for a graph of 5 vertices"):
        Modules.of(graph, np.zeros(3, np.int32))


@pytest.mark.parametrize("seed", range(3))
def test_misplaced_samples_are_weaker(seed):
    X, y = make_blobs(600, 4, centers=5, cluster_std=2.5, random_state=seed)
    model = SSEPartition(n_clusters=5).fit(X)
    majority = np.array([np.bincount(y[model.labels_ == c]).argmax() for c in range(5)])
    right = majority[model.labels_] == y
    strength = model.membership_strength_
    assert strength.min() >= 0
    assert strength.max() <= 1
    assert roc_auc_score(right, strength) > 0.8


@pytest.mark.parametrize("estimator", BOTH)
def test_training_samples_keep_their_clusters(estimator, blobs):
    X, _ = blobs
    model = estimator(n_clusters=4).fit(X)
    labels, strength = model.predict(X, return_strength=True)
    np.testing.assert_array_equal(labels, model.labels_)
    assert labels.dtype == model.labels_.dtype
    assert strength.shape == (300,)
    assert strength.min() > 0.5
    iris = load_iris().data
    model = estimator(n_clusters=3).fit(iris)
    assert np.mean(model.predict(iris) == model.labels_) > 0.98


@pytest.mark.parametrize("estimator", BOTH)
def test_probabilities_of_samples(estimator, blobs, tmp_path):
    X, y = make_blobs(400, 3, centers=4, cluster_std=2.0, random_state=1)
    known = np.where(np.arange(400) % 20 < 2, y, -1)
    model = estimator().fit(X[:300], known[:300])
    found = model.predict_proba(X[300:])
    assert found.shape == (100, model.n_clusters_)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    labels, strength = model.predict(X[300:], return_strength=True)
    np.testing.assert_array_equal(found.argmax(axis=1), labels)
    np.testing.assert_array_equal(found[np.arange(100), labels], strength)
    old = model.membership_
    np.testing.assert_allclose(old.sum(axis=1), 1)
    np.testing.assert_array_equal(
        old.toarray()[np.arange(300), model.labels_], model.membership_strength_
    )
    again = load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(again.predict_proba(X[300:]), found)
    np.testing.assert_array_equal(again.membership_.toarray(), old.toarray())
    threads = estimator(n_jobs=2).fit(X[:300], known[:300])
    np.testing.assert_array_equal(threads.predict_proba(X[300:]), found)


@pytest.mark.parametrize(("d", "apart"), [(2, 2.5), (10, 3.5)])
def test_probabilities_come_true(d, apart):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1500)
    X = rng.normal(size=(1500, d))
    X[:, 0] += apart * y
    known = np.where(np.arange(1500) % 15 == 0, y, -1)[:1000]
    model = SSEPartition().fit(X[:1000], known)
    right = np.array(model.cluster_names_)[model.predict(X[1000:])] == y[1000:]
    told = model.predict_proba(X[1000:]).max(axis=1)
    assert abs(told.mean() - right.mean()) < 0.06
    unsure = told < 0.8
    assert right[unsure].mean() < 0.85 < 0.9 < right[~unsure].mean()


@pytest.mark.parametrize("affinity", ["auto", "gaussian", "cosine", "correlation", "binary"])
def test_held_out_samples_find_their_clusters(affinity, blobs):
    X, y = blobs
    old = np.arange(300) < 240
    model = SSEPartition(n_clusters=4, affinity=affinity, n_neighbors=10).fit(X[old], y[old])
    assert adjusted_rand_score(y[~old], model.predict(X[~old])) > 0.95


def test_far_and_silent_samples_go_somewhere(blobs):
    X, _ = blobs
    model = SSEPartition(n_clusters=4, affinity="gaussian").fit(X)
    far = X[[5]] + 1e4 * (X[[5]] - X.mean(axis=0))
    labels, strength = model.predict(far, return_strength=True)
    space = np.vstack((far, X))
    nearest = np.linalg.norm(space[1:] - space[0], axis=1).argmin()
    assert labels.tolist() == [model.labels_[nearest]]
    assert strength.tolist() == [0.0]
    model = SSEPartition(n_clusters=4, affinity="cosine").fit(X)
    labels, strength = model.predict(np.vstack((X[:2], np.zeros((1, 4)))), return_strength=True)
    assert labels[2] == np.bincount(model.labels_).argmax()
    assert strength[2] == 0.0 < strength[0]
    huge = np.array([[1e150, -1e150, 0, 0]])
    assert SSEPartition(n_clusters=4).fit(X * 1e-200).predict(huge).shape == (1,)


@pytest.mark.parametrize("estimator", BOTH)
def test_precomputed_similarities(estimator, blobs):
    X, _ = blobs
    similarity = np.exp(-cdist(X, X))
    old = np.arange(300) < 250
    model = estimator(n_clusters=4, affinity="precomputed").fit(similarity[np.ix_(old, old)])
    new = similarity[np.ix_(~old, old)]
    dense = similarity[np.ix_(old, old)] * (1 - np.eye(250))
    labels = model.predict(new)
    for row, label in zip(new[:5], labels, strict=False):
        assert label == slow_assign(dense, model.labels_.tolist(), row)[0]
    np.testing.assert_array_equal(labels, model.predict(sp.csr_matrix(new)))
    of_graph = estimator(n_clusters=4, affinity="precomputed").fit(model.graph_)
    np.testing.assert_array_equal(labels, of_graph.predict(new))
    with pytest.raises(ValueError, match="X has 50 features, but .* is expecting 250"):
        model.predict(similarity[np.ix_(~old, ~old)])
    bad = new.copy()
    bad[1, 3] = -1.0
    with pytest.raises(ValueError, match=r"row 1 to sample 3 is -1\.0; similarities must be >= 0"):
        model.predict(bad)
    with pytest.raises(TypeError, match="new samples x training samples"):
        model.predict(model.graph_)
    labels, strength = model.predict(np.zeros((1, 250)), return_strength=True)
    assert (int(labels[0]), strength[0]) == (np.bincount(model.labels_).argmax(), 0.0)


def test_precomputed_distances_and_transformers_equal_the_samples(blobs):
    X, _ = blobs
    old, new = X[:250], X[250:]
    expected = SSEPartition(4, affinity="gaussian", n_neighbors=10).fit(old)
    answer = expected.predict(new, return_strength=True)
    transformer = KNeighborsTransformer(n_neighbors=10)
    sparse = SSEPartition(4, affinity="precomputed_distances", n_neighbors=10)
    sparse.fit(transformer.fit_transform(old))
    dense = SSEPartition(4, affinity="precomputed_distances", n_neighbors=10).fit(cdist(old, old))
    by_transformer = SSEPartition(4, affinity="gaussian", n_neighbors=10, neighbors=transformer)
    others = [
        sparse.predict(transformer.transform(new), return_strength=True),
        dense.predict(cdist(new, old), return_strength=True),
        by_transformer.fit(old).predict(new, return_strength=True),
    ]
    for labels, strength in others:
        np.testing.assert_array_equal(labels, answer[0])
        np.testing.assert_allclose(strength, answer[1], atol=1e-9)
    with pytest.raises(ValueError, match="from 0 to 1 is -2"):
        sparse.predict(sp.csr_array(([-2.0], ([0], [1])), shape=(1, 250)))


def test_pipelines_predict(blobs):
    X, y = blobs
    pipeline = make_pipeline(
        StandardScaler(),
        KNeighborsTransformer(n_neighbors=10),
        SSEPartition(4, affinity="precomputed_distances"),
    )
    assert adjusted_rand_score(y[250:], pipeline.fit(X[:250]).predict(X[250:])) == 1


def test_a_function_as_affinity_cannot_predict(blobs):
    X, _ = blobs
    model = SSEPartition(affinity=lambda X: build_affinity(X).graph).fit(X)
    assert not hasattr(model, "predict")
    with pytest.raises(AttributeError) as caught:
        model.predict(X)
    assert "fit with affinity='precomputed'" in str(caught.value.__cause__)


def test_predict_needs_fit_and_the_same_features(blobs):
    X, _ = blobs
    with pytest.raises(NotFittedError):
        SSEPartition().predict(X)
    model = SSEPartition().fit(X)
    with pytest.raises(ValueError, match="X has 3 features, but SSEPartition is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match=r"NaN \(first at row 0, column 1\)"):
        model.predict([[1.0, np.nan, 0.0, 0.0]])
