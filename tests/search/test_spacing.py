"""Lengths, dimension and density, against what is obvious, and scikit-learn's HDBSCAN."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from sentree import Graph
from sentree.graph.build import build_affinity
from sentree.search.kernels import density_clusters
from sentree.search.spacing import Spacing, intrinsic_dimension


def spacing_of(X, n_neighbors=20):
    made = build_affinity(X, n_neighbors)
    return Spacing(made.graph, made.extension.widths, np.arange(len(X)), len(X))


def test_lengths_are_the_distances_behind_the_weights():
    X = np.random.default_rng(0).normal(size=(60, 3))
    spacing = spacing_of(X, 8)
    edges = spacing.edges
    distances = pairwise_distances(X)[edges.rows, edges.indices]
    np.testing.assert_allclose(edges.lengths, distances, rtol=1e-6)


def test_vertices_are_as_near_as_their_nearest_samples():
    graph = Graph.from_edges([(0, 2), (0, 3), (1, 3), (2, 3)], np.exp([-1.0, -4.0, -9.0, -16.0]))
    spacing = Spacing(graph, np.ones(4), np.array([0, 0, 1, 2]), 3)
    assert spacing.edges.rows.tolist() == [0, 0, 1, 1, 2, 2]
    assert spacing.edges.indices.tolist() == [1, 2, 0, 2, 0, 1]
    np.testing.assert_allclose(spacing.edges.lengths, [1, 2, 1, 4, 2, 4])
    assert spacing.edges.reach(1).tolist() == [1, 1, 2]
    assert spacing.edges.reach(9).tolist() == [2, 4, 4]


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_the_dimension_is_found(d):
    X = np.random.default_rng(d).normal(size=(1000, d))
    wide = np.column_stack((X, 0 * X))  # what does not vary is no dimension
    assert spacing_of(X).dimension == pytest.approx(d, rel=0.15)
    assert spacing_of(wide).dimension == pytest.approx(spacing_of(X).dimension, rel=1e-6)


def test_there_is_no_dimension_where_nothing_is_apart():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    assert Spacing(graph, np.ones(1), np.arange(3), 3).dimension is None


@pytest.mark.parametrize("seed", range(5))
def test_peaks_are_those_of_hdbscan_on_all_distances(seed):
    X, _ = make_blobs(150, 2, centers=4, cluster_std=1.5, random_state=seed)
    peer = HDBSCAN(min_cluster_size=8, min_samples=1, copy=True).fit(X).labels_
    i, j = np.triu_indices(len(X), 1)
    height = np.log(pairwise_distances(X)[i, j])
    found, _ = density_clusters(i, j, height, len(X), few=8, many=8, rise=[1.0], sure=0.0)
    assert adjusted_rand_score(peer, found) == pytest.approx(1.0)


def test_peaks_that_hardly_rise_are_none():
    # Two pairs of near vertices, and a bridge that is hardly longer.
    edges = [0, 2, 1], [1, 3, 2], [0.0, 0.0, 0.2]
    found, clearest = density_clusters(*edges, 4, few=2, many=2, rise=[0.1])
    assert len(set(found.tolist())) == 2
    assert clearest == pytest.approx(2.0)
    found, clearest = density_clusters(*edges, 4, few=2, many=2, rise=[0.3])
    assert found.tolist() == [0, 0, 0, 0]
    assert clearest == pytest.approx(2 / 3)
    assert len(set(density_clusters(*edges, 4, few=2, many=2, rise=[0.3], sure=0.6)[0])) == 2


def test_a_small_peak_must_rise_higher_than_a_large_one():
    # Two chains, each loosely connected, in which two vertices are near.
    i, j, height = [0, 4, 1, 2, 5, 6, 3], [1, 5, 2, 3, 6, 7, 4], [-0.2] * 2 + [0.0] * 4 + [0.5]
    options = {"few": 2, "many": 2}
    assert density_clusters(i, j, height, 8, rise=[1.0], **options)[1] == pytest.approx(0.7)
    assert density_clusters(i, j, height, 8, rise=[1.0, 0.4], **options)[1] == pytest.approx(1.25)


def test_too_few_vertices_are_no_peak():
    found, clearest = density_clusters([0], [1], [0.0], 3, few=3, many=3, rise=[1.0])
    assert found.tolist() == [-1, -1, -1]
    assert clearest == 0.0


def test_moons_are_two_peaks():
    X, y = make_moons(400, noise=0.05, random_state=0)
    peaks, clearest = spacing_of(X).density().peaks(1.0)
    sure = peaks >= 0
    assert sure.mean() > 0.9
    assert clearest > 1.5
    assert adjusted_rand_score(y[sure], peaks[sure]) == 1.0


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("n", [300, 1500])
def test_one_cloud_has_no_clear_peaks(d, n):
    random = np.random.default_rng(n + d)
    for X in (random.uniform(size=(n, d)), random.normal(size=(n, d))):
        assert spacing_of(X).density().peaks(1.0).clearest < 1.5


def test_some_vertices_tell_the_dimension_of_many(monkeypatch):
    X = np.random.default_rng(0).random((3000, 5))
    every = spacing_of(X, 15)
    chosen = np.flatnonzero(every.edges.rows % 3 == 0)
    monkeypatch.setattr("sentree.search.spacing._MANY_VERTICES", 1000)
    some = spacing_of(X, 15)
    assert some.dimension == pytest.approx(every.dimension, rel=0.1)
    assert "edges" not in vars(some)  # the lengths of all edges were not computed
    for name in ("indices", "lengths"):
        assert np.array_equal(getattr(some._some_edges, name), getattr(every.edges, name)[chosen])
    assert np.array_equal(some._some_edges.reach(4), every.edges.reach(4)[::3])


def test_the_dimension_of_a_large_graph_is_that_of_chosen_neighbours():
    rng = np.random.default_rng(0)
    n, d, p = 4000, 15, 10
    chosen = np.sort(rng.random((n, 40)) ** (1 / d), axis=1)[:, :p]
    others = [rng.uniform(1.0, 1.5, rng.poisson(6) * (i % 2)) for i in range(n)]  # chose it
    counts = np.array([p + far.size for far in others])
    lengths = np.concatenate(
        [np.append(near, far) for near, far in zip(chosen, others, strict=True)]
    )
    of_large = intrinsic_dimension(counts, lengths, counts.mean(), 1_000_000)
    of_small = intrinsic_dimension(counts, lengths, counts.mean(), n)
    assert abs(of_large - d) < 1.5
    assert of_small < 0.8 * d  # as calibrated, there: further neighbours count too
