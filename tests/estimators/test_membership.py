"""Strength of membership and new samples, against recomputation of the objective."""

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

from reference import placements, random_problem, slow_assign, slow_strength
from sentree import Graph, SSEHierarchy, SSEPartition
from sentree.estimators.membership import Modules, membership_strength, second_best
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
    own_weight=st.booleans(),
)
def test_strength_is_the_share_of_the_bids(seed, n, k, own_weight):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n, own_weight=own_weight)
    labels = rng.integers(k, size=n)
    strength = membership_strength(graph, labels)
    np.testing.assert_allclose(strength, slow_strength(dense, labels.tolist()), atol=1e-9)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), k=st.integers(1, 5))
def test_second_best_is_the_best_place_but_home(seed, n, k):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n)
    labels = rng.integers(k, size=n)
    labels = np.unique(labels, return_inverse=True)[1]
    other, share = second_best(graph, labels)
    strength = membership_strength(graph, labels)
    for i in range(n):
        values = placements(dense, labels.tolist(), i)
        touched = {int(labels[j]) for j in np.flatnonzero(dense[i]) if j != i} - {int(labels[i])}
        if not touched:
            assert (other[i], share[i]) == (-1, 0.0)
            continue
        assert values[other[i]] == pytest.approx(min(values[m] for m in touched), abs=1e-9)
        bits = (values[labels[i]] - values[other[i]]) * dense.sum() / dense[i].sum()
        assert share[i] == pytest.approx(strength[i] * 2.0**bits, rel=1e-6)


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
    for row, label, strength in zip(weights, *assigned, strict=True):
        best, values = slow_assign(dense, labels.tolist(), row, own)
        assert values[int(label)] == pytest.approx(values[best], abs=1e-12)
        degree = row.sum() + own
        total = dense.sum() + 2 * row.sum() + own
        bids = [2.0 ** ((values[best] - value) * total / degree) for value in values.values()]
        assert strength == pytest.approx(1 / sum(bids), abs=1e-9)


def test_strength_of_plain_cases():
    two_parts = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)], n=6)
    strength = membership_strength(two_parts, [5, 5, 5, 9, 9, 9])
    np.testing.assert_array_equal(strength, [1, 1, 1, 1, 1, 0])  # 5 has no neighbours
    split = membership_strength(two_parts, [0, 0, 1, 2, 2, 2])
    assert split[2] < 0.5 < split[3]  # all its neighbours are elsewhere
    with pytest.raises(ValueError, match="3 labels for a graph of 6 vertices"):
        membership_strength(two_parts, [0, 1, 2])


def test_tiny_weights_lose_no_digits():
    rng = np.random.default_rng(0)
    graph, *_ = random_problem(rng, 60, density=0.3)
    labels = np.arange(60, dtype=np.int32) % 5
    weights = rng.random((40, 60)) * (rng.random((40, 60)) < 0.3)
    modules = Modules.of(graph, labels)
    small, tiny = (modules.assign(reach(weights * scale)) for scale in (1e-9, 1e-200))
    np.testing.assert_array_equal(small.labels, tiny.labels)
    np.testing.assert_allclose(small.strength, tiny.strength, rtol=1e-6)


def test_ties_go_to_the_smaller_module():
    graph = Graph.from_edges([(0, 1), (2, 3)])
    assigned = Modules.of(graph, np.array([1, 1, 0, 0], np.int32)).assign(reach([1.0, 0, 1, 0]))
    assert assigned.labels.tolist() == [0]
    assert assigned.strength.tolist() == [0.5]


def test_what_touches_nothing_goes_to_the_nearest_or_the_largest():
    graph = Graph.from_edges([(0, 1), (2, 3), (3, 4)])
    modules = Modules.of(graph, np.array([0, 0, 1, 1, 1], np.int32))
    nothing = Reach(sp.csr_array((2, 5)), np.array([0, -1]), np.zeros(2))
    labels, strength = modules.assign(nothing)
    assert labels.tolist() == [0, 1]
    assert strength.tolist() == [0, 0]


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
