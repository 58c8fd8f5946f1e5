"""What features say about classes that the tree does not know."""

import numpy as np
import pytest
import scipy.sparse as sp

from sentree import Graph, SSEPartition
from sentree.active import similarity as module
from sentree.active.similarity import Similarity, Vote, best_vote

RNG = np.random.default_rng(0)
ROWS = np.vstack([RNG.normal(size=(12, 3)) + shift for shift in (0, 3, 6)])
CODE = np.repeat([0, 1, 2], 12)
NOTHING = np.full((36, 3), 1 / 3)


def softmax(score):
    return np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)


def slow_vote(rows, units, code, others):
    """The best vote by fitting once more without every answer."""
    k, told = others.shape[1], np.bincount(code)[code] > 1
    wanted = np.where(code[:, None] == np.arange(k), 1.0, -1 / (k - 1))
    belief = np.log(np.maximum(others, 1e-3))
    right = np.arange(len(code)), code
    linear = rows @ rows.T + 1.0
    distance = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    tried = []
    for power in module._POWERS:
        gain = np.log(softmax(power * belief)[right])[told].sum()
        tried.append((gain + module._PRICE * np.log2(power), Vote(power, None)))
    for similar in (linear, np.exp(-2 * distance)):
        for ridge in module._RIDGES:
            between = similar[np.ix_(units, units)]
            hidden = np.empty_like(wanted)
            for one in range(len(code)):
                rest = np.arange(len(code)) != one
                inner = between[np.ix_(rest, rest)] + ridge * np.eye(len(code) - 1)
                hidden[one] = between[one, rest] @ np.linalg.solve(inner, wanted[rest])
            weights = np.linalg.solve(between + ridge * np.eye(len(code)), wanted)
            for power in module._POWERS:
                for factor in module._FACTORS:
                    score = softmax(power * belief + factor * hidden)
                    gain = np.log(score[right])[told].sum()
                    gain -= module._PRICE * (1 - np.log2(power))
                    tried.append((gain, Vote(power, factor * similar[:, units] @ weights)))
    return max(tried, key=lambda one: one[0])[1]


def scaled(rows):
    centred = rows - rows.mean(axis=0)
    return centred / np.sqrt((centred**2).sum(axis=1).mean())


@pytest.mark.parametrize("seed", range(3))
def test_votes_are_those_of_fits_without_every_answer(seed):
    rng = np.random.default_rng(seed)
    units = rng.permutation(36)[:9]
    others = rng.dirichlet(np.ones(3), size=9)
    found = best_vote(Similarity(ROWS), units, CODE[units], others)
    expected = slow_vote(scaled(ROWS), units, CODE[units], others)
    assert found.power == expected.power
    assert expected.votes is not None
    np.testing.assert_allclose(found.votes, expected.votes, atol=1e-8)


def test_features_that_tell_classes_have_a_vote_and_noise_has_none():
    units = np.arange(36)
    vote = best_vote(Similarity(ROWS), units, CODE, NOTHING)
    believed = vote.joined(NOTHING)
    np.testing.assert_allclose(believed.sum(axis=1), 1.0)
    assert (believed.argmax(axis=1) == CODE).mean() > 0.9
    sure = np.where(CODE[:, None] == np.arange(3), 0.98, 0.01)  # what the tree says anyway
    noise = RNG.permutation(ROWS)
    assert best_vote(Similarity(noise), units, CODE, sure) == Vote(1.0, None)


def test_few_answers_and_graphs_have_no_vote():
    assert best_vote(Similarity(ROWS), np.arange(3), np.arange(3), NOTHING[:3]) == Vote(1.0, None)
    assert best_vote(Similarity(ROWS), np.arange(12), CODE[:12], NOTHING[:12, :1]).votes is None
    assert best_vote(None, np.arange(36), CODE, NOTHING).votes is None
    graph = Graph.from_edges([(0, 1), (1, 2)])
    model = SSEPartition(affinity="precomputed").fit(graph)
    assert Similarity.of(model, np.arange(3)) is None


def test_similarities_are_remembered_and_equal_for_sparse_rows():
    length = np.linalg.norm(ROWS, axis=1, keepdims=True)
    linear, local = Similarity(sp.csr_array(ROWS)).columns(np.array([3, 5]))
    rows = ROWS / length
    np.testing.assert_allclose(linear, rows @ rows[[3, 5]].T + 1)
    np.testing.assert_allclose(local, np.exp(-2 * (2 - 2 * (rows @ rows[[3, 5]].T))), atol=1e-12)
    dense = Similarity(ROWS)
    first = dense.columns(np.array([3, 5]))
    np.testing.assert_array_equal(dense.columns(np.array([5, 3]))[0], first[0][:, ::-1])
    assert Similarity(np.ones((4, 2))).columns(np.array([0]))[1].tolist() == [[1.0]] * 4


def test_answers_beyond_the_most_are_thinned_evenly(monkeypatch):
    monkeypatch.setattr(module, "_MOST_ANSWERS", 9)
    vote = best_vote(Similarity(ROWS), np.arange(36), CODE, NOTHING)
    assert (vote.joined(NOTHING).argmax(axis=1) == CODE).mean() > 0.9
