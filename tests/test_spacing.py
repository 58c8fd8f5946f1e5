"""Lengths, dimension and density, against what is obvious, and scikit-learn's HDBSCAN."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from sentree import Graph
from sentree.affinity import build_affinity
from sentree.optimise import density_clusters
from sentree.spacing import Spacing


def spacing_of(X, n_neighbors=20):
    made = build_affinity(X, n_neighbors)
    return Spacing.of(made.graph, made.similarity.widths, np.arange(len(X)), len(X))


def test_lengths_are_the_distances_behind_the_weights():
    X = np.random.default_rng(0).normal(size=(60, 3))
    spacing = spacing_of(X, 8)
    np.testing.assert_allclose(
        spacing.lengths, pairwise_distances(X)[spacing.rows, spacing.indices], rtol=1e-6
    )


def test_vertices_are_as_near_as_their_nearest_samples():
    graph = Graph.from_edges([(0, 2), (0, 3), (1, 3), (2, 3)], np.exp([-1.0, -4.0, -9.0, -16.0]))
    spacing = Spacing.of(graph, np.ones(4), np.array([0, 0, 1, 2]), 3)
    assert spacing.rows.tolist() == [0, 0, 1, 1, 2, 2]
    assert spacing.indices.tolist() == [1, 2, 0, 2, 0, 1]
    np.testing.assert_allclose(spacing.lengths, [1, 2, 1, 4, 2, 4])
    assert spacing.reach(1).tolist() == [1, 1, 2]
    assert spacing.reach(9).tolist() == [2, 4, 4]


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_the_dimension_is_found(d):
    X = np.random.default_rng(d).normal(size=(1000, d))
    wide = np.column_stack((X, 0 * X))  # what does not vary is no dimension
    assert spacing_of(X).dimension == pytest.approx(d, rel=0.15)
    assert spacing_of(wide).dimension == pytest.approx(spacing_of(X).dimension, rel=1e-6)


def test_there_is_no_dimension_where_nothing_is_apart():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    assert Spacing.of(graph, np.ones(1), np.arange(3), 3).dimension is None


@pytest.mark.parametrize("seed", range(5))
def test_peaks_are_those_of_hdbscan_on_all_distances(seed):
    X, _ = make_blobs(150, 2, centers=4, cluster_std=1.5, random_state=seed)
    peer = HDBSCAN(min_cluster_size=8, min_samples=1, copy=True).fit(X).labels_
    i, j = np.triu_indices(len(X), 1)
    height = np.log(pairwise_distances(X)[i, j])
    found = density_clusters(i, j, height, len(X), few=8, many=8, high_rise=0.0, least_rise=0.0)
    assert adjusted_rand_score(peer, found) == pytest.approx(1.0)


def test_peaks_that_hardly_rise_are_none():
    # Two pairs of near vertices, and a bridge that is hardly longer.
    i, j, height = [0, 2, 1], [1, 3, 2], [0.0, 0.0, 0.2]
    assert (
        len(
            set(
                density_clusters(
                    i, j, height, 4, few=2, many=2, high_rise=0.0, least_rise=0.1
                ).tolist()
            )
        )
        == 2
    )
    assert density_clusters(
        i, j, height, 4, few=2, many=2, high_rise=0.0, least_rise=0.3
    ).tolist() == [0, 0, 0, 0]


def test_a_small_peak_must_rise_high():
    # A chain of six vertices, and a pair beyond a gap.
    i, j, height = [0, 1, 2, 3, 4, 6, 5], [1, 2, 3, 4, 5, 7, 6], [0.0] * 6 + [2.0]
    options = {"few": 2, "many": 4, "least_rise": 0.1}
    assert len(set(density_clusters(i, j, height, 8, high_rise=1.0, **options).tolist())) == 2
    assert len(set(density_clusters(i, j, height, 8, high_rise=3.0, **options).tolist())) == 1


def test_too_few_vertices_are_no_peak():
    assert density_clusters(
        [0], [1], [0.0], 3, few=3, many=3, high_rise=0.0, least_rise=0.0
    ).tolist() == [-1, -1, -1]


def test_moons_are_two_peaks():
    X, y = make_moons(400, noise=0.05, random_state=0)
    peaks = spacing_of(X).peaks()
    sure = peaks >= 0
    assert sure.mean() > 0.9
    assert adjusted_rand_score(y[sure], peaks[sure]) == 1.0
