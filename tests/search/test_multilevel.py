"""The default search of SSEPartition as a whole."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sentree import Constraints, SSEPartition
from sentree.datasets import held_out, load_embedded, sample_labels, sample_pairs
from sentree.paper import PaperPartition


@pytest.fixture(scope="module")
def digits():
    return load_embedded("digits")


def score(model, X, y, given, where):
    return adjusted_rand_score(y[where], model.fit(X, constraints=given).labels_[where])


def test_labels_and_pairs_help_on_samples_they_do_not_name(digits):
    X, y = digits
    labels, pairs = sample_labels(y, 0.1, 0, 0), sample_pairs(y, 0.2, 0.2, 0)
    where = held_out(labels, len(y))
    model = SSEPartition(n_clusters=10)
    nothing = score(model, X, y, Constraints(), where)
    assert score(model, X, y, labels, where) > nothing + 0.1
    assert score(model, X, y, pairs, where) > nothing + 0.1
    assert score(model, X, y, labels + pairs, where) > 0.97


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_more_labels_do_not_hurt(digits, share):
    X, y = digits
    known = np.where(np.random.default_rng(0).random(len(y)) < share, y, -1)
    model = SSEPartition(n_clusters=10).fit(X, known)
    assert adjusted_rand_score(y, model.labels_) > 0.97
    assert model.constraint_report_.share > 0.97
    free = SSEPartition().fit(X, known)
    assert adjusted_rand_score(y, free.labels_) > 0.85


def test_constraints_without_a_number_of_clusters(digits):
    X, y = digits
    pairs = sample_pairs(y, 0.3, 0.3, 0)
    model = SSEPartition().fit(X, constraints=pairs)
    assert model.constraint_report_.share > 0.95
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_the_seed_decides_and_none_is_a_seed(digits):
    X, _ = digits
    first = SSEPartition().fit(X).labels_
    assert np.array_equal(first, SSEPartition().fit(X).labels_)
    assert np.array_equal(first, SSEPartition(random_state=0).fit(X).labels_)


def test_a_resolution_that_is_no_number_or_does_not_count(digits):
    with pytest.raises(ValueError, match="resolution"):
        SSEPartition(resolution=0.0).fit(digits[0])
    with pytest.warns(UserWarning, match="resolution is ignored") as caught:
        SSEPartition(n_clusters=3, resolution=5.0).fit(digits[0][:100])
    assert caught[0].filename == __file__


def test_twenty_thousand_labels_are_no_trouble():
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 5
    X = rng.normal(size=(20_000, 10)) + 4 * np.eye(5, 10)[y]
    known = np.where(rng.random(20_000) < 0.5, y, -1)
    model = SSEPartition(n_clusters=5).fit(X, known)
    rest = known == -1
    assert adjusted_rand_score(y[rest], model.labels_[rest]) > 0.95
    with pytest.raises(ValueError, match="too many for the paper's weights"):
        PaperPartition().fit(X, known)


def test_isolated_samples_go_where_must_links_say():
    X = np.zeros((8, 3))
    X[:4] = [[1, 0, 0], [1, 0.1, 0], [1, 0, 0.1], [1, 0.1, 0.1]]
    with pytest.warns(UserWarning, match="4 of 8 samples"):
        model = SSEPartition(affinity="cosine").fit(X, must_link=[(0, 4), (5, 6)])
    assert model.labels_[4] == model.labels_[0]
    assert np.unique(model.labels_[5:]).size == 1  # equal rows
    assert np.array_equal(model.tree_.labels_at(1), model.labels_)


@pytest.mark.filterwarnings("ignore:the graph falls", "ignore:the labels name", "ignore:class")
@pytest.mark.filterwarnings("ignore:the clusters break")
@pytest.mark.parametrize("seed", range(30))
def test_the_number_of_clusters_is_exact_whatever_the_labels_say(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    k = int(rng.integers(2, 9))
    X = rng.normal(size=(n, 3)) + 2 * rng.integers(0, 3, size=(n, 1))
    known = np.where(rng.random(n) < rng.choice([0.1, 0.4, 0.9]), rng.integers(0, k, size=n), -1)
    model = SSEPartition(n_clusters=k).fit(X, known)
    assert model.n_clusters_ == k
    assert model.trace_[-1] == pytest.approx(model.objective_, abs=1e-9)


def test_dense_distances_keep_duplicates_and_neighbours():
    rng = np.random.default_rng(0)
    X = np.vstack((rng.normal(0, 1, (40, 2)), rng.normal(20, 1, (40, 2))))
    X[1] = X[0]
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    model = SSEPartition(affinity="precomputed_distances", n_neighbors=5).fit(distances)
    assert model.graph_.to_scipy()[0, 1] == 1.0
    assert model.graph_.n_edges < 80 * 5
    far = np.where(distances > 10, np.inf, distances)
    assert SSEPartition(affinity="precomputed_distances").fit(far).n_clusters_ == 2


def test_duplicates_are_cheap():
    model = SSEPartition(2).fit(np.vstack((np.zeros((1500, 4)), np.ones((1500, 4)))))
    assert model.graph_.n_edges <= 3000 * 50
    assert len(set(model.labels_[:1500]) & set(model.labels_[1500:])) == 0
