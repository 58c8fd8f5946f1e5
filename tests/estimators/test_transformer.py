import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.manifold import Isomap
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sentree import KNNTransformer, SSEPartition
from sentree.graph import neighbors

WINE = load_wine().data


def normal(n=80, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@parametrize_with_checks(
    [
        KNNTransformer(),
        KNNTransformer(mode="connectivity"),
        KNNTransformer(metric="cosine"),
        KNNTransformer(metric="manhattan"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


class TestAsScikitLearns:
    """Without ties there is one right answer."""

    @pytest.mark.parametrize("mode", ["distance", "connectivity"])
    @pytest.mark.parametrize("metric", ["minkowski", "cosine", "manhattan"])
    @pytest.mark.parametrize("search", ["auto", "sklearn"])
    def test_same_matrices(self, mode, metric, search):
        X, new = normal(), normal(9, seed=1)
        ours = KNNTransformer(6, mode=mode, metric=metric, neighbors=search)
        theirs = KNeighborsTransformer(n_neighbors=6, mode=mode, metric=metric)
        for found, expected in [
            (ours.fit_transform(X), theirs.fit_transform(X)),
            (ours.transform(X), theirs.transform(X)),
            (ours.transform(new), theirs.transform(new)),
        ]:
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found.indices, expected.indices)
            np.testing.assert_array_equal(found.indptr, expected.indptr)
            np.testing.assert_allclose(found.data, expected.data, atol=1e-7)

    def test_sparse_and_dense_data(self):
        X = normal()
        X[np.abs(X) < 0.5] = 0
        dense, sparse = KNNTransformer().fit(X), KNNTransformer().fit(sp.csr_array(X))
        expected = dense.transform(X).toarray()
        for fitted in (dense, sparse):
            for asked in (X, sp.csr_matrix(X)):
                np.testing.assert_allclose(fitted.transform(asked).toarray(), expected, atol=1e-12)

    def test_as_many_neighbours_as_there_are(self):
        X = normal(6)
        expected = KNeighborsTransformer(n_neighbors=5).fit_transform(X).toarray()
        ours = KNNTransformer(5)
        np.testing.assert_allclose(ours.fit_transform(X).toarray(), expected)
        np.testing.assert_allclose(ours.transform(X).toarray(), expected)

    def test_too_many_are_refused_with_the_most_there_can_be(self):
        with pytest.raises(ValueError, match="n_neighbors=6 is too many for 6 samples.* give 5"):
            KNNTransformer(6).fit(normal(6))
        with pytest.raises(ValueError, match="n_neighbors=7 is too many for 6 samples.* give 6"):
            KNNTransformer(7, mode="connectivity").fit(normal(6))


class TestRows:
    def test_among_equal_rows_each_comes_first_in_its_own(self):
        X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0)
        found = KNNTransformer(3).fit_transform(X)
        np.testing.assert_array_equal(found.indices[::4], np.arange(20))
        assert found.nnz == 80  # distances of 0 are stored
        assert found.sum() == 0

    @pytest.mark.parametrize("sparse", [False, True])
    def test_rows_without_direction_have_neighbours_too(self, sparse):
        X = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.1], [0.0, 0.0], [-1.0, 0.0]])
        X = sp.csr_array(X) if sparse else X
        model = KNNTransformer(2, metric="cosine")
        found = model.fit_transform(X)
        columns, distances = found.indices.reshape(5, 3), found.data.reshape(5, 3)
        assert columns[1, :2].tolist() == [1, 3]
        np.testing.assert_allclose(distances[1], [0, 0, 1])
        np.testing.assert_allclose(distances[4], [0, 1, 1])  # nearer than those behind it
        assert set(columns[4, 1:]) == {1, 3}
        new = model.transform(X[[1]])
        np.testing.assert_allclose(new.data, [0, 0, 1])

    def test_same_answer_with_any_number_of_threads_and_after_pickling(self):
        X = normal(400, 8)
        model = KNNTransformer(4, neighbors="faiss", n_jobs=1).fit(X)
        expected = model.transform(X)
        for other in (
            pickle.loads(pickle.dumps(model)),
            clone(model).set_params(n_jobs=2).fit(X),
        ):
            found = other.transform(X)
            np.testing.assert_array_equal(found.indices, expected.indices)
            np.testing.assert_array_equal(found.data, expected.data)

    def test_large_data_are_searched_approximately(self, monkeypatch):
        monkeypatch.setattr(neighbors, "EXACT_LIMIT", 100)
        X, _ = make_blobs(1500, 12, centers=20, random_state=0)
        found = KNNTransformer(10).fit_transform(X).indices.reshape(1500, 11)
        truth = KNNTransformer(10, neighbors="exact").fit_transform(X).indices.reshape(1500, 11)
        share = np.mean([np.isin(a, b).mean() for a, b in zip(found, truth, strict=True)])
        assert 0.95 <= share < 1


class TestWhereItIsUsed:
    def test_before_a_partition_in_a_pipeline(self):
        X, y = load_iris(return_X_y=True)
        clusters = SSEPartition(3, affinity="precomputed_distances")
        found = {
            kind: make_pipeline(transformer, clone(clusters)).fit(X)
            for kind, transformer in [
                ("ours", KNNTransformer(12)),
                ("theirs", KNeighborsTransformer(n_neighbors=12)),
            ]
        }
        labels = found["ours"][-1].labels_
        np.testing.assert_array_equal(labels, found["theirs"][-1].labels_)
        assert adjusted_rand_score(y, labels) > 0.7
        assert (found["ours"].predict(X) == labels).mean() > 0.95

    def test_as_the_search_of_a_partition(self):
        X = normal(120)
        own = SSEPartition(4, affinity="gaussian", n_neighbors=8).fit(X)
        other = SSEPartition(4, affinity="gaussian", neighbors=KNNTransformer(8)).fit(X)
        np.testing.assert_array_equal(own.graph_.indices, other.graph_.indices)
        np.testing.assert_allclose(own.graph_.weights, other.graph_.weights, rtol=1e-12)
        np.testing.assert_array_equal(own.labels_, other.labels_)
        assert other.predict(X[:5]).shape == (5,)

    def test_before_estimators_of_scikit_learn(self):
        X = WINE / WINE.std(axis=0)
        maps, groups = [], []
        for transformer in (KNNTransformer(20), KNeighborsTransformer(n_neighbors=20)):
            places = Isomap(n_neighbors=20, metric="precomputed")
            maps.append(make_pipeline(clone(transformer), places).fit_transform(X))
            spectral = SpectralClustering(
                3, affinity="precomputed_nearest_neighbors", n_neighbors=20, random_state=0
            )
            groups.append(make_pipeline(clone(transformer), spectral).fit_predict(X))
        np.testing.assert_allclose(np.abs(maps[0]), np.abs(maps[1]), atol=1e-6)
        assert adjusted_rand_score(*groups) == 1
