"""Rows that repeat: found however they are stored, treated alike, and never in the way."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import sentree
from sentree import SSEPartition
from sentree.graph.build import build_affinity
from sentree.graph.copies import find_copies, row_keys
from sentree.paper import PaperPartition
from sentree.search.hard import contract

FEW_VALUES = arrays(
    np.float64, st.tuples(st.integers(2, 40), st.integers(1, 4)), elements=st.integers(-1, 2)
)


def answers(n=300, seed=0):
    """Answers from 1 to 5 to four questions, of three kinds of people."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    middle = np.array([[1.5, 4, 2, 4.5], [4, 1.5, 4.5, 2], [3, 3, 1.2, 1.2]])[y]
    return np.clip(np.rint(middle + 0.6 * rng.standard_normal((n, 4))), 1, 5), y


@given(X=FEW_VALUES)
@settings(max_examples=60)
def test_copies_are_the_distinct_rows(X):
    found = find_copies(X, row_keys(X))
    distinct, inverse = np.unique(X, axis=0, return_inverse=True)
    if found is None:
        assert len(distinct) == len(X)
        return
    same = inverse.ravel()[:, None] == inverse.ravel()
    np.testing.assert_array_equal(found.row[:, None] == found.row, same)
    assert np.unique(found.row).tolist() == list(range(len(distinct)))
    assert (np.diff(found.first) > 0).all()
    np.testing.assert_array_equal(found.count, np.bincount(found.row))


@given(X=FEW_VALUES)
@settings(max_examples=30)
def test_keys_are_those_of_the_values_dense_or_sparse(X):
    negative = np.where(X == 0, -0.0, X)
    for other in (negative, sp.csr_array(X)):
        np.testing.assert_array_equal(row_keys(X), row_keys(other))


def test_keys_that_agree_by_chance_are_made_again():
    X = np.random.default_rng(0).random((20, 3))
    X[7] = X[2]
    found = find_copies(X, np.zeros(20, dtype=np.uint64))
    assert np.flatnonzero(np.bincount(found.row) == 2).tolist() == [2]
    assert found.row[7] == found.row[2] == 2


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "binary"])
def test_copies_share_the_weight_of_their_row_evenly(kernel, self_loops):
    X, _ = answers()
    made = build_affinity(X, 9, kernel=kernel, self_loops=self_loops, ties=False)
    first = np.unique(made.copies, return_index=True)[1]
    count = np.bincount(made.copies)
    single = build_affinity(X[first], 9, kernel=kernel, self_loops=self_loops, ties=False)
    assert single.copies is None
    rows, _ = contract(made.graph, None, made.copies)
    expected = single.graph.to_scipy().toarray() * np.outer(count, count)
    np.testing.assert_allclose(rows.to_scipy().toarray(), expected)
    ring, loop = count * (count > 1.0), count * float(self_loops)
    np.testing.assert_allclose(rows.degree, expected.sum(axis=1) + ring + loop)
    share = rows.degree / count
    assert np.abs(made.graph.degree / share[made.copies] - 1).max() < 0.5
    assert made.graph.n_edges < 2 * 9 * len(X)


def test_samples_without_copies_have_the_graph_they_had():
    X = np.random.default_rng(3).standard_normal((120, 4))
    one, other = (build_affinity(X, 8, ties=ties) for ties in (True, False))
    assert one.copies is other.copies is None
    np.testing.assert_array_equal(one.graph.indices, other.graph.indices)
    np.testing.assert_array_equal(one.graph.weights, other.graph.weights)


def test_the_paper_s_settings_join_all_that_tie():
    X, _ = answers()
    assert PaperPartition(3).fit(X).graph_.n_edges > 3000


@pytest.mark.parametrize("kernel", ["gaussian", "cosine"])
def test_the_order_of_rows_does_not_matter(kernel):
    X, _ = answers(200)
    order = np.random.default_rng(1).permutation(200)
    one, other = (build_affinity(Z, 6, kernel=kernel, ties=False) for Z in (X, X[order]))
    place = one.copies[order]
    first = np.unique(other.copies, return_index=True)[1]
    a, _ = contract(one.graph, None, one.copies)
    b, _ = contract(other.graph, None, place[first][other.copies])
    np.testing.assert_allclose(a.to_scipy().toarray(), b.to_scipy().toarray())


@pytest.mark.parametrize("neighbors", ["exact", "faiss", "sklearn"])
def test_a_row_seen_before_goes_where_it_was(neighbors):
    X, _ = answers()
    model = SSEPartition(3, neighbors=neighbors).fit(X)
    votes = np.zeros((model._copies.max() + 1, model.n_clusters_))
    np.add.at(votes, (model._copies, model.labels_), 1)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1)[model._copies])
    smooth = np.random.default_rng(0).standard_normal((150, 3))
    model = SSEPartition(4, neighbors=neighbors).fit(smooth)
    np.testing.assert_array_equal(model.predict(smooth), model.labels_)


def test_new_rows_count_copies_as_often_as_they_are_there():
    X, _ = answers()
    made = build_affinity(X, 9, ties=False)
    reach = made.extension.reach([[1.0, 5.0, 2.0, 5.5]])
    assert reach.weights.shape == (1, made.copies.max() + 1)
    assert not reach.equal.any()
    labels = (X[:, 0] > 2).astype(np.int32)
    modules = sentree.estimators.placement.Modules.of(made.graph, labels)
    places = sentree.estimators.placement._reached(reach, modules)
    every = reach.weights.toarray()[0][made.copies]
    assert places.weight.sum() == pytest.approx(every.sum())


def test_one_row_only():
    model = SSEPartition().fit(np.ones((12, 3)))
    assert model._copies.tolist() == [0] * 12
    assert model.graph_.n_edges == 12
    assert model.predict([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0]]).shape == (2,)


def test_saved_with_its_copies(tmp_path):
    X, _ = answers()
    model = SSEPartition(3).fit(X)
    again = sentree.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(again._copies, model._copies)
    new, _ = answers(50, seed=9)
    for one, other in zip(
        again.predict(new, return_strength=True),
        model.predict(new, return_strength=True),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again._widths(), model._widths())
    assert sentree.load(model.save(tmp_path / "bare", with_samples=False))._copies is not None
