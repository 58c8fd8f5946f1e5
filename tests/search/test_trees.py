import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import clades, leaves_below, random_parent
from sentree import Constraints, SSEHierarchy, SSEPartition, dendrogram_purity
from sentree.metrics import level_purity
from sentree.paper import PaperHierarchy
from sentree.search.trees import _with_subtrees
from sentree.tree import EncodingTree


def nested_blobs(seed, per=50):
    """Three groups of three blobs that overlap, and paths for a tenth, half of them coarse."""
    rng = np.random.default_rng(seed)
    centres = [rng.normal(size=(k, 4)) for k in (3, 9)]
    coarse, fine = (3 * c / np.linalg.norm(c, axis=1, keepdims=True) for c in centres)
    y = np.repeat(np.arange(9), per)
    X = coarse[y // 3] + fine[y] + rng.normal(size=(9 * per, 4))
    paths = [None] * y.size
    for k, i in enumerate(rng.permutation(y.size)[: y.size // 10].tolist()):
        paths[i] = f"{y[i] // 3}" if k % 2 else f"{y[i] // 3}/{y[i]}"
    return X, y, paths


@pytest.fixture(scope="module")
def fits():
    found = []
    for seed in range(4):
        X, y, paths = nested_blobs(seed)
        told = Constraints.from_paths(paths)
        labels = Constraints.from_labels([p and p.split("/")[0] for p in paths])
        models = [SSEHierarchy().fit(X, constraints=c) for c in (None, told, labels)]
        found.append((y, told, *models))
    return found


def test_the_coarse_level_is_purer_with_paths(fits):
    def purity(model, y):
        return dendrogram_purity(model.tree_, y // 3), dendrogram_purity(model.tree_, y)

    plain = np.mean([purity(plain, y) for y, _, plain, _, _ in fits], axis=0)
    paths = np.mean([purity(paths, y) for y, _, _, paths, _ in fits], axis=0)
    assert paths[0] > plain[0] + 0.1
    assert paths[1] > plain[1] - 0.05  # a tenth of the samples tells little about the inside


def test_what_was_said_is_kept(fits):
    for _, told, plain, paths, _ in fits:
        assert min(level_purity(told, paths.tree_)) > 0.95
        assert min(level_purity(told, plain.tree_)) < 0.85


def test_clusters_are_the_coarsest_classes_and_nodes_of_the_tree(fits):
    for _, _, _, model, _ in fits:
        assert model.n_clusters_ == 3
        nodes = clades(model.tree_)
        for cluster in range(3):
            assert frozenset(np.flatnonzero(model.labels_ == cluster).tolist()) in nodes
        assert model.tree_.volume[-1] == pytest.approx(model.graph_.volume)
        assert model.trace_[-1] == model.objective_


def test_the_height_is_kept_and_so_are_more_clusters():
    X, _, paths = nested_blobs(0)
    told = Constraints.from_paths(paths)
    for height in (2, 3, 4):
        assert SSEHierarchy(height=height).fit(X, constraints=told).tree_.height <= height
    assert SSEHierarchy(n_clusters=5).fit(X, constraints=told).n_clusters_ == 5
    with pytest.raises(ValueError, match="height 1 has no clusters"):
        SSEHierarchy(height=1).fit(X, constraints=told)


def test_results_repeat():
    X, _, paths = nested_blobs(1)
    first, second = (SSEHierarchy().fit(X, constraints=Constraints.from_paths(paths)) for _ in "ab")
    assert np.array_equal(first.tree_.parent, second.tree_.parent)


def test_clusters_given_and_clusters_without_edges():
    X, _, paths = nested_blobs(3)
    told = Constraints.from_paths(paths)
    first = SSEHierarchy().fit(X, constraints=told)
    again = SSEHierarchy().fit(X, constraints=told, init=first.labels_)
    assert again.n_clusters_ == 3
    assert min(level_purity(told, again.tree_)) > 0.95
    edges = np.zeros((8, 8))
    edges[0, 1] = edges[1, 0] = edges[2, 3] = edges[3, 2] = 1
    lonely = Constraints.from_paths(["a/x", "a/y", "a/x", "a/y", "b/x", "b/y", "b/x", "b/y"])
    with pytest.warns(UserWarning, match="no neighbour"):
        model = SSEHierarchy(affinity="precomputed").fit(edges, constraints=lonely)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert level_purity(lonely, model.tree_)[0] == 1


def test_three_levels_and_hard_coarse_labels():
    X, y, _ = nested_blobs(2)
    rng = np.random.default_rng(0)
    paths = [None] * y.size
    for i in rng.permutation(y.size)[:60].tolist():
        paths[i] = (f"{int(y[i] > 2)}", f"{y[i] // 3}", f"{y[i]}")[: rng.integers(1, 4)]
    told = Constraints.from_paths(paths).hardened()
    model = SSEHierarchy().fit(X, constraints=told)
    assert model.n_clusters_ == 2
    assert model.constraint_report_.share == 1
    assert min(level_purity(told, model.tree_)) > 0.9


def test_searches_without_a_tree_say_that_finer_labels_do_not_count():
    X, _, paths = nested_blobs(0, per=10)
    told = Constraints.from_paths([*paths[:-2], "0/0", "1/3"])
    with pytest.warns(UserWarning, match="labels finer than those of the clusters"):
        SSEPartition().fit(X, constraints=told)
    with pytest.warns(UserWarning, match="finer labels are ignored"):
        PaperHierarchy().fit(X, constraints=told)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(3, 25))
def test_subtrees_take_the_place_of_what_was_there(seed, n):
    rng = np.random.default_rng(seed)
    parent = np.array(random_parent(rng, n), dtype=np.int32)
    below = leaves_below(parent.tolist(), n)
    replaced, taken = [], set()
    for node in rng.permutation(np.arange(n, parent.size)).tolist():
        if len(below[node]) > 2 and not below[node] & taken:
            taken |= below[node]
            subtree = np.array(random_parent(rng, len(below[node])), dtype=np.int32)
            replaced.append((node, np.array(sorted(below[node])), subtree))
    found = clades(EncodingTree.from_parent(_with_subtrees(parent, replaced)))
    expected = {frozenset(b) for b in below}
    for node, members, subtree in replaced:
        expected -= {frozenset(b) for b in below if b < below[node] and len(b) > 1}
        inner = leaves_below(subtree.tolist(), members.size)
        expected |= {frozenset(members[list(b)].tolist()) for b in inner}
    assert found == expected
