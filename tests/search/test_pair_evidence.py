"""Pairs as evidence beside the natural clusters, against exhaustive search; what they may do."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from sentree import Constraints, Graph, SSEPartition
from sentree.datasets import load_embedded
from sentree.search.kernels import multilevel
from sentree.search.pair_evidence import PairEvidence, _best_cut, _contracted, clusters_by_pairs

CENTRES = [[0, 0], [9, 0], [0, 9], [9, 9]]
BLOBS, OF_BLOB = make_blobs(400, 2, centers=CENTRES, random_state=0)


def true_pairs(y, count, seed):
    random = np.random.default_rng(seed)
    first = random.integers(len(y), size=count)
    second = (first + random.integers(1, len(y), size=count)) % len(y)
    pairs, same = np.column_stack((first, second)), y[first] == y[second]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def all_cuts(sides, k):
    """Every way to cut a forest: the kept unions are closed downwards."""
    unions = range(len(sides))
    for kept in itertools.product([False, True], repeat=len(sides)):
        below = [all(kept[s - k] for s in sides[u] if s >= k) for u in unions]
        if all(not kept[u] or below[u] for u in unions):
            yield kept


@pytest.mark.parametrize("seed", range(20))
def test_the_best_cut_is_that_of_an_exhaustive_search(seed):
    random = np.random.default_rng(seed)
    k = 7
    roots, sides = list(range(k)), []
    while len(roots) > 1 + seed % 2:
        a, b = sorted(random.choice(len(roots), 2, replace=False))
        sides.append([roots.pop(b), roots.pop(a)])
        roots.append(k + len(sides) - 1)
    weight = random.normal(size=len(sides))
    best = max(sum(weight[list(kept)]) for kept in all_cuts(sides, k))
    part = _best_cut(np.array(sides), weight.tolist(), k)
    of_node = [{part[i]} for i in range(k)]
    for a, b in sides:
        of_node.append(of_node[a] | of_node[b])
    whole = [len(parts) == 1 for parts in of_node[k:]]
    assert weight[whole].sum() == pytest.approx(best)


def value(labels, sides, nature, said):
    """What unions gain: what is said of all pairs, and per union the best that nature says."""
    total = sum(s for (a, b), s in zip(sides, said, strict=True) if labels[a] == labels[b])
    return total


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_united_only_where_something_speaks_for_it(seed):
    random = np.random.default_rng(seed)
    n = 6
    sides = np.array(list(itertools.combinations(range(n), 2)))
    nature, said = np.full(len(sides), -2.0), random.normal(scale=3, size=len(sides))
    labels = _contracted(n, sides, nature, said)
    apart = np.arange(n)
    unions = n - np.unique(labels).size
    gained = value(labels, sides, nature, said) - 2.0 * unions
    assert gained >= value(apart, sides, nature, said)
    for a, b in itertools.combinations(np.unique(labels), 2):  # nothing more would gain
        across = [k for k, (i, j) in enumerate(sides) if {labels[i], labels[j]} == {a, b}]
        assert said[across].sum() - 2.0 <= 0


def test_evidence_counts_every_kind_of_statement():
    told = Constraints.from_pairs([(0, 1)], [(2, 3)], weights=([2.0], [0.5]))
    told += Constraints.from_groups(together=[[4, 5, 6]], apart=[[7, 8]])
    pairs = PairEvidence.of(told, np.arange(9), 1.0)
    assert pairs.ends.tolist() == [[0, 1], [2, 3], [4, 5], [5, 6], [7, 8]]
    assert pairs.weight.tolist() == [2.0, -0.5, 1.0, 1.0, -1.0]
    assert pairs.broken(np.zeros(9)) == 1.5
    assert pairs.broken_vertices(np.arange(9)).tolist() == [0, 1, 4, 5, 6]
    # Samples that are one vertex say nothing about themselves.
    assert PairEvidence.of(told, np.zeros(9, dtype=int), 1.0).ends.size == 0


def test_without_pairs_nature_counts():
    graph = SSEPartition().fit(BLOBS).graph_
    modules = multilevel(graph).labels
    pairs = PairEvidence.of(Constraints(), np.arange(400), 1.0)
    found = clusters_by_pairs(graph, modules, OF_BLOB, pairs, None, (1.0, 1.0))
    assert adjusted_rand_score(found, OF_BLOB) == 1


def test_a_graph_of_parts_that_do_not_touch_can_be_united_and_divided():
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5)])
    one, both = np.zeros(6, dtype=np.int32), np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    apart = Constraints.from_pairs(cannot_link=[(0, 3), (1, 4), (2, 5)] * 3)
    pairs = PairEvidence.of(apart, np.arange(6), 3.0)
    found = clusters_by_pairs(graph, both, one, pairs, None, (1.0, 1.0))
    assert found.tolist() == [0, 0, 0, 1, 1, 1]
    together = Constraints.from_pairs(must_link=[(0, 3), (1, 4), (2, 5)] * 3)
    pairs = PairEvidence.of(together, np.arange(6), 3.0)
    found = clusters_by_pairs(graph, both, both, pairs, None, (1.0, 1.0))
    assert found.tolist() == [0] * 6


@pytest.mark.parametrize("n_clusters", [None, 4])
@pytest.mark.parametrize("hard", [False, True])
def test_one_pair_across_a_gap_or_inside_a_cluster_has_a_local_effect(n_clusters, hard):
    near = np.flatnonzero(OF_BLOB[0] == OF_BLOB)
    far = int(np.flatnonzero(OF_BLOB[0] != OF_BLOB)[0])
    for told in ({"must_link": [(0, far)]}, {"cannot_link": [(0, int(near[1]))]}):
        model = SSEPartition(n_clusters, hard=hard).fit(BLOBS, **told)
        others = np.setdiff1d(np.arange(400), [0, far, near[1]])
        assert adjusted_rand_score(OF_BLOB[others], model.labels_[others]) == 1
        assert model.constraint_report_.n_broken == (0 if hard else 1)


def test_pairs_that_agree_unite_and_divide_clusters():
    halves = OF_BLOB % 2
    found = SSEPartition().fit(BLOBS, **true_pairs(halves, 80, 0))
    assert adjusted_rand_score(halves, found.labels_) == 1
    moons, y = make_moons(500, noise=0.05, random_state=0)
    thirds = 2 * y + (moons[:, 0] > 0.5)
    alone = adjusted_rand_score(thirds, SSEPartition().fit(moons).labels_)
    found = SSEPartition().fit(moons, **true_pairs(thirds, 120, 0))
    assert adjusted_rand_score(thirds, found.labels_) > alone + 0.1


@pytest.mark.parametrize("n_pairs", [1, 5, 20, 60, 300])
def test_true_pairs_never_turn_a_result_into_noise(n_pairs):
    random = np.random.default_rng(0)
    X = np.vstack((random.normal(size=(500, 2)), random.normal((9, 9), 0.3, size=(15, 2))))
    y = np.repeat([0, 1], [500, 15])
    for seed in range(4):
        told = true_pairs(y, n_pairs, seed)
        for hard in (False, True):
            found = SSEPartition(hard=hard).fit(X, **told)
            assert adjusted_rand_score(y, found.labels_) > 0.9


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
@pytest.mark.parametrize("n_clusters", [None, 3])
def test_true_pairs_help_and_hard_ones_as_much_as_soft(name, n_clusters):
    X, y = load_embedded(name)
    alone = adjusted_rand_score(y, SSEPartition(n_clusters).fit(X).labels_)
    scores = {False: [], True: []}
    for seed in range(4):
        told = true_pairs(y, 60, seed)
        for hard, found in scores.items():
            labels = SSEPartition(n_clusters, hard=hard).fit(X, **told).labels_
            found.append(adjusted_rand_score(y, labels))
    assert np.mean(scores[False]) > alone
    assert np.mean(scores[True]) > np.mean(scores[False]) - 0.02
