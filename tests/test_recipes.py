"""Recipes with other libraries: each is run with the library itself, where it is installed."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsTransformer

from sentree import KNNTransformer, SSEPartition


class TestScanpy:
    """scanpy.pp.neighbors(transformer=...)."""

    @staticmethod
    def neighbors(X, **settings):
        ad, sc = pytest.importorskip("anndata"), pytest.importorskip("scanpy")
        adata = ad.AnnData(X.astype(np.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of umap, which scanpy loads
            sc.pp.neighbors(adata, use_rep="X", **settings)
        return adata

    def test_nearly_the_neighbours_that_scanpy_finds_by_default(self, monkeypatch):
        cells, _ = make_blobs(5200, 20, centers=12, cluster_std=3.0, random_state=0)
        given = []

        def umap(indices, distances, **sizes):  # the compilation of umap takes long
            given.append((indices, distances, sizes))
            return sp.csr_matrix((5200, 5200))

        monkeypatch.setattr("scanpy.neighbors._connectivity.umap", umap)
        self.neighbors(cells, n_neighbors=15)
        self.neighbors(cells, transformer=KNNTransformer(15))
        (columns, distances, sizes), (ours, our_distances, our_sizes) = given
        assert our_sizes == sizes
        assert ours.shape == columns.shape == (5200, 15)
        same = (ours[:, :, None] == columns[:, None, :]).any(axis=2)
        assert 0.95 < same.mean() < 1  # another search
        exact = same.all(axis=1)
        np.testing.assert_allclose(our_distances[exact], distances[exact], atol=1e-3)

    def test_as_with_the_transformer_of_scikit_learn(self):
        cells, _ = make_blobs(300, 10, centers=5, random_state=0)
        theirs = KNeighborsTransformer(n_neighbors=15)
        found, expected = (
            self.neighbors(cells, transformer=transformer, method="gauss")
            for transformer in (KNNTransformer(15), theirs)
        )
        for key in ("distances", "connectivities"):
            assert abs(found.obsp[key] - expected.obsp[key]).max() < 1e-5

    def test_every_row_has_as_many_so_that_scanpy_need_not_loop(self):
        rows = np.repeat(load_iris().data, 2, axis=0)  # with copies
        adata = self.neighbors(rows, transformer=KNNTransformer(10), method="gauss")
        assert set(np.diff(adata.obsp["distances"].indptr)) == {11}


#: Words of three topics.
WORDS = (
    "card pin blocked stolen lost replace wallet plastic chip swipe",
    "exchange rate currency euro dollar convert pound market foreign quote",
    "transfer fee abroad pending cancel recipient iban delay received sent",
)


def documents(n=40):
    """Return documents about three topics, their topics and their embeddings."""
    rng = np.random.default_rng(0)
    topics = np.repeat(np.arange(3), n)
    texts = [" ".join(rng.choice(WORDS[t].split(), 6, replace=False)) for t in topics]
    return texts, topics, TfidfVectorizer().fit_transform(texts).toarray()


class TestTopics:
    """BERTopic(hdbscan_model=SSEPartition()) gives embeddings, and takes labels_ and predict."""

    @staticmethod
    def pipeline(clusters):
        bertopic = pytest.importorskip("bertopic", reason="needs PyTorch, too much for CI")
        pytest.importorskip("hdbscan", reason="BERTopic's transform asks for its type")
        from bertopic.backend import BaseEmbedder
        from bertopic.dimensionality import BaseDimensionalityReduction

        return bertopic.BERTopic(
            embedding_model=BaseEmbedder(),
            umap_model=BaseDimensionalityReduction(),
            hdbscan_model=clusters,
        )

    def test_bertopic(self):
        texts, topics, embeddings = documents()
        pipeline = self.pipeline(SSEPartition(3))
        found, _ = pipeline.fit_transform(texts, embeddings)
        assert adjusted_rand_score(topics, found) == 1
        info = pipeline.get_topic_info()
        assert info["Topic"].tolist() == [0, 1, 2]
        assert info["Count"].tolist() == [40, 40, 40]
        for topic in range(3):
            words = {word for word, _ in pipeline.get_topic(topic)}
            assert words == set(WORDS[topics[found.index(topic)]].split())
        again, _ = pipeline.transform(texts[::10], embeddings[::10])
        assert list(again) == found[::10]

    def test_bertopic_with_some_known_topics(self):
        texts, topics, embeddings = documents()
        pipeline = self.pipeline(SSEPartition())
        united = np.where(topics == 2, 1, topics)  # two of the three are one for this user
        known = np.where(np.arange(120) % 4 == 0, united, -1)
        found, _ = pipeline.fit_transform(texts, embeddings, y=known)
        assert adjusted_rand_score(united, found) == 1

    def test_the_same_calls_without_bertopic(self):
        _, topics, embeddings = documents()
        model = SSEPartition(3)
        model.fit(embeddings, y=None)
        assert model.labels_.min() == 0  # no noise
        assert adjusted_rand_score(topics, model.labels_) == 1
        np.testing.assert_array_equal(model.predict(embeddings[::10]), model.labels_[::10])
        known = np.where(np.arange(120) % 4 == 0, topics == 0, -1)
        model = SSEPartition().fit(embeddings, y=known)
        assert adjusted_rand_score(topics == 0, model.labels_) == 1


class TestActiveLearning:
    """scikit-activeml makes cluster_algo(n_clusters=..., random_state=...) and clusters with it."""

    @pytest.fixture
    def pool(self):
        return pytest.importorskip("skactiveml.pool")

    def test_typical_samples_of_clusters_without_labels(self, pool):
        X, y = load_wine(return_X_y=True)
        strategy = pool.TypiClust(cluster_algo=SSEPartition, random_state=0)
        known = np.full(len(y), np.nan)
        for batch_size in (2, 1, 1):
            asked = strategy.query(X, known, batch_size=batch_size)
            labels = SSEPartition((~np.isnan(known)).sum() + batch_size).fit_predict(X)
            assert not set(labels[asked]) & set(labels[~np.isnan(known)])
            known[asked] = y[asked]
        assert set(known[~np.isnan(known)]) == {0, 1, 2}

    def test_settings_reach_the_clusters(self, pool):
        X, y = load_iris(return_X_y=True)
        settings = {"n_neighbors": 8, "affinity": "gaussian"}
        strategy = pool.TypiClust(cluster_algo=SSEPartition, cluster_algo_dict=settings)
        asked = strategy.query(X, np.full(len(y), np.nan), batch_size=3)
        labels = SSEPartition(3, **settings).fit_predict(X)
        assert set(labels[asked]) == {0, 1, 2}

    def test_radius_from_the_purity_of_clusters(self, pool):
        X, y = load_iris(return_X_y=True)
        strategy = pool.ProbCover(cluster_algo=SSEPartition, n_classes=3, random_state=0)
        asked = strategy.query(X, np.full(len(y), np.nan), batch_size=6)
        assert set(y[asked]) == {0, 1, 2}
