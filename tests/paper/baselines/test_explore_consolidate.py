import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree.paper.baselines import ExploreConsolidate

X, y = make_blobs(80, 3, centers=4, cluster_std=3.0, random_state=5)


def truth(i, j):
    return bool(y[i] == y[j])


def samples(queries):
    """The samples asked about in order: the one that a question shares with the next, or is new."""
    met, order = set(), []
    for i, j, _ in queries:
        new = [row for row in (i, j) if row not in met]
        order += new
        met.update(new)
    return order


def test_samples_are_farthest_first_in_both_phases():
    """With a Gaussian kernel, as published: least similar to the most similar one asked about."""
    model = ExploreConsolidate(4, max_queries=40, scale=None).fit(X, oracle=truth)
    order = samples(model.queries_)
    distance = cdist(X, X)
    width = np.percentile(distance[np.triu_indices(80, 1)], 20)
    similar = np.exp(-(distance**2) / (2 * width**2))
    first = order[0] if model.neighborhoods_[order[0]] == 0 else order[1]
    chosen = [first]
    while len(chosen) < len(order):
        most = similar[:, chosen].max(axis=1)
        most[chosen] = np.inf
        chosen.append(int(np.argmin(most)))
    assert sorted(order[:2]) == sorted(chosen[:2])
    assert order[2:] == chosen[2:]


@pytest.mark.parametrize("consolidate", ["min-max", "random"])
def test_answers_place_samples_in_their_class(consolidate):
    model = ExploreConsolidate(4, max_queries=60, consolidate=consolidate).fit(X, oracle=truth)
    placed = model.neighborhoods_ >= 0
    assert model.n_queries_ == 60
    assert adjusted_rand_score(y[placed], model.neighborhoods_[placed]) == 1
    assert adjusted_rand_score(y, model.labels_) > 0.5


def test_what_is_left_is_not_asked():
    """Of two clusters one question tells, so all samples need one each but the first."""
    two = np.flatnonzero(y < 2)
    model = ExploreConsolidate(2).fit(X[two], oracle=lambda i, j: bool(y[two[i]] == y[two[j]]))
    assert model.n_queries_ == two.size - 1
    assert adjusted_rand_score(y[two], model.neighborhoods_) == 1
    assert adjusted_rand_score(y[two], model.labels_) == 1


def test_lies_never_contradict_each_other():
    rng = np.random.default_rng(0)
    model = ExploreConsolidate(4, max_queries=80).fit(X, oracle=lambda i, j: rng.random() < 0.5)
    assert model.n_queries_ == 80  # and MPCK-means, which refuses contradictions, took them


def test_more_questions_keep_the_first_ones():
    few, many = (
        ExploreConsolidate(4, max_queries=budget).fit(X, oracle=truth) for budget in (20, 60)
    )
    assert many.queries_[:20] == few.queries_


def test_who_does_not_know_leaves_samples_unplaced():
    model = ExploreConsolidate(4, max_queries=20).fit(X, oracle=lambda i, j: None)
    assert model.n_queries_ == 20
    assert np.count_nonzero(model.neighborhoods_ >= 0) == 1
