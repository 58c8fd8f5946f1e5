"""Beliefs from features."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from sentree.search.beliefs import KnownClasses
from sentree.search.linear_beliefs import LinearBeliefs, LogisticBeliefs, _thinned

NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def known(points, code, excluded=NOTHING):
    return KnownClasses(np.array(points), np.array(code), int(max(code)) + 1, excluded)


def test_features_tell_classes_that_differ_a_little_everywhere():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 30)) + 0.5 * np.where(y, 1, -1)[:, None]
    points = np.arange(40)
    labels = known(points, y[points])
    nothing = sp.csr_array((400, 2))
    found = LinearBeliefs(X).joined(nothing, labels)
    assert (found.toarray().argmax(axis=1) == y).mean() > 0.9
    assert np.allclose(found.sum(axis=1), 1.0)
    assert np.array_equal(found.toarray()[points].argmax(axis=1), y[points])


def test_features_keep_to_what_is_excluded():
    X = np.r_[np.zeros((10, 2)), np.ones((10, 2))] + np.arange(40).reshape(20, 2) / 1e3
    labels = known([0, 19], [0, 1], (np.array([5]), np.array([0])))
    found = LinearBeliefs(X).joined(sp.csr_array((20, 2)), labels).toarray()
    assert found[5, 0] == 0.0
    assert found[4].argmax() == 0


@pytest.mark.parametrize("k", [2, 3])
def test_logistic_beliefs_are_the_probabilities_of_a_logistic_regression(k):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, 60)
    X = np.eye(k)[y] + rng.normal(size=(60, k))
    points = np.arange(30)
    nothing = sp.csr_array((60, k))
    found = LogisticBeliefs(X).joined(nothing, known(points, y[points])).toarray()
    model = LogisticRegression(max_iter=500).fit(X[points], y[points])
    expected = np.maximum(model.predict_proba(X[30:]), 1e-3)
    np.testing.assert_allclose(found[30:], expected / expected.sum(axis=1, keepdims=True))
    assert np.array_equal(found[:30].argmax(axis=1), y[:30])


def test_logistic_beliefs_hold_classes_without_labels_for_unlikely():
    X = np.arange(12.0).reshape(6, 2)
    nothing = sp.csr_array((6, 3))
    two = KnownClasses(np.array([0, 5]), np.array([0, 2]), 3, NOTHING)
    assert LogisticBeliefs(X).joined(nothing, two).toarray()[:, 1].max() < 0.01
    one = KnownClasses(np.array([0]), np.array([1]), 3, NOTHING)
    assert (LogisticBeliefs(X).joined(nothing, one).toarray().argmax(axis=1) == 1).all()


def test_of_many_labels_each_class_keeps_its_share(monkeypatch):
    monkeypatch.setattr("sentree.search.linear_beliefs._MOST_LABELS", 4)
    code = np.array([0, 0, 1, 0, 0, 2, 0, 0, 0, 2])  # ten labels: every third of a class
    assert _thinned(code).tolist() == [0, 2, 4, 5, 8]
    X = np.eye(3)[code] + np.arange(30).reshape(10, 3) / 100
    found = LogisticBeliefs(X).joined(sp.csr_array((10, 3)), known(np.arange(10), code))
    assert np.array_equal(found.toarray().argmax(axis=1), code)
