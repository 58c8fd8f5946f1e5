from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import adjusted_rand_score

from sentree.paper.baselines import NPU
from sentree.paper.baselines.npu import most_informative, shared_leaves

X, y = make_blobs(60, 3, centers=3, cluster_std=2.5, random_state=5)


def truth(i, j):
    return bool(y[i] == y[j])


def obvious_worth(similar, of, sample):
    """Entropy of the chances of the neighbourhoods, by the expected number of questions."""
    chance = np.array([similar[sample, of == number].mean() for number in range(of.max() + 1)])
    chance = chance / chance.sum() if chance.sum() else np.full(chance.size, 1 / chance.size)
    positive = sorted((c for c in chance if c > 0), reverse=True)
    entropy = -sum(c * np.log2(c) for c in positive)
    return entropy / sum(rank * c for rank, c in enumerate(positive, 1)), chance


def test_leaves_give_the_similarity_of_the_forest():
    leaves = shared_leaves(X, y, 7, np.random.RandomState(3))
    leaf = RandomForestClassifier(7, random_state=np.random.RandomState(3)).fit(X, y).apply(X)
    similar = (leaf[:, None] == leaf[None]).mean(axis=2)
    assert (leaves @ leaves.T).toarray() == pytest.approx(similar)


@pytest.mark.parametrize("seed", range(5))
def test_the_most_informative_sample(seed):
    random = np.random.RandomState(seed)
    leaves = shared_leaves(X, random.randint(3, size=60), 10, random)
    similar = (leaves @ leaves.T).toarray()
    of = np.where(random.random_sample(60) < 0.2, random.randint(3, size=60), -1)
    of[:3] = 0, 1, 2
    sample, order = most_informative(leaves, of, of < 0, random)
    worth = [obvious_worth(similar, of, i)[0] if of[i] < 0 else -1 for i in range(60)]
    assert of[sample] < 0
    assert worth[sample] == pytest.approx(max(worth))
    chance = obvious_worth(similar, of, sample)[1]
    assert sorted(order) == [0, 1, 2]
    assert (np.diff(chance[order]) <= 1e-12).all()


def test_samples_like_none_have_equal_chances():
    leaves = sp.csr_array(np.eye(4))
    sample, order = most_informative(
        leaves, np.array([0, 1, -1, -1]), np.array([False, False, True, False]), np.random
    )
    assert (sample, order) == (2, [0, 1])


def test_answers_place_samples_in_their_class():
    model = NPU(3, max_queries=40, refit=0.2, n_trees=10).fit(X, oracle=truth)
    placed = model.neighborhoods_ >= 0
    assert model.n_queries_ == 40
    assert model.neighborhoods_.max() == 2
    assert adjusted_rand_score(y[placed], model.neighborhoods_[placed]) == 1
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_the_history_has_the_clusters_before_every_search_for_a_question():
    model = NPU(3, max_queries=30, refit=0.5, n_trees=5).fit(X, oracle=truth)
    asked = [number for number, _ in model.history_]
    assert asked[0] == 0
    assert asked[-1] == 30
    assert all(later > 1.5 * earlier for earlier, later in pairwise(asked[:-1]))
    assert np.array_equal(model.history_[-1][1], model.labels_)


def test_lies_never_contradict_each_other():
    rng = np.random.default_rng(0)
    model = NPU(3, max_queries=40, refit=1, n_trees=5)
    model.fit(X, oracle=lambda i, j: rng.random() < 0.5)
    assert model.n_queries_ == 40  # and MPCK-means, which refuses contradictions, took them
    assert np.unique(model.labels_).size <= 3
