"""The number of clusters that the data choose, and what is said of it."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import Graph, SSEHierarchy, SSEPartition
from sentree.search.natural_number import STRICTNESS, NaturalScale, Vote, decide

BLOBS = make_blobs(300, centers=3, cluster_std=0.6, random_state=0)[0]


def votes(*numbers):
    """Answers from less strict to stricter, the usual one in the middle."""
    steps = 2.0 ** (np.arange(len(numbers)) - len(numbers) // 2)
    return [Vote(step, np.arange(12) % k) for step, k in zip(steps, numbers, strict=True)]


@pytest.mark.parametrize(
    ("numbers", "chosen"),
    [
        ((3, 3, 3), 3),
        ((8, 3, 3), 3),
        ((8, 8, 3, 3, 1), 3),  # equally many: the most usual
        ((6, 5, 4, 1, 1, 1), 4),  # several it is, if half of the answers say so
        ((6, 5, 1, 1, 1), 1),
        ((12, 11, 10, 4, 4), 11),  # within a tenth is the same
    ],
)
def test_most_answers_decide(numbers, chosen):
    labels, scale = decide(votes(*numbers))
    assert scale.chosen == chosen == np.unique(labels).size
    assert sum(scale.support) == pytest.approx(1.0)


def test_other_numbers_are_worth_a_word_where_many_answers_speak_for_them():
    assert decide(votes(8, 3, 3, 3, 3))[1].alternatives == ()
    scale = decide(votes(8, 8, 3, 3, 3))[1]
    assert scale.alternatives == (8,)
    assert str(scale).startswith("3 clusters, or perhaps 8 (supported by 60 % of 5 estimates")
    assert str(decide(votes(1, 1, 1))[1]).startswith("1 cluster (")


def test_vertices_that_follow_neighbours_are_no_cluster():
    assert Vote(1.0, np.array([-1, 0, 1, -1])).number == 2
    assert Vote(1.0, np.array([-1, -1])).number == 1


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_models_tell_how_the_number_was_chosen(estimator, tmp_path):
    model = estimator().fit(BLOBS)
    assert model.scale_.chosen == model.n_clusters_ == 3
    with pytest.raises(FrozenInstanceError):
        model.scale_.reason = ""
    again = sentree.load(sentree.save(model, tmp_path / "model"))
    assert again.scale_ == model.scale_


def test_nothing_is_told_where_something_else_set_the_number():
    assert SSEPartition(3).fit(BLOBS).scale_ is None
    assert SSEPartition(resolution=1.0).fit(BLOBS).scale_ is None
    assert SSEPartition().fit(BLOBS, [0, 1, *[-1] * 298]).scale_ is None
    assert SSEPartition().fit(BLOBS, init=np.arange(300) % 2).scale_ is None


def test_a_graph_alone_has_a_scale():
    cliques = [(5 * c + i, 5 * c + j) for c in range(3) for i in range(5) for j in range(i)]
    model = SSEPartition(affinity="precomputed").fit(Graph.from_edges(cliques))
    assert model.scale_ == NaturalScale((3,), (1.0,), model.scale_.reason)


@pytest.mark.parametrize("n", [500, 1500])
def test_the_figure_of_scikit_learn(n):
    shapes = {
        "circles": (make_circles(n, factor=0.5, noise=0.05, random_state=30)[0], 2),
        "moons": (make_moons(n, noise=0.05, random_state=30)[0], 2),
        "blobs": (make_blobs(n, random_state=30)[0], 3),
        "nothing": (np.random.RandomState(30).rand(n, 2), 1),
        "slanted": (make_blobs(n, random_state=170)[0] @ [[0.6, -0.6], [-0.4, 0.8]], 3),
        "varied": (make_blobs(n, cluster_std=[1, 2.5, 0.5], random_state=170)[0], 3),
    }
    for name, (X, k) in shapes.items():
        assert SSEPartition().fit(X).n_clusters_ == k, name


@pytest.mark.parametrize("d", [2, 5])
def test_seeds_and_single_samples_do_not_change_the_number(d):
    X = make_blobs(400, d, centers=4, cluster_std=1.5, random_state=3)[0]
    numbers = {SSEPartition(random_state=seed).fit(X).n_clusters_ for seed in range(4)}
    numbers |= {SSEPartition().fit(np.delete(X, np.s_[i::100], 0)).n_clusters_ for i in range(4)}
    assert len(numbers) == 1


def test_the_usual_strictness_is_among_those_asked_for():
    assert 1.0 in STRICTNESS


def test_no_warnings_where_all_is_one_point_or_two():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SSEPartition().fit([[0.0], [1.0]]).scale_ is not None


def test_borders_of_natural_clusters_are_those_of_samples():
    """Unions of modules have rough borders; samples that touch another cluster more move there."""
    X, y = make_blobs(600, 20, centers=5, cluster_std=7, random_state=1)
    model = SSEPartition().fit(X)
    assert model.n_clusters_ == 5
    weight = np.zeros((600, 5))
    np.add.at(weight.T, model.labels_, model.graph_.to_scipy().toarray())
    assert (weight.argmax(axis=1) == model.labels_).mean() > 0.99
    assert adjusted_rand_score(y, model.labels_) > 0.94
