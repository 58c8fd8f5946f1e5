"""The graph that suits the samples: told by their numbers, dense or sparse, and by nothing else."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler, normalize

import sentree
from sentree import SSEPartition
from sentree.graph.build import auto_neighbors, auto_settings, build_affinity
from sentree.graph.choice import GraphSettings, choose

rng = np.random.default_rng(0)


def blobs(features, n=400):
    """Samples of six clusters whose columns are of unequal importance."""
    centers = np.random.default_rng(1).standard_normal((6, features))
    X, _ = make_blobs(n, centers=1.5 * centers, random_state=0)
    return X / np.sqrt(1 + np.arange(features))


def counts(features=80, n=300):
    """Counts with a few columns far ahead of the others."""
    rate = np.random.default_rng(2).lognormal(-1, 1.5, (3, features))
    return np.random.default_rng(3).poisson(np.repeat(rate, n // 3, axis=0)).astype(float)


def words(n=300):
    return normalize(np.where(counts(200, n) > 2, counts(200, n), 0.0) + 0.5 * np.eye(n, 200))


SAMPLES = {
    "table": blobs(6),
    "two columns": rng.random((200, 2)),
    "counts of few things": rng.poisson(30.0, (300, 6)).astype(float),
    "answers": rng.integers(1, 6, (300, 8)).astype(float),
    "truths and numbers": np.column_stack((rng.random((300, 4)) < 0.3, rng.random((300, 3)))),
    "components": PCA(20).fit_transform(blobs(60)),
    "two components": PCA(2).fit_transform(blobs(60)),
    "many components": TruncatedSVD(60, random_state=0).fit_transform(rng.random((500, 200))),
    "components of length 1": normalize(PCA(20).fit_transform(blobs(60))),
    "embedding": normalize(rng.standard_normal((300, 120)) + 0.2),
    "words": words(),
    "counts": counts(),
    "pixels": load_digits().data[:300],
    "profiles": np.cumsum(rng.standard_normal((200, 90)), axis=1),
}
KINDS = {
    "two columns": "table",
    "counts of few things": "table",
    "truths and numbers": "answers",
    "two components": "components",
    "many components": "components",
    "components of length 1": "components",
    "words": "text",
    "pixels": "profiles",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_kinds_are_told_dense_or_sparse_and_in_single_precision(name):
    X = SAMPLES[name]
    settings = choose(X)
    assert settings.kind == KINDS.get(name, name), settings
    assert choose(sp.csr_matrix(X)) == settings
    assert choose(X.astype(np.float32)).kind == settings.kind
    assert auto_settings(X) == settings.arguments()


@pytest.mark.parametrize("name", SAMPLES)
def test_sparse_and_dense_samples_have_one_graph(name):
    X = SAMPLES[name]
    thick, thin = (SSEPartition(3).fit(Z) for Z in (X, sp.csr_matrix(X)))
    np.testing.assert_array_equal(thick.graph_.indptr, thin.graph_.indptr)
    np.testing.assert_array_equal(thick.graph_.indices, thin.graph_.indices)
    np.testing.assert_allclose(thick.graph_.weights, thin.graph_.weights, rtol=1e-6)
    np.testing.assert_array_equal(thick.labels_, thin.labels_)
    np.testing.assert_array_equal(thick.predict(X[:9]), thin.predict(sp.csr_matrix(X[:9])))


@pytest.mark.parametrize("name", ["table", "answers", "counts", "profiles"])
def test_constant_columns_and_the_order_of_rows_do_not_matter(name):
    X = SAMPLES[name]
    settings = choose(X)
    order = np.random.default_rng(5).permutation(len(X))
    assert choose(X[order]) == settings
    wider = choose(np.column_stack((X, np.ones(len(X)))))
    assert (wider.kind, wider.scale) == (settings.kind, settings.scale)


def test_scaled_columns_are_the_same_table():
    X = SAMPLES["profiles"]
    one, other = (SSEPartition(4).fit(Z).graph_ for Z in (X, StandardScaler().fit_transform(X)))
    np.testing.assert_array_equal(one.indices, other.indices)


@pytest.mark.parametrize("factor", [1e-200, 1e-3, 1e140])
def test_units_do_not_matter(factor):
    for name in ("table", "embedding", "pixels"):
        assert choose(SAMPLES[name] * factor).kind == choose(SAMPLES[name]).kind


def test_large_sparse_samples_stay_sparse(monkeypatch):
    monkeypatch.setattr(sentree.graph.choice, "_AS_DENSE", 100)
    X = sp.csr_matrix(SAMPLES["counts"])
    settings = choose(X)
    assert (settings.metric, settings.scale, settings.dense) == ("cosine", "log-maxabs", False)
    assert "sparse and large" in settings.why
    monkeypatch.setattr(sp.csr_matrix, "toarray", None)
    model = SSEPartition(3).fit(X)
    assert sp.issparse(model._extension.samples)
    assert np.bincount(model.labels_).min() > 80


def test_truths_have_one_distance_however_rare():
    X = np.column_stack((rng.standard_normal(200), np.arange(200) % 2, np.arange(200) < 3))
    space = build_affinity(X, 5, scale="table").extension.layout.space(X)
    assert np.ptp(space.points[:, 1:], axis=0).tolist() == pytest.approx([1.6, 1.6])
    assert space.points[:, 0].std() == pytest.approx(1)
    thin = build_affinity(sp.csr_matrix(X), 5, scale="table").graph
    np.testing.assert_allclose(build_affinity(X, 5, scale="table").graph.weights, thin.weights)


def test_logarithms_of_values_plus_one():
    X = SAMPLES["counts"]
    one = build_affinity(X, 5, scale="log-minmax")
    np.testing.assert_allclose(
        one.graph.weights, build_affinity(np.log1p(X), 5, scale="minmax").graph.weights
    )
    assert np.isfinite(one.extension.reach(np.full((1, 80), -3.0)).weights.data).all()


def test_answers_have_more_neighbours():
    assert auto_neighbors(1000, wide=True) == 95 > auto_neighbors(1000)
    assert auto_neighbors(50_000, wide=True) == 40
    assert auto_neighbors(100, 10, wide=True) == 5


def test_settings_are_kept_and_told(tmp_path, caplog):
    X = SAMPLES["counts"]
    with caplog.at_level(logging.INFO, "sentree"):
        model = SSEPartition(3).fit(X)
    assert "taken for counts (whole numbers, columns of very unequal variance)" in caplog.text
    assert isinstance(model.graph_settings_, GraphSettings)
    again = sentree.load(model.save(tmp_path / "model"))
    assert again.graph_settings_ == model.graph_settings_
    np.testing.assert_array_equal(again.predict(X[:20] + 1), model.predict(X[:20] + 1))
    assert SSEPartition(3, affinity="cosine").fit(X).graph_settings_ is None
    assert SSEPartition(3, affinity="precomputed").fit(model.graph_).graph_settings_ is None
