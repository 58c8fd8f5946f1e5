"""Samples too many to be copied: the same results range by range, and no copies."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import SSEPartition
from sentree.estimators.inputs import is_plain
from sentree.graph import large
from sentree.graph.choice import choose
from sentree.graph.copies import find_copies, row_keys
from sentree.graph.large import moments, ranges, row_ranges
from sentree.graph.scaling import Layout, Scaled, check_samples
from sentree.graph.tails import find_tails


@pytest.fixture
def small_limit(monkeypatch):
    """Make all samples of more than 200 numbers large, in ranges of 64."""
    monkeypatch.setattr(large, "LARGE", 200)
    monkeypatch.setattr(large, "_RANGE", 64)


@pytest.fixture
def table():
    """Numbers of different spread, a long tail, two values, and a constant."""
    rng = np.random.default_rng(0)
    columns = [
        rng.normal(1e3, 2.0, 300),
        np.exp(rng.normal(0, 1.5, 300)),
        rng.integers(0, 2, 300) * 5.0,
        np.full(300, 7.0),
    ]
    return np.column_stack(columns)


def test_ranges_have_all_rows_once(small_limit, table):
    parts = list(row_ranges(table))
    assert len(parts) > 5
    assert np.concatenate([np.arange(300)[rows] for rows in parts]).tolist() == list(range(300))
    np.testing.assert_array_equal(np.concatenate(list(ranges(table.astype(np.float32)))),
                                  table.astype(np.float32))  # fmt: skip


def test_few_samples_are_one_range(table):
    assert list(row_ranges(table)) == [slice(0, 300)]


@pytest.mark.parametrize("scale", ["minmax", "zscore", "table", "centre", "maxabs", "log-zscore"])
@pytest.mark.parametrize("tails", [False, True])
def test_scales_of_ranges_are_those_of_the_whole(scale, tails, table, monkeypatch):
    long = find_tails(table) if tails else None
    weights, directions = np.array([1.0, 0.5, 2.0, 1.0]), np.ones((4, 2))
    whole = Layout.fit(table, scale, "euclidean", long).weighed(weights, directions)
    expected = whole.scaled(table)
    monkeypatch.setattr(large, "LARGE", 200)
    monkeypatch.setattr(large, "_RANGE", 64)
    layout = Layout.fit(table, scale, "euclidean", long).weighed(weights, directions)
    found = layout.scaled(table)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    # A training sample is found equal when it is predicted, in a batch of any size.
    np.testing.assert_array_equal(layout.scaled(table[17:18])[0], found[17])


def test_rows_are_scaled_when_they_are_asked_for(small_limit, table):
    layout = Layout.fit(table, "table", "euclidean").weighed(np.ones(4), np.ones((4, 2)))
    rows, expected = Scaled(table, layout), layout.scaled(table)
    assert rows.shape == expected.shape == (300, 6)
    for some in (slice(3, 40), slice(None, None, 7), np.array([5, 2, 9]), np.arange(300)[::-1]):
        np.testing.assert_array_equal(rows[some], expected[some])
    assert rows[np.arange(300)] is rows


def test_large_samples_are_not_copied(small_limit, table):
    for given in (table, table.astype(np.float32)):
        assert np.shares_memory(check_samples(given), given)
    assert check_samples(table.astype(np.int64)).dtype == np.float64


def test_a_value_that_is_not_finite_is_found_in_any_range(small_limit, table):
    table[250, 2] = np.inf
    with pytest.raises(ValueError, match="row 250, column 2"):
        check_samples(table)
    assert not is_plain(table)
    assert not is_plain(pd.DataFrame(table))
    with pytest.raises(ValueError, match="infinity .first at row 250, column 2"):
        SSEPartition().fit(table)


def test_keys_of_rows_do_not_depend_on_precision(table):
    single = table.astype(np.float32)
    np.testing.assert_array_equal(row_keys(single), row_keys(single.astype(np.float64)))
    assert find_copies(single, row_keys(single)) is None
    single[7] = single[205]
    assert np.flatnonzero(find_copies(single, row_keys(single)).count == 2).size == 1


def test_moments(small_limit, table):
    mean, covariance = moments(table)
    np.testing.assert_allclose(mean, table.mean(axis=0))
    np.testing.assert_allclose(covariance, np.cov(table.T, bias=True), rtol=1e-9, atol=1e-9)


def test_components_are_recognised_range_by_range(monkeypatch):
    rng = np.random.default_rng(1)
    centred = rng.normal(size=(400, 4))
    centred -= centred.mean(axis=0)
    components = np.linalg.svd(centred, full_matrices=False)[0] * [8, 4, 2, 1]
    assert choose(components).kind == "components"
    monkeypatch.setattr(large, "LARGE", 200)
    assert choose(components).kind == "components"


@pytest.mark.parametrize("known", [False, True])
def test_a_file_mapped_to_memory_is_clustered_in_place(tmp_path, small_limit, known):
    X, y = make_blobs(600, 5, centers=4, random_state=3)
    labels = np.where(np.arange(600) % 9 == 0, y, -1) if known else None
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = SSEPartition(n_clusters=4).fit(mapped, labels)
    assert np.shares_memory(model._extension.samples, mapped)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(mapped[:50]), model.labels_[:50])
    model.save(tmp_path / "model.npz")
    import sentree

    again = sentree.load(tmp_path / "model.npz")
    assert again._extension.layout.single
    np.testing.assert_array_equal(again.predict(mapped[:50]), model.labels_[:50])
