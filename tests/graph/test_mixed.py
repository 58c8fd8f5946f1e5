"""Rows of numbers and categories: how they are compared, and what labels make of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

import sentree
from sentree import SSEHierarchy, SSEPartition
from sentree.graph.blocks import Block
from sentree.graph.choice import choose
from sentree.graph.scaling import Layout


def table(n=300, seed=0):
    """Three kinds of customers, whom words tell better than the amount, with gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    often = rng.random((n, 4)) < 0.7
    other = rng.integers(0, 3, (n, 4))
    levels = np.where(often, y[:, None], other)
    names = np.array([["red", "green", "blue"], ["p", "q", "r"], ["a", "b", "c"], ["x", "y", "z"]])
    frame = pd.DataFrame({f"word {j}": names[j][levels[:, j]] for j in range(4)})
    frame["amount"] = rng.normal(size=n) + y
    frame.loc[::17, "amount"] = np.nan
    frame.loc[::23, "word 1"] = None
    return frame, y


@pytest.mark.parametrize("apart", [1.6, 1.2])
def test_two_levels_of_any_category_are_as_far_apart_as_two_truths(apart):
    colour = np.eye(4)[[0, 1, 2, 3, 0, 0, 0, 0]]  # three levels are rare
    truth = np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    number = np.arange(8.0)
    samples = np.column_stack((colour, truth, number))
    blocks = (Block("colour", "category", 0, 4), Block("truth", "boolean", 4, 5),
              Block("number", "number", 5, 6))  # fmt: skip
    scaled = Layout.fit(samples, "table", "euclidean", None, blocks, apart).scaled(samples)
    between = squareform(pdist(scaled[:, :4]))
    same = colour @ colour.T > 0
    np.testing.assert_allclose(between, np.where(same, 0.0, apart), atol=1e-12)
    np.testing.assert_allclose(np.ptp(scaled[:, 4]), apart)
    np.testing.assert_allclose(scaled[:, 5].std(), 1.0)


def test_a_table_with_categories_is_mixed_and_says_so():
    frame, _ = table()
    settings = SSEPartition(3, prepare="auto").fit(frame).graph_settings_
    assert (settings.kind, settings.scale, settings.wide) == ("mixed", "table", True)
    assert str(settings) == (
        "mixed (5 columns, 4 of them categories): features scaled to variance 1, levels of a "
        "category to a fixed distance, distance euclidean"
    )


def test_many_levels_do_not_make_a_profile():
    wide = np.eye(80)[np.arange(400) % 80]
    assert choose(wide).kind != "mixed"
    assert choose(wide, (Block("city", "category", 0, 80),)).kind == "mixed"


@pytest.mark.parametrize("dtype", [float, int])
def test_tables_of_numbers_are_compared_as_ever(dtype):
    rng = np.random.default_rng(1)
    columns = 10 * rng.normal(size=(200, 4)) + rng.integers(0, 2, (200, 1)) * 20
    frame = pd.DataFrame(columns.astype(dtype), columns=list("abcd"))
    y = np.where(np.arange(200) < 10, np.arange(200) % 2, -1)
    prepared, plain = (SSEPartition(2, prepare=way).fit(frame, y) for way in ("auto", None))
    assert prepared.graph_settings_ == plain.graph_settings_
    assert np.array_equal(prepared.labels_, plain.labels_)
    assert np.array_equal(prepared.graph_.weights, plain.graph_.weights)


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_labels_of_a_mixed_table_reach_the_other_rows_and_new_ones(estimator, tmp_path):
    frame, y = table()
    labels = np.where(np.arange(300) < 30, y, -1)
    model = estimator(3, prepare="auto").fit(frame, labels)
    assert "a discriminant of the features" in str(model.selection_.chosen)
    found = np.array(model.cluster_names_)[model.labels_]
    assert (found == y)[30:].mean() > 0.85
    new, classes = table(200, seed=5)
    placed = model.predict(new)
    assert (np.array(model.cluster_names_)[placed] == classes).mean() > 0.75
    again = sentree.load(model.save(tmp_path / "model.npz"))
    assert again.graph_settings_ == model.graph_settings_
    assert np.array_equal(again.predict(new), placed)
    assert (model.predict(frame) == model.labels_).mean() > 0.9


def test_labels_choose_nothing_where_selection_is_off():
    frame, y = table()
    labels = np.where(np.arange(300) < 30, y, -1)
    model = SSEPartition(3, prepare="auto", selection="off").fit(frame, labels)
    assert model.selection_ is None
    assert (np.array(model.cluster_names_)[model.labels_] == y)[30:].mean() > 0.85
