"""The relation graph with the weights of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings

from sentree.constraints import Constraints
from sentree.paper.relation import relation_by_similarity
from statement_cases import cases


class MatrixSimilarity:
    """A dense similarity that counts how often its extremes are asked for."""

    def __init__(self, matrix):
        self.matrix = np.array(matrix, dtype=float)
        np.fill_diagonal(self.matrix, 0.0)
        self.calls = 0

    def pairs(self, i, j):
        return self.matrix[i, j]

    def extremes(self):
        self.calls += 1
        return float(self.matrix.min()), float(self.matrix.max())


def random_similarity(n, seed=0):
    half = np.random.default_rng(seed).random((n, n))
    return MatrixSimilarity((half + half.T) / 2)


def test_relation_has_the_weights_of_the_paper():
    similarity = random_similarity(6)
    low, high = similarity.extremes()
    relation = relation_by_similarity(
        Constraints.from_pairs([(0, 1), (1, 2)], [(2, 3), (4, 5)]), 6, similarity
    )
    s, expected = similarity.matrix, np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        expected[i, j] = expected[j, i] = 2.0 * (high - s[i, j])
    for i, j in [(0, 3), (1, 3), (2, 3), (4, 5)]:
        expected[i, j] = expected[j, i] = 2.0 * (3 / 4) * (low - s[i, j])
    np.testing.assert_allclose(relation.toarray(), expected, rtol=1e-14)


@settings(max_examples=50)
@given(cases())
def test_relation_is_symmetric_and_signed(case):
    constraints = case.constraints()
    if constraints.conflicts(case.n):
        return
    relation = relation_by_similarity(constraints, case.n, random_similarity(case.n), penalty=1.5)
    assert (relation != relation.T).nnz == 0
    assert relation.has_sorted_indices
    assert not relation.diagonal().any()
    assert np.all(relation.data != 0)
    closure = constraints.closure(case.n)
    same = closure.component[:, None] == closure.component[None, :]
    row, column = relation.nonzero()
    assert np.array_equal(relation.data > 0, same[row, column])


def test_relation_without_must_links_keeps_cannot_links():
    similarity = random_similarity(4)
    relation = relation_by_similarity(
        Constraints.from_pairs(None, [(0, 1)]), 4, similarity, penalty=1.0
    )
    assert relation[0, 1] == pytest.approx(similarity.extremes()[0] - similarity.matrix[0, 1])


def test_relation_multiplies_weights_and_penalty():
    similarity = random_similarity(5)
    plain = Constraints.from_pairs([(0, 1)], [(2, 3)])
    heavy = Constraints.from_pairs([(0, 1)], [(2, 3)], weights=([3.0], [0.5]))
    a, b = (
        relation_by_similarity(plain, 5, similarity, penalty=1.0),
        relation_by_similarity(heavy, 5, similarity, penalty=4.0),
    )
    assert b[0, 1] == pytest.approx(12 * a[0, 1])
    assert b[2, 3] == pytest.approx(2 * a[2, 3])
    assert relation_by_similarity(heavy, 5, similarity, penalty=0.0).nnz == 0


def test_relation_drops_zeros_and_survives_rounding():
    similarity = MatrixSimilarity([[0, 1, 0.2], [1, 0, 0.3], [0.2, 0.3, 0]])
    assert relation_by_similarity(Constraints.from_pairs([(0, 1)]), 3, similarity).nnz == 0
    similarity.extremes = lambda: (0.0, 1.0 - 1e-9)
    assert relation_by_similarity(Constraints.from_pairs([(0, 1)]), 3, similarity).nnz == 0


def test_extremes_are_asked_for_only_when_needed():
    similarity = random_similarity(4)
    relation = relation_by_similarity(Constraints.from_negative_labels([(0, "a")]), 4, similarity)
    assert relation.shape == (4, 4)
    assert relation.nnz == 0
    assert similarity.calls == 0
    relation_by_similarity(Constraints.from_pairs([(0, 1)]), 4, similarity)
    assert similarity.calls == 1


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.inf])
def test_relation_refuses_a_bad_penalty(penalty):
    with pytest.raises(ValueError, match="penalty must be finite and >= 0"):
        relation_by_similarity(Constraints(), 3, random_similarity(3), penalty=penalty)


def test_relation_refuses_bad_similarities():
    similarity = random_similarity(4)
    similarity.matrix[0, 2] = np.nan
    similarity.extremes = lambda: (0.0, 1.0)
    with pytest.raises(ValueError, match="similarity of 0 and 2 is nan"):
        relation_by_similarity(Constraints.from_pairs([(1, 2), (0, 2)]), 4, similarity)
    similarity.pairs = lambda i, j: np.zeros((i.size, 1))
    with pytest.raises(ValueError, match=r"gave shape \(1, 1\) for 1 pairs"):
        relation_by_similarity(Constraints.from_pairs([(1, 2)]), 4, similarity)


def test_relation_passes_the_number_of_classes():
    similarity = MatrixSimilarity(np.arange(16).reshape(4, 4) + np.arange(16).reshape(4, 4).T)
    labels = Constraints.from_labels([0, 1, -1, -1])
    constraints = labels + Constraints.from_negative_labels([(2, 0)])
    assert relation_by_similarity(constraints, 4, similarity)[1, 2] == 0
    assert relation_by_similarity(constraints, 4, similarity, n_classes=2)[1, 2] > 0
