import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from paper_data import oracle, paper_data
from sentree.metrics import dendrogram_purity
from sentree.paper.baselines import COBRAS


def test_a_large_budget_finds_the_classes():
    X, y = make_blobs(60, 2, centers=3, cluster_std=2.0, random_state=2)
    model = COBRAS(2000).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.n_queries_ < 2000  # it stops where nothing is left to cut


def test_more_questions_keep_the_first_ones():
    X, y = make_blobs(120, 3, centers=4, cluster_std=2.0, random_state=3)
    few, many = (COBRAS(budget).fit(X, y) for budget in (20, 60))
    assert many.queries_[:20] == few.queries_


def test_the_tree_is_root_clusters_super_instances_samples():
    X, y = make_blobs(120, 3, centers=4, cluster_std=3.0, random_state=3)
    model = COBRAS(60).fit(X, y)
    assert model.tree_.height == 3
    assert np.array_equal(model.tree_.labels_at(1), model.labels_)
    # Below a cluster of several super-instances are these, as far as they have several samples.
    several = np.bincount(model.super_instances_) > 1
    inner = several.sum()
    whole = [
        np.unique(model.super_instances_[model.labels_ == c]) for c in range(model.n_clusters_)
    ]
    above = sum(len(parts) > 1 for parts in whole)
    assert model.tree_.n_nodes == 120 + inner + above + 1


def test_no_budget_gives_the_first_two_parts():
    X, y = make_blobs(60, 2, centers=[[0, 0], [9, 9]], random_state=0)
    model = COBRAS(0).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.queries_ == []
    assert model.n_iter_ == 1


def test_two_parts_of_one_class_become_one_cluster_after_two_questions():
    # Halves of one class: the first question finds how fine to cut, and is not put again.
    X, _ = make_blobs(40, 2, centers=2, cluster_std=0.5, random_state=0)
    model = COBRAS(1).fit(X, np.zeros(40))
    assert model.n_queries_ == 1
    assert model.n_clusters_ in (1, 2)
    assert COBRAS(2).fit(X, np.zeros(40)).n_clusters_ == 1


@pytest.mark.golden
@pytest.mark.parametrize(
    ("budget", "name"),
    [(25, "wine"), (25, "australian"), (100, "wine")]
    + [(50, name) for name in ("wine", "heart", "breast-cancer", "australian")],
)
def test_figures_of_the_public_program(budget, name):
    X, y = paper_data(name)
    stored = oracle("cobras.json")[f"q{budget}/{name}"]
    figures = []
    for seed in range(5):
        model = COBRAS(budget, random_state=seed).fit(X, y)
        scores = (
            dendrogram_purity(model.tree_, y),
            adjusted_rand_score(y, model.labels_),
            normalized_mutual_info_score(y, model.labels_),
        )
        figures.append((*scores, model.n_queries_, model.n_clusters_))
    mean, spread = np.mean(figures, axis=0), np.std(figures, axis=0)
    assert mean[3:].tolist() == [budget, stored["clusters"]]
    # Two standard deviations of single runs, of those stored (of the ARI) and of these.
    spread = np.maximum(spread[:3], stored["ARI_std"])
    expected = [stored[name] for name in ("DP", "ARI", "NMI")]
    assert (np.abs(mean[:3] - expected) <= 2 * spread).all()


def test_the_history_is_what_smaller_budgets_give():
    X, y = make_blobs(90, 3, centers=4, cluster_std=3.0, random_state=3)
    history = COBRAS(40).fit(X, y).history_
    first = history[0][0]
    assert first > 0
    for budget in range(first, 41):
        labels = next(labels for asked, labels in reversed(history) if asked <= budget)
        assert np.array_equal(labels, COBRAS(budget).fit(X, y).labels_)
