"""The benchmark on data that are not the paper's: its draws and made sets are what they say."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from families import CUSTOMER_SHARES, FAMILIES, make
from general_sets import halves
from tasks import TASKS, draw

SMALL = [name for name, family in FAMILIES.items() if family.n <= 2_500]


@pytest.mark.parametrize("name", SMALL)
def test_a_family_is_as_large_as_it_says_and_the_same_for_the_same_seed(name):
    X, y = make(name, 3)
    again, y_again = make(name, 3)
    assert len(X) == len(y) == FAMILIES[name].n
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert np.array_equal(np.unique(y), np.arange(y.max() + 1))
    if y.max() > 0:
        assert not np.array_equal(X, make(name, 4)[0])


@pytest.mark.parametrize("d", [2, 20])
def test_ward_finds_clusters_of_very_different_sizes(d):
    X, y = make(f"sizes-2000+200+20-{d}d", 0)
    assert X.shape == (2_220, d)
    assert sorted(np.bincount(y)) == [20, 200, 2_000]
    assert adjusted_rand_score(y, AgglomerativeClustering(3).fit_predict(X)) > 0.95


def test_customers_have_twelve_columns_and_the_shares_promised():
    X, y = make("customers-6000", 0)
    assert X.shape == (6_000, 12)
    np.testing.assert_allclose(np.bincount(y) / 6_000, CUSTOMER_SHARES)


def test_embeddings_have_unit_length_and_categories_one_column_each():
    X, _ = make("sentences-1500-384d", 0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    X, _ = make("categories-300", 0)
    np.testing.assert_array_equal(X.reshape(300, -1, 4).sum(axis=2), 1)


def test_components_are_centred_and_their_variance_falls():
    X, _ = make("components-1500", 0)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-9)
    assert (np.diff(X.var(axis=0)) <= 0).all()


@pytest.fixture
def y():
    return np.random.default_rng(0).choice(4, size=1_000, p=[0.7, 0.2, 0.09, 0.01])


@pytest.mark.parametrize("task", TASKS)
def test_draws_repeat_and_say_the_truth_but_where_errors_are_asked_for(task, y):
    given = draw(task, y, "a set", 1)
    for once, again in zip(given, draw(task, y, "a set", 1), strict=True):
        np.testing.assert_array_equal(once, again)
    if given.must_link is not None:
        assert len(given.must_link) + len(given.cannot_link) == 60
        assert (np.diff(y[given.must_link]) == 0).all()
        assert (np.diff(y[given.cannot_link]) != 0).all()
    if given.labels is not None:
        labelled = given.labels >= 0
        assert np.array_equal(given.scored(y.size), ~labelled)
        wrong = {"10%-wrong": 0.1, "30%-wrong": 0.3}.get(task, 0)
        assert (given.labels != y)[labelled].sum() == round(wrong * labelled.sum())


@pytest.mark.parametrize(("task", "share"), [("5%-labels", 0.05), ("half", 0.5)])
def test_a_share_of_every_class_is_labelled(task, share, y):
    labels = draw(task, y, "a set", 0).labels
    sizes = np.bincount(y)
    found = np.bincount(labels[labels >= 0], minlength=4)
    np.testing.assert_array_equal(found, np.maximum(np.rint(share * sizes), 1))


def test_the_same_rows_are_labelled_with_and_without_errors(y):
    right, wrong = (draw(task, y, "a set", 2).labels for task in ("5%-labels", "30%-wrong"))
    np.testing.assert_array_equal(right >= 0, wrong >= 0)
    assert not np.array_equal(right, draw("5%-labels", y, "another", 2).labels)


def test_halves_are_every_second_set():
    half = halves(["a", "b", "c", "d", "e"])
    assert [name for name in half if half[name] == "choosing"] == ["a", "c", "e"]
    assert [name for name in half if half[name] == "confirming"] == ["b", "d"]
