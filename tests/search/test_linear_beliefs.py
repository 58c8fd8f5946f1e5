"""Beliefs from features."""

import numpy as np
import scipy.sparse as sp

from sentree.search.beliefs import (
    KnownClasses,
)
from sentree.search.linear_beliefs import LinearBeliefs

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
