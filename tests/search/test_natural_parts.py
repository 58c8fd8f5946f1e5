"""The natural number of clusters: one where there is one, and as many as there are."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from reference import unequal_clouds
from sentree import Constraints, SSEHierarchy, SSEPartition
from sentree.graph.build import build_affinity
from sentree.search.hard import contract
from sentree.search.kernels import link, multilevel
from sentree.search.natural_parts import Unions, _Parts
from sentree.search.spacing import Spacing


@pytest.mark.parametrize("n", [100, 500, 3000])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 20])
@pytest.mark.parametrize("form", ["normal", "uniform"])
def test_one_cloud_is_one_cluster(form, d, n):
    X = getattr(np.random.default_rng(0), form)(size=(n, d))
    assert SSEPartition().fit(X).n_clusters_ == 1


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize(
    "sizes", [(769, 77, 77, 77), (571, 143, 143, 143), (2000, 200, 60), (5000, 120)]
)
def test_clusters_of_unequal_size_are_found_without_their_number(sizes, d):
    X, y = unequal_clouds(sizes, d, seed=1)
    model = SSEPartition().fit(X)
    assert model.n_clusters_ == len(sizes)
    assert adjusted_rand_score(y, model.labels_) > 0.95


@pytest.mark.parametrize("seed", range(4))
def test_moons_are_the_same_over_seeds(seed):
    X, y = make_moons(500, noise=0.05, random_state=2)
    model = SSEPartition(random_state=seed).fit(X)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y, model.labels_) > 0.9


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
@pytest.mark.parametrize("d", [2, 5])
def test_hard_pairs_hold_in_one_cloud(estimator, d):
    X = np.random.default_rng(0).normal(size=(300, d))
    told = Constraints.from_pairs([(6, 7)], [(0, 1), (2, 3), (4, 5)], hard=True)
    assert estimator().fit(X, constraints=told).constraint_report_.n_broken == 0


def test_hard_pairs_hold_in_moons():
    X, _ = make_moons(300, noise=0.05, random_state=0)
    told = Constraints.from_pairs(None, [(0, 1), (2, 3), (4, 5)], hard=True)
    assert SSEPartition().fit(X, constraints=told).constraint_report_.n_broken == 0


def test_a_factor_of_all_features_changes_nothing():
    X, _ = make_blobs(300, 4, centers=5, random_state=3)
    small, large = (SSEPartition(affinity="gaussian").fit(f * X).labels_ for f in (1e-5, 1e5))
    np.testing.assert_array_equal(small, large)


def test_contacts_of_unions_are_the_weights_between_their_sides():
    X, _ = make_blobs(200, 2, centers=3, cluster_std=3.0, random_state=4)
    made = build_affinity(X, 10)
    labels = multilevel(made.graph).labels
    powers = (0.8, 0.6)
    path = link(made.graph, labels, powers=powers)
    modules = contract(made.graph, None, labels)[0]
    unions = Unions.along(path, powers, modules.degree, np.bincount(labels))
    weights = modules.to_scipy().toarray() / modules.volume
    order, start, end = unions.ranges()
    for t, sides in enumerate(unions.sides.tolist()):
        of_a, of_b = (order[start[side] : end[side]] for side in sides)
        between = weights[np.ix_(of_a, of_b)].sum()
        assert unions.contact[t] == pytest.approx(between, rel=1e-9)
    spacing = Spacing(made.graph, made.extension.widths, np.arange(200), 200)
    root = unions.sides[-1]
    share = unions.contact[-1] / unions.volume[root].prod()
    cell = 33 * unions.size[root].min() / spacing.n_neighbors
    expected = share * unions.volume[-1] * cell ** (1 / spacing.dimension)
    assert unions.closeness(spacing)[-1] == pytest.approx(expected)


def test_unions_of_modules_are_weighed_as_if_they_were_modules():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) < 0.5), 1)
    weights += weights.T
    parts = _Parts(sp.csr_array(weights), rng.random(12), rng.integers(1, 9, 12).astype(float))
    united = parts.united(np.array([0, 3, 4, 9]))
    part = np.repeat(np.arange(4), [3, 1, 5, 3])
    between = np.array(
        [[weights[np.ix_(part == a, part == b)].sum() for b in range(4)] for a in range(4)]
    )
    inside = np.bincount(part, parts.inside) + np.diag(between)
    np.testing.assert_allclose(united.between.toarray(), between - np.diag(np.diag(between)))
    np.testing.assert_allclose(united.inside, inside)
    np.testing.assert_allclose(united.size, np.bincount(part, parts.size))


def test_clusters_within_a_crowd_of_small_modules_are_found(monkeypatch):
    """Small modules mostly touch their own cluster; unions of them tell that all is not one."""
    X, _ = make_blobs(6000, 20, centers=30, cluster_std=4.0, center_box=(-5, 5), random_state=0)
    modules_alone = SSEPartition(n_neighbors=4).fit(X).n_clusters_
    monkeypatch.setattr("sentree.search.natural_parts._MANY_MODULES", 30)
    assert SSEPartition(n_neighbors=4).fit(X).n_clusters_ >= max(modules_alone, 10)
