"""Cells, the search inside them, and shards that are kept."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentree import KNNTransformer, SSEPartition, knn_graph
from sentree.graph import cell_search, cells, neighbors
from sentree.graph.cell_search import cell_neighbors, keep_shards
from sentree.graph.cells import Cells, exact_lists, merge_lists, search_cells


def points(n: int, d: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 4, (6, d))
    X = centres[rng.integers(6, size=n)] + rng.normal(size=(n, d))
    return (X - X.mean(axis=0)).astype(np.float32)


def slow_search(X, in_cells, p):
    """The nearest rows that are members of a cell of each row, by a loop over all pairs."""
    n = len(X)
    ids = np.full((n, p), -1)
    squared = np.full((n, p), np.inf, dtype=np.float32)
    for i in range(n):
        asked = set(in_cells[i][in_cells[i] >= 0])
        found = []
        for j in range(n):
            if j != i and asked & set(in_cells[j][: cells.MEMBERSHIPS]):
                distance = np.float32(0)
                for a, b in zip(X[i], X[j], strict=True):
                    distance += (a - b) * (a - b)
                found.append((distance, j))
        for k, (distance, j) in enumerate(sorted(found)[:p]):
            ids[i, k], squared[i, k] = j, distance
    return ids, squared


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 5), st.integers(1, 7))
def test_the_search_inside_cells_equals_a_loop_over_pairs(seed, n, overlap, p):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 3)).astype(np.float32)  # many ties and equal rows
    in_cells = rng.integers(-1, 4, (n, overlap)).astype(np.int32)
    expected = slow_search(X, in_cells, p)
    for threads in (1, 2, 5):
        found = search_cells(X, in_cells, 4, p, threads)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize(("scale", "offset"), [(1, 0), (1, 3000), (1e19, 0), (1e-23, 0), (1, 1e18)])
def test_no_neighbour_is_lost_to_rounding(scale, offset):
    """Most members are excluded by a bound, which must allow for rows far from the mean."""
    X = (points(1500, 7) * np.float32(scale) + np.float32(offset)).astype(np.float32)
    X[::50] = X[1::50]  # some equal rows
    squared = np.zeros((1500, 1500), dtype=np.float32)
    with np.errstate(over="ignore"):
        for column in X.T:
            squared += (column[:, None] - column) ** 2
    np.fill_diagonal(squared, np.nan)  # sorts last
    order = np.argsort(squared, axis=1, kind="stable")[:, :9]
    ids, found = search_cells(X, np.zeros((1500, 1), dtype=np.int32), 1, 9)
    np.testing.assert_array_equal(ids, order)
    np.testing.assert_array_equal(found, np.take_along_axis(squared, order, axis=1))


def test_distances_are_the_same_from_both_sides():
    X = points(300)
    ids, squared = search_cells(X, np.zeros((300, 1), dtype=np.int32), 1, 299)
    table = np.zeros((300, 300), dtype=np.float32)
    table[np.arange(300)[:, None], ids] = squared
    np.testing.assert_array_equal(table, table.T)


def test_groups_of_cells_add_up_to_the_search_of_all():
    X = points(2000)
    made = Cells.fit(X[:1000], 2000, 0)
    assigned = made.assign(X, 4)
    whole = search_cells(X, assigned, made.number, 6)
    borders = made.borders(3)
    for order in ((0, 1, 2), (2, 0, 1)):
        ids = np.full((2000, 6), -1, dtype=np.int32)
        squared = np.full((2000, 6), np.inf, dtype=np.float32)
        for k in order:
            inside = (assigned >= borders[k]) & (assigned < borders[k + 1])
            rows = np.flatnonzero(inside.any(axis=1))
            local = np.where(inside, assigned - borders[k], -1)[rows].astype(np.int32)
            found = search_cells(X[rows], local, int(borders[k + 1] - borders[k]), 6)
            named = np.append(rows, -1).astype(np.int32)[found[0]]
            merge_lists(ids, squared, rows, named, found[1])
        np.testing.assert_array_equal(ids, whole[0])
        np.testing.assert_array_equal(squared, whole[1])


def test_rows_are_assigned_to_their_nearest_cells():
    X = points(3000)
    made = Cells.fit(X, 3000, 0)
    assert len(made.coarse) > 1
    assert (np.diff(made.parent) >= 0).all()
    distances = ((X[:, None] - made.fine) ** 2).sum(axis=2)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :3]
    assert (made.assign(X, 3) == nearest).mean() > 0.9  # a few lie in coarse cells farther away


def test_the_exact_lists_are_those_of_all_pairs(monkeypatch):
    monkeypatch.setattr(cells, "_BLOCK", 100)
    X, rows = points(350), np.array([0, 99, 100, 349])
    ids, squared = exact_lists(X, rows, 8, 2)
    distances = ((X[rows, None].astype(float) - X) ** 2).sum(axis=2)
    distances[np.arange(4), rows] = np.inf
    np.testing.assert_array_equal(ids, np.argsort(distances, axis=1)[:, :8])
    np.testing.assert_allclose(squared, np.sort(distances, axis=1)[:, :8], rtol=1e-5)


def test_a_cell_of_very_many_equal_rows_is_divided(monkeypatch):
    monkeypatch.setattr(cells, "_MOST_MEMBERS", 50)
    X = np.zeros((1000, 4), dtype=np.float32)
    X[900:] = points(100, 4)
    assigned = np.repeat(np.array([0, 1], dtype=np.int32), [900, 100])[:, None]
    ids, squared = search_cells(X, assigned, 2, 5)
    assert (ids >= 0).all()
    assert (squared[:900] == 0).all()
    assert (ids != np.arange(1000)[:, None]).all()
    parts, number = cells._divided(assigned, 2)
    assert number > 2
    assert np.bincount(parts[:, 0]).max() <= 50


@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_enough_neighbours_are_found_for_any_number_of_threads(spread, monkeypatch):
    monkeypatch.setattr(cell_search, "_SHARD", 1500)
    rng = np.random.default_rng(1)
    X = (rng.normal(0, 2, (20, 8))[rng.integers(20, size=4000)]).astype(np.float32)
    X += rng.normal(0, spread, X.shape).astype(np.float32)
    found = cell_neighbors(X, 10, 0, 2)
    truth = exact_lists(X, np.arange(0, 4000, 10), 10)
    hits = found.squared[::10] <= truth[1][:, -1:]
    assert found.recall >= 0.95
    assert hits.mean() >= 0.95
    assert (found.ids >= 0).all()
    for threads in (1, 5):
        again = cell_neighbors(X, 10, 0, threads)
        np.testing.assert_array_equal(again.ids, found.ids)
        np.testing.assert_array_equal(again.squared, found.squared)


class Stopped(Exception):
    pass


def test_shards_that_are_there_are_not_searched_again(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(cell_search, "_SHARD", 1000)
    X, searched = points(4500), []
    real = cell_search.search_cells

    def counted(*arguments):
        if len(searched) == 3:
            raise Stopped
        searched.append(len(arguments[0]))
        return real(*arguments)

    expected = cell_neighbors(X, 5, 0)
    monkeypatch.setattr(cell_search, "search_cells", counted)
    with keep_shards(tmp_path), pytest.raises(Stopped):
        cell_neighbors(X, 5, 0)
    assert len(searched) == 3
    searched.clear()
    with keep_shards(tmp_path):
        found = cell_neighbors(X, 5, 0)
    assert len(searched) == 2  # of five
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.squared, expected.squared)
    searched.clear()
    with keep_shards(tmp_path), pytest.raises(Stopped):  # other rows, other shards
        cell_neighbors(X[::-1].copy(), 5, 0)
    searched.clear()
    with keep_shards(tmp_path), pytest.raises(Stopped):  # other settings
        cell_neighbors(X, 6, 0)


def test_many_samples_are_searched_by_cells(monkeypatch):
    monkeypatch.setattr(neighbors, "EXACT_LIMIT", 1000)
    monkeypatch.setattr(neighbors, "CELLS_FROM", 2500)
    X = points(2500, 6).astype(np.float64) + 1e4
    by_cells = knn_graph(X, 8)
    exact = knn_graph(X, 8, neighbors="exact")
    shared = by_cells.to_scipy().minimum(exact.to_scipy()).sum() / exact.volume
    assert shared > 0.95
    model = SSEPartition(n_jobs=2).fit(X)
    assert 0.95 <= model.neighbor_recall_ <= 1
    np.testing.assert_array_equal(model.labels_, SSEPartition(n_jobs=1).fit(X).labels_)
    assert (model.predict(X[:200]) == model.labels_[:200]).mean() > 0.99
    found = KNNTransformer(8).fit(X)
    matrix = found.fit_transform(X)
    assert found.recall_ >= 0.95
    assert matrix.dtype == np.float64
    truth = KNNTransformer(8, neighbors="exact").fit_transform(X)
    assert np.isin(matrix.indices[9:18], truth.indices[9:18]).mean() > 0.5
    np.testing.assert_allclose(matrix.sum(), truth.sum(), rtol=0.02)


def test_where_single_precision_does_not_suffice_the_search_is_exact():
    rng = np.random.default_rng(0)
    far = rng.integers(0, 2, 2000) * 1e9  # digits that the rest of the column needs
    X = np.column_stack([far + rng.random(2000), rng.random((2000, 3))])
    exact, found = (knn_graph(X, 5, neighbors=search) for search in ("exact", "cells"))
    np.testing.assert_array_equal(found.indices, exact.indices)


def test_cells_take_dense_data_only():
    X = np.eye(20)
    with pytest.raises(ValueError, match="neighbors='cells' needs dense data"):
        knn_graph(X, 3, neighbors="cells", metric="manhattan")
