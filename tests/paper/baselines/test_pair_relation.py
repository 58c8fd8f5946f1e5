import numpy as np
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from toy import CANNOT_LINK, MUST_LINK

from sentree import Constraints
from sentree.paper.baselines.pair_relation import (
    class_relation,
    exclusions,
    pair_relation,
    signed_relation,
)


def slow_relation(must, cannot, n):
    """Close by repeated products, then stretch every cannot-link one by one."""
    link = np.zeros((n, n), dtype=bool)
    for i, j in must:
        link[i, j] = link[j, i] = True
    reach = link.copy()
    for _ in range(n):
        reach = reach | (reach @ link)
    result = reach.astype(float)
    for i, j in cannot:
        left, right = np.flatnonzero(reach[i]), np.flatnonzero(reach[j])
        for a, b in [(i, j), *((a, b) for a in left for b in right)]:
            result[a, b] = result[b, a] = -1
    return result


@examples(st.integers(0, 10_000), st.integers(0, 8), st.integers(0, 8))
def test_the_closure_of_the_studies(seed, n_must, n_cannot):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, 12)
    i, j = random.integers(0, 12, (2, 200))
    different = i != j
    same = y[i] == y[j]
    pairs = np.column_stack((i, j))
    must, cannot = pairs[different & same][:n_must], pairs[~same][:n_cannot]
    relation = pair_relation(Constraints.from_pairs(must, cannot), 12)
    assert np.array_equal(relation.toarray(), slow_relation(must, cannot, 12))


def test_a_cannot_link_of_a_sample_without_must_links_stays_alone():
    relation = pair_relation(Constraints.from_pairs([(0, 1)], [(1, 2)]), 4).toarray()
    assert relation[1, 2] == relation[2, 1] == -1
    assert relation[0, 2] == 0
    assert relation.diagonal().tolist() == [1, 1, 0, 0]


def test_groups_are_pairs():
    groups = Constraints.from_groups(together=[[0, 1, 2]], apart=[[0, 4, 5]])
    pairs = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 4), (0, 5), (4, 5)])
    assert (pair_relation(groups, 6) != pair_relation(pairs, 6)).nnz == 0


def test_classes():
    expected = [[1, 0, -1, 1], [0, 0, 0, 0], [-1, 0, 1, -1], [1, 0, -1, 1]]
    assert class_relation(np.array([0, -1, 1, 0])).toarray().tolist() == expected


def test_negative_labels_separate_from_the_known_members():
    given = Constraints.from_negative_labels([(1, "a"), (3, "b")], classes=["a", "b", "c"])
    assert exclusions(given, np.array([0, -1, 0, -1])).toarray().tolist() == [
        [0, -1, 0, 0],
        [-1, 0, -1, 0],
        [0, -1, 0, 0],
        [0, 0, 0, 0],
    ]


@pytest.mark.parametrize("negative_labels", [False, True])
def test_sources_add_up_and_the_sign_counts(negative_labels):
    given = (
        Constraints.from_labels([0, 0, 1, -1, -1], classes=[0, 1, 2])
        + Constraints.from_pairs([(0, 1)], [(3, 4)])
        + Constraints.from_negative_labels([(3, 0)], classes=[0, 1, 2])
    )
    relation = signed_relation(given, 5, 3, negative_labels=negative_labels).toarray()
    apart = -1 if negative_labels else 0
    assert relation[:2, :2].tolist() == [[1, 1], [1, 1]]
    assert relation[0, 2] == relation[3, 4] == -1
    assert relation[3].tolist() == [apart, apart, 0, 0, -1]


def test_the_toy():
    relation = pair_relation(Constraints.from_pairs(MUST_LINK, CANNOT_LINK), 12)
    assert relation.nnz == 12 + 24
    assert (relation != relation.T).nnz == 0
