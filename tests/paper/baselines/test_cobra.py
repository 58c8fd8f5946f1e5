import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from toy import GROUPS, points

from paper_data import oracle, paper_data
from sentree.metrics import dendrogram_purity
from sentree.paper.baselines import COBRA

TREE_SETS = ["wine", "heart", "breast-cancer", "australian"]


def test_every_yes_merges_and_no_refusal_is_inside_a_cluster():
    X, y = make_blobs(150, 2, centers=6, cluster_std=2.0, random_state=1)
    model = COBRA(40).fit(X, y)
    yes = sum(answer for _, _, answer in model.queries_)
    assert yes == model.n_iter_ == 40 - model.n_clusters_
    for i, j, answer in model.queries_:
        assert (model.labels_[i] == model.labels_[j]) == answer
    # The joins of super-instances are binary, all clusters are children of the root.
    assert len(model.tree_.children(model.tree_.root)) == model.n_clusters_


def test_as_many_super_instances_as_samples_find_the_classes():
    X, y = make_blobs(60, 2, centers=3, cluster_std=4.0, random_state=2)
    model = COBRA(100).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.super_instances_.max() == 59
    assert dendrogram_purity(model.tree_, y) == 1


def test_the_tree_keeps_the_order_of_merges():
    # Parts {0, 1}, {2, 3}, {4, 5}; the two on the left are closer and of one class.
    X = np.array([[0.0], [0.1], [4.0], [4.1], [9.0], [9.1]])
    model = COBRA(3).fit(X, [0, 0, 0, 0, 1, 1])
    assert model.queries_[0][2] is True
    tree = model.tree_
    assert tree.n_nodes == 11
    assert tree.sizes[6:].tolist()[-2:] == [4, 6]
    assert tree.lca([0, 2, 0], [1, 3, 3]).tolist()[2] == 9


def test_parts_without_a_known_sample_join_that_of_the_nearest_sample():
    # Three parts; only the outer two hold known samples, and the middle one is nearer to the right.
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [80.0], [81.0], [82.0]])
    y = [0, 0, -1, -1, -1, -1, -1, 1, 1]
    model = COBRA(3, scale=None).fit(X, y)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    # The middle sample of a part is that nearest to the mean of the known ones.
    assert model.queries_ == [(0, 7, False)]


def test_the_toy_groups_with_few_questions():
    model = COBRA(6).fit(points(), GROUPS)
    assert adjusted_rand_score(GROUPS, model.labels_) == 1
    assert model.n_queries_ <= 15


@pytest.mark.golden
@pytest.mark.parametrize("name", TREE_SETS)
@pytest.mark.parametrize("parts", [25, 50])
def test_figures_of_the_public_program(name, parts):
    X, y = paper_data(name)
    stored = oracle("cobra.json")[f"all_nsi{parts}/{name}"]
    figures = []
    for seed in range(10):
        model = COBRA(parts, random_state=seed).fit(X, y)
        labels = model.labels_
        scores = (
            dendrogram_purity(model.tree_, y),
            adjusted_rand_score(y, labels),
            normalized_mutual_info_score(y, labels),
        )
        figures.append((*scores, model.n_queries_, model.n_clusters_))
    dp, ari, nmi, queries, clusters = np.mean(figures, axis=0)
    # Two standard errors of the difference of two means over ten seeds.
    noise = 2 * np.sqrt(2 / 10)
    assert abs(dp - stored["DP"]) < noise * stored["DP_std"]
    assert abs(ari - stored["ARI"]) < noise * stored["ARI_std"]
    assert abs(nmi - stored["NMI"]) < noise * stored["NMI_std"]
    assert abs(queries - stored["queries"]) < 2
    assert clusters == stored["final_clusters"]


def test_the_history_is_what_smaller_budgets_give():
    X, y = make_blobs(90, 3, centers=4, cluster_std=3.0, random_state=3)
    model = COBRA(20).fit(X, y)
    for budget in range(model.n_queries_ + 1):
        labels = next(labels for asked, labels in reversed(model.history_) if asked <= budget)
        assert np.array_equal(labels, COBRA(20, max_queries=budget).fit(X, y).labels_)
