"""Clusters for samples that must be apart: found, or a reason why there are none."""

import numpy as np
import pytest

from sentree import SSEPartition
from sentree.constraints import ConstraintConflict, colouring
from sentree.constraints.colouring import Uncolourable, colour


def test_colours_match_an_exhaustive_search():
    random = np.random.default_rng(3)
    for _ in range(200):
        n, k = int(random.integers(3, 8)), int(random.integers(2, 4))
        chosen = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.6]
        edges = np.array(chosen, dtype=np.int64).reshape(-1, 2)
        every = np.stack(np.meshgrid(*[range(k)] * n, indexing="ij"), -1).reshape(-1, n)
        possible = (every[:, edges[:, 0]] != every[:, edges[:, 1]]).all(axis=1).any()
        wish = random.integers(0, 2, n).astype(np.int32)
        try:
            found = colour(n, edges, k, wish)
        except Uncolourable as error:
            assert not possible
            core = np.isin(edges, error.core).all(axis=1)
            left = edges[core]
            assert not (every[:, left[:, 0]] != every[:, left[:, 1]]).all(axis=1).any()
        else:
            assert possible
            assert (found[edges[:, 0]] != found[edges[:, 1]]).all()
            assert found.max(initial=0) < k


def test_many_cannot_links_are_kept_without_an_exhaustive_search(monkeypatch):
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, 300)
    pairs = random.integers(0, 300, (1800, 2))
    pairs = pairs[classes[pairs[:, 0]] != classes[pairs[:, 1]]]
    nothing = np.zeros(300, dtype=np.int32)
    monkeypatch.setattr(colouring, "_MOST_STEPS", 5)
    found = colour(300, pairs, 3, nothing)
    assert (found[pairs[:, 0]] != found[pairs[:, 1]]).all()
    assert set(found) == {0, 1, 2}
    monkeypatch.setattr(colouring, "_MOST_REPAIRS", 0)
    with pytest.raises(Uncolourable) as error:
        colour(300, pairs, 3, nothing)
    assert not error.value.proved


def test_giving_up_is_not_called_a_contradiction(monkeypatch):
    for most in ("_MOST_STEPS", "_MOST_REPAIRS"):
        monkeypatch.setattr(colouring, most, 0)
    X = np.random.default_rng(0).normal(size=(40, 2))
    clique = [(a, b) for a in range(5) for b in range(a)]
    with pytest.raises(ValueError, match="no way was found to keep 10 hard cannot-links") as error:
        SSEPartition(n_clusters=4, hard=True).fit(X, cannot_link=clique)
    assert not isinstance(error.value, ConstraintConflict)
