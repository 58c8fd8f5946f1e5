import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from reference import random_problem, slow_finer, slow_taken_apart
from sentree import Constraints, Graph, SSEPartition, knn_graph
from sentree.datasets import sample_pairs
from sentree.relation.by_degree import SearchGraphs, anchor
from sentree.relation.relation import Relation
from sentree.search import scale
from sentree.search.kernels import multilevel
from sentree.search.scale import (
    _clearest_break,
    _growth,
    at_resolution,
    natural_clusters,
    search_inside,
    split_modules,
    to_number,
)


def plain(graph):
    return SearchGraphs.plain(graph)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(300, 5, centers=6, random_state=0)
    return knn_graph(X), y


@pytest.mark.parametrize("k", [1, 2, 5, 6, 9, 40, 150, 300])
def test_any_number_is_reached_from_either_side(blobs, k):
    graph, _ = blobs
    labels = multilevel(graph).labels
    if k < 6:  # six blobs that do not touch
        with pytest.warns(UserWarning, match=f"to reach n_clusters={k}"):
            found = to_number(plain(graph), labels, k)
    else:
        found = to_number(plain(graph), labels, k)
    assert sorted(set(found.tolist())) == list(range(k))


def test_the_number_counts_samples_not_anchors():
    X, y = make_blobs(200, 3, centers=4, random_state=1)
    graph = knn_graph(X)
    given = Constraints.from_labels(np.where(np.arange(200) % 4 == 0, y, -1))
    search = anchor(graph, given, given.closure(200), 0.1)
    modules = multilevel(search.graph, search.relation).labels
    for k in (4, 7, 12):
        found = to_number(search, modules, k)
        assert set(found[:200].tolist()) == set(range(k))
        assert set(found[200:].tolist()) <= set(range(k))


def test_a_higher_resolution_gives_more_clusters():
    X, _ = make_blobs(400, 2, centers=4, cluster_std=2.0, random_state=0)
    graph = knn_graph(X)
    labels = multilevel(graph).labels
    counts = [at_resolution(plain(graph), labels, r).max() + 1 for r in (0.01, 0.3, 1, 3, 10)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    model = SSEPartition(resolution=10.0).fit(X)
    assert model.n_clusters_ > SSEPartition(resolution=0.3).fit(X).n_clusters_


@pytest.mark.parametrize(
    ("n", "d", "k", "seed"),
    [(1000, 2, 5, 0), (1000, 10, 20, 1), (2000, 50, 10, 2), (1500, 3, 8, 4), (3000, 20, 60, 5)],
)
def test_separate_blobs_are_counted_without_being_told(n, d, k, seed):
    box = 10 * k ** (1 / d)
    X, y = make_blobs(n, d, centers=k, center_box=(-box, box), random_state=seed)
    model = SSEPartition().fit(X)
    assert abs(model.n_clusters_ - k) <= 0.1 * k
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_shapes_are_found_without_being_told():
    for X, y in (
        make_moons(800, noise=0.06, random_state=0),
        make_circles(800, factor=0.5, noise=0.05, random_state=0),
    ):
        model = SSEPartition().fit(X)
        assert model.n_clusters_ == 2
        assert adjusted_rand_score(y, model.labels_) > 0.98


def test_components_of_a_graph_are_a_clear_break():
    cliques = np.kron(np.eye(3), np.ones((5, 5))) - np.eye(15)
    graph = Graph.from_dense(cliques)
    assert (
        natural_clusters(plain(graph), np.arange(15)).labels.tolist() == [0] * 5 + [1] * 5 + [2] * 5
    )


def clouds():
    random = np.random.default_rng(3)
    return {
        "gaussian": random.normal(size=(1000, 2)),
        "uniform": random.uniform(size=(1000, 2)),
        "strip": random.uniform((0, 0), (20, 1), size=(1000, 2)),
        "many features": random.normal(size=(800, 20)),
        "more than samples": random.normal(size=(60, 100)),
    }


@pytest.mark.parametrize("name", clouds())
def test_one_cloud_is_one_cluster(name):
    assert SSEPartition().fit(clouds()[name]).n_clusters_ == 1


def test_rings_and_spirals_are_followed_far_below_chance():
    random = np.random.default_rng(0)
    t = np.sqrt(random.uniform(0.05, 1, 1200))
    y = np.arange(1200) % 2
    angle = 2 * np.pi * (1.5 * t + y / 2)
    X = t[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    model = SSEPartition().fit(X + random.normal(scale=0.015, size=X.shape))
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_a_small_cluster_beside_a_large_one_keeps_its_size():
    centres, sizes = np.array([[0, 0], [8, 0], [0, 8]]), [2000, 150, 60]
    y = np.repeat(np.arange(3), sizes)
    X = centres[y] + np.random.default_rng(1).normal(scale=0.9, size=(y.size, 2))
    model = SSEPartition().fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(y, model.labels_) > 0.99


@pytest.mark.parametrize("n", [4, 6, 8, 12, 20, 40])
def test_two_far_groups_of_few_samples(n):
    X = np.random.default_rng(n).normal(size=(2 * n, 2))
    X[n:] += 30
    found = SSEPartition(n_neighbors=min(n - 1, 4)).fit(X).labels_
    assert found.tolist() == [0] * n + [1] * n


def ring_of_cliques(count, size, link):
    dense = np.kron(np.eye(count), np.ones((size, size))) - np.eye(count * size)
    first = size * np.arange(count)
    after = np.roll(first + 1, -1)
    dense[first, after] = dense[after, first] = link
    return Graph.from_dense(dense)


def test_many_cliques_are_not_paired_although_chance_would_do():
    graph = ring_of_cliques(60, 5, 0.5)
    cliques = np.repeat(np.arange(60), 5)
    by_chance = at_resolution(plain(graph), cliques, 1.0)
    assert by_chance.max() + 1 < 60
    assert natural_clusters(plain(graph), cliques).labels.tolist() == cliques.tolist()


def test_the_scale_of_the_weights_does_not_matter():
    X, _ = make_moons(300, noise=0.08, random_state=2)
    graph = knn_graph(X)
    modules = multilevel(graph).labels
    heavier = Graph.from_scipy(graph.to_scipy() * 1000.0)
    found = [natural_clusters(plain(g), modules).labels for g in (graph, heavier)]
    assert np.array_equal(*found)


def test_a_stray_sample_changes_nothing_for_the_others():
    X, _ = make_blobs(120, 60, centers=3, cluster_std=4.0, random_state=0)
    dense = knn_graph(X).to_scipy().toarray()
    alone = SSEPartition(affinity="precomputed").fit(Graph.from_dense(dense)).labels_
    with pytest.warns(UserWarning, match="no neighbour"):
        stray = SSEPartition(affinity="precomputed").fit(Graph.from_dense(np.pad(dense, (0, 1))))
    assert np.array_equal(stray.labels_[:-1], alone)
    assert stray.labels_[-1] == alone.max() + 1


def test_contacts_of_shapes_and_of_clouds_are_told_apart():
    random = np.random.default_rng(0)
    size = np.exp(random.uniform(0, 3, 40))
    noise = np.exp(random.normal(scale=0.2, size=40))
    assert _growth(size**0.5 * noise, size) == pytest.approx(0.5, abs=0.1)
    assert _growth(noise / size, size) == 0.0
    assert _growth(size * noise, size) is None
    assert _growth(size[:20] ** 0.8 * noise[:20] ** 9, size[:20]) is None  # unsure
    assert _growth(size[:14] ** 0.5, size[:14]) is None  # too few
    assert _growth(noise, np.ones(40)) is None


def test_the_clearest_break_is_one_among_contacts_that_could_be_either():
    assert 0.1 < _clearest_break(np.array([0.05, 0.08, 0.1, 0.5, 0.55, 3.0]), 1.5) < 0.5
    assert 0.01 < _clearest_break(np.array([1e-30, 1e-9, 0.2, 0.3, 0.5]), 1.5) < 0.2
    assert _clearest_break(np.array([0.4, 0.5, 0.55, 9.0]), 1.5) == 0.0
    assert _clearest_break(np.array([1e-9, 1e-3]), 1.5) == 0.0
    assert _clearest_break(np.empty(0), 1.5) == 0.0


@st.composite
def sparse_graphs(draw):
    """Graphs that fall apart, with stars, isolated samples and weights far apart."""
    n = draw(st.integers(2, 12))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    weight = st.sampled_from([1e-9, 0.5, 1.0, 1e6])
    edges = draw(st.lists(st.tuples(pair, weight), min_size=1, max_size=2 * n))
    dense = np.zeros((n, n))
    for (i, j), w in edges:
        dense[i, j] = dense[j, i] = w
    return dense


@given(sparse_graphs(), st.data())
@settings(max_examples=120)
def test_exactly_as_many_clusters_as_wanted_and_a_warning_where_parts_were_joined(dense, data):
    k = data.draw(st.integers(1, len(dense)))
    n_parts, part = connected_components(csr_array(dense), directed=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SSEPartition(k, affinity="precomputed").fit(Graph.from_dense(dense))
    assert set(model.labels_.tolist()) == set(range(k))
    told = any(f"to reach n_clusters={k}" in str(warning.message) for warning in caught)
    assert told == (k < n_parts)
    if k <= n_parts:  # no part is cut while others are put together
        assert np.unique(np.column_stack((part, model.labels_)), axis=0).shape[0] == n_parts


@pytest.mark.parametrize("seed", range(3))
def test_pairs_do_not_break_up_what_belongs_together(seed):
    """Forty pairs of either kind: a search that follows them keeps them at any scale."""
    X, y = make_moons(400, noise=0.15, random_state=seed)
    given = sample_pairs(y, 0.1, 0.1, random_state=seed)
    model = SSEPartition().fit(X, constraints=given)
    assert model.n_clusters_ <= 3
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_pairs_find_the_classes_inside_one_cloud():
    X, _ = make_blobs(500, 2, centers=1, random_state=0)
    y = (X[:, 0] > X[:, 0].mean()).astype(int)
    given = sample_pairs(y, 0.2, 0.2, random_state=0)
    assert SSEPartition().fit(X).n_clusters_ == 1
    model = SSEPartition().fit(X, constraints=given)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y, model.labels_) > 0.7


def splittable(seed):
    """Graphs with isolated vertices, equal weights, relations, and in every third case anchors."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    graph, relation, *_ = random_problem(rng, n, density=4 / n, relation_density=1 / n, ties=True)
    labels = rng.integers(0, rng.integers(1, n), n)
    if seed % 3:
        return SearchGraphs(graph, Relation(relation) if seed % 3 == 1 else None, n), labels
    known = np.where(rng.random(n) < 0.5, rng.integers(0, 3, n), -1)
    given = Constraints.from_labels(known)
    return anchor(graph, given, given.closure(n), 0.3), labels


@pytest.mark.parametrize("seed", range(60))
def test_modules_are_taken_apart_as_if_each_were_cut_out_and_searched(seed):
    problem, labels = splittable(seed)
    assert np.array_equal(search_inside(problem, labels), slow_finer(problem, labels))
    for k in {1, problem.n // 2, problem.n - 1, problem.n} - {0}:
        found, expected = (f(problem, labels, k) for f in (split_modules, slow_taken_apart))
        assert np.array_equal(found, expected)


def couples(count):
    """Vertices joined and must-linked in twos, and modules of these: none splits."""
    pairs = np.arange(2 * count).reshape(-1, 2)
    graph = Graph.from_edges(pairs)
    return SearchGraphs(graph, Relation(5.0 * graph.to_scipy()), graph.n), np.arange(2 * count) // 2


def test_the_graph_is_read_once_however_many_modules_are_searched(monkeypatch):
    problem, labels = couples(30)
    read, whole = [], Graph.to_scipy
    monkeypatch.setattr(Graph, "to_scipy", lambda self: read.append(self.n) or whole(self))
    assert np.array_equal(search_inside(problem, labels), labels)
    assert read.count(problem.n) == 1


def test_what_does_not_split_is_searched_once(monkeypatch):
    problem, labels = couples(30)
    searched = []

    def counted(part, relation):
        searched.append(part.n)
        return multilevel(part, relation)

    monkeypatch.setattr(scale, "multilevel", counted)
    found = split_modules(problem, labels, 45)
    assert searched == [2] * 30
    assert found.max() + 1 == 45
