"""PaperPartition and PaperHierarchy as estimators; their figures are in test_golden."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sentree import Constraints, Graph, structural_entropy
from sentree.paper import PaperHierarchy, PaperPartition
from sentree.search.objective import tree_objective

BOTH = [PaperPartition, PaperHierarchy]
X, Y = make_blobs(120, 4, centers=4, cluster_std=0.8, random_state=0)


@pytest.mark.filterwarnings("ignore:the graph falls into", "ignore:.*no neighbour")
@parametrize_with_checks([PaperPartition(3), PaperHierarchy()])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


@pytest.mark.parametrize("estimator", BOTH)
def test_fitted_attributes_agree_with_one_another(estimator):
    model = estimator(4).fit(X, must_link=[(0, k) for k in range(1, 60)])
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == len(set(model.labels_.tolist())) == 4
    assert model.trace_[-1] == pytest.approx(model.objective_, abs=1e-9)
    result = model.labels_ if estimator is PaperPartition else model.tree_
    assert model.entropy_ == pytest.approx(structural_entropy(model.graph_, result), abs=1e-12)
    assert model.objective_ >= model.entropy_
    assert estimator(4).fit(X).objective_ == pytest.approx(estimator(4).fit(X).entropy_)


def test_the_hierarchy_has_the_asked_height_and_number():
    model = PaperHierarchy(4, height=3).fit(X)
    assert model.tree_.height == 3
    assert model.binary_tree_.height > 3
    assert adjusted_rand_score(Y, model.labels_) > 0.9
    assert model.objective_ == tree_objective(model.tree_).value


def test_the_number_of_neighbours_comes_from_the_classes():
    assert PaperPartition(4).fit(X).graph_.n_edges == PaperPartition().fit(X, Y).graph_.n_edges
    with pytest.raises(ValueError, match="set n_neighbors, .*paper_neighbors"):
        PaperPartition().fit(X)


@pytest.mark.parametrize("estimator", BOTH)
def test_parts_that_do_not_touch_are_never_united(estimator):
    graph = Graph.from_edges([(0, 1), (2, 3), (4, 5)])
    with pytest.warns(UserWarning, match="parts that do not touch"):
        assert estimator(2, affinity="precomputed").fit(graph.to_scipy()).n_clusters_ == 3


@pytest.mark.parametrize("estimator", BOTH)
def test_weights_beyond_reason_are_large_ones(estimator):
    i, j = np.random.default_rng(0).integers(120, size=(2, 80))
    i, j, same = i[i != j], j[i != j], (Y[i] == Y[j])[i != j]
    found = []
    for weight in (50.0, 1e3, 1e200, 1e308):
        weights = np.full(same.sum(), weight), np.full((~same).sum(), weight)
        told = Constraints.from_pairs(np.c_[i, j][same], np.c_[i, j][~same], weights=weights)
        found.append(estimator(4).fit(X, constraints=told))
        assert found[-1].objective_ == found[0].objective_


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({"n_clusters": 121}, {}, "n_clusters=121 is more than n_samples=120"),
        ({"n_clusters": 3, "penalty": 101.0}, {}, "penalty"),
        ({"n_clusters": 3, "affinity": "auto"}, {}, "affinity"),
        ({"n_clusters": 3}, {"y": [0, 1]}, "y has 2 labels for 120 samples"),
        ({"n_clusters": 3}, {"must_link": [(0, 120)]}, "120"),
        (
            {"n_clusters": 3},
            {"constraints": Constraints.from_pairs([(0, 1)], hard=True)},
            "no hard constraints: sentree.SSEPartition",
        ),
    ],
)
def test_refusals(estimator, parameters, given, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, **given)


def test_fit_predict_takes_labels():
    assert np.array_equal(PaperPartition().fit_predict(X, Y), PaperPartition().fit(X, Y).labels_)
