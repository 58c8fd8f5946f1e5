"""Graphs of samples against a dense oracle, the paper's figures, and every refusal."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sentree.graph.build import (
    KERNELS,
    build_affinity,
    graph_from_distances,
    knn_graph,
)
from sentree.paper.similarity import KernelSimilarity

SCALES = [None, "minmax", "zscore"]
NEGATIVE = ["clip", "shift", "error"]


def graph_and_similarity(X, *p, **settings):
    graph, extension, *_ = build_affinity(X, *p, **settings)
    return graph, KernelSimilarity(graph, extension)


class Oracle:
    """The whole similarity matrix, then the rules of the graph one after the other."""

    def __init__(self, X, p, kernel="gaussian", bandwidth="local", scale=None, negative="clip"):
        X = np.asarray(X, dtype=float)
        X = self._scaled(X, scale)
        self.p = min(p, len(X) - 1)
        self.silent = np.zeros(len(X), dtype=bool)
        if kernel in ("cosine", "correlation"):
            self._cosines(X, kernel)
        else:
            self.distance = cdist(X, X)
        self.mask = self._nearest()
        self.similarity = self._similarity(kernel, bandwidth, negative)
        self.similarity[self.silent] = self.similarity[:, self.silent] = 0.0
        np.fill_diagonal(self.similarity, 0.0)
        self.negative_edge = (self.mask & (self.similarity < 0)).any()
        self.weights = np.where(self.mask & (self.similarity > 0), self.similarity, 0.0)

    @staticmethod
    def _scaled(X, scale):
        if scale is None:
            return X
        scaled = (MinMaxScaler() if scale == "minmax" else StandardScaler()).fit_transform(X)
        scaled[:, np.ptp(X, axis=0) == 0] = 0.0
        return scaled

    def _cosines(self, X, kernel):
        if kernel == "correlation":
            constant = np.ptp(X, axis=1) <= 1e-13 * np.abs(X).max(axis=1)
            X = np.where(constant[:, None], 0.0, X - X.mean(axis=1, keepdims=True))
        length = np.linalg.norm(X, axis=1)
        self.silent = length == 0
        unit = X / np.where(self.silent, 1.0, length)[:, None]
        self.distance = 1 - unit @ unit.T

    def _nearest(self):
        """Keep entries up to rank p of a row in which the sample itself has rank 0."""
        ranked = self.distance.copy()
        ranked[:, self.silent] = np.inf
        np.fill_diagonal(ranked, -np.inf)
        limit = np.sort(ranked, axis=1)[:, self.p]
        slack = np.where(np.isfinite(limit), 1e-9 * np.abs(limit) + 1e-13, 0.0)
        mask = self.distance <= (limit + slack)[:, None]
        mask[self.silent] = mask[:, self.silent] = False
        np.fill_diagonal(mask, False)
        self.directed = mask
        return mask | mask.T

    def _similarity(self, kernel, bandwidth, negative):
        if kernel == "binary":
            return self.mask.astype(float)
        if kernel == "gaussian":
            s = self._widths() if bandwidth == "local" else np.full(len(self.distance), bandwidth)
            return np.exp(-(self.distance**2) / np.outer(s, s))
        cosine = 1 - self.distance
        cosine[np.abs(cosine) < 1e-12] = 0.0
        return (1 + cosine) / 2 if negative == "shift" else cosine

    def _widths(self):
        rows = [np.sort(d[m]) for d, m in zip(self.distance, self.directed, strict=True)]
        positive = np.concatenate(rows)
        positive = positive[positive > 0]
        middle = np.median(positive) if positive.size else 1.0
        widths = []
        for row in rows:
            s = row[min(7, self.p) - 1]
            if s == 0:
                s = next((d for d in row if d > 0), middle)
            widths.append(s)
        return np.array(widths)


def dense(graph):
    return graph.to_scipy().toarray()


def blobs(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, d))[rng.integers(4, size=n)] * 3 + rng.normal(size=(n, d))


grid = st.integers(-3, 3).map(float)
real = st.floats(-10, 10).map(lambda x: round(x, 3))
tables = arrays(
    np.float64, st.tuples(st.integers(2, 18), st.integers(1, 5)), elements=st.one_of(grid, real)
)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("negative", NEGATIVE)
@settings(max_examples=30)
@given(X=tables, p=st.integers(1, 20), bandwidth=st.sampled_from(["local", 0.7, 10.0]))
def test_graph_and_similarity_equal_the_dense_oracle(kernel, scale, negative, X, p, bandwidth):
    oracle = Oracle(X, p, kernel, bandwidth, scale, negative)
    arguments = {"kernel": kernel, "bandwidth": bandwidth, "scale": scale, "negative": negative}
    if oracle.negative_edge and negative == "error":
        with pytest.raises(ValueError, match="are neighbours of similarity -"):
            knn_graph(X, p, **arguments)
        return
    graph, similarity = graph_and_similarity(X, p, **arguments)
    np.testing.assert_allclose(dense(graph), oracle.weights, rtol=1e-9, atol=1e-13)
    if kernel == "binary":  # which says nothing of other pairs
        return
    low, high = similarity.extremes()
    assert low == pytest.approx(oracle.similarity.min(), abs=1e-12)
    assert high == pytest.approx(oracle.similarity.max(), abs=1e-12)
    i, j = np.indices(oracle.similarity.shape).reshape(2, -1)
    np.testing.assert_allclose(
        similarity.pairs(i, j), oracle.similarity.ravel(), rtol=1e-9, atol=1e-13
    )


@settings(max_examples=30)
@given(X=tables, p=st.integers(1, 20), kernel=st.sampled_from(list(KERNELS)))
def test_self_loops_add_one_to_the_degree_of_each_sample_with_a_direction(X, p, kernel):
    plain = knn_graph(X, p, kernel=kernel)
    looped = knn_graph(X, p, kernel=kernel, self_loops=True)
    silent = Oracle(X, p, kernel).silent
    np.testing.assert_array_equal(dense(looped), dense(plain))
    np.testing.assert_allclose(looped.degree, plain.degree + ~silent)


@settings(max_examples=40)
@given(X=tables, p=st.integers(1, 20), kernel=st.sampled_from(["gaussian", "cosine"]))
def test_sparse_equals_dense(X, p, kernel):
    graph, similarity = graph_and_similarity(X, p, kernel=kernel)
    thin, thin_similarity = graph_and_similarity(sp.csr_matrix(X), p, kernel=kernel)
    np.testing.assert_allclose(dense(thin), dense(graph), rtol=1e-9, atol=1e-13)
    assert thin_similarity.extremes() == pytest.approx(similarity.extremes(), abs=1e-12)
    i, j = np.indices((len(X), len(X))).reshape(2, -1)
    np.testing.assert_allclose(
        thin_similarity.pairs(i, j), similarity.pairs(i, j), rtol=1e-9, atol=1e-13
    )


def test_sparse_input_is_left_alone_and_never_made_dense(monkeypatch):
    X = sp.random_array((300, 50), density=0.05, format="coo", rng=np.random.default_rng(1))
    X = sp.csr_array(
        (np.r_[X.data, 1.0], (np.r_[X.coords[0], 0], np.r_[X.coords[1], 0])), shape=(300, 50_000)
    )
    before = (X.data.copy(), X.indices.copy(), X.indptr.copy())
    wide = []
    make = sp.csr_array.toarray
    monkeypatch.setattr(sp.csr_array, "toarray", lambda self: wide.append(self.shape) or make(self))
    for kernel in ("gaussian", "cosine"):
        assert knn_graph(X, 5, kernel=kernel).n == 300
    assert all(50_000 not in shape for shape in wide)
    for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("kind", ["float32", "int", "frame", "list", "fortran"])
def test_kinds_of_input(kind):
    X = np.random.default_rng(3).integers(0, 9, size=(30, 4)).astype(float)
    given_X = {
        "float32": X.astype(np.float32),
        "int": X.astype(np.int16),
        "frame": pd.DataFrame(X),
        "list": X.tolist(),
        "fortran": np.asfortranarray(X),
    }[kind]
    np.testing.assert_array_equal(dense(knn_graph(given_X, 4)), dense(knn_graph(X, 4)))


def test_polars_frames():
    import polars

    X = blobs(20, 3)
    frame = polars.DataFrame({f"f{k}": X[:, k] for k in range(3)})
    np.testing.assert_array_equal(dense(knn_graph(frame, 4)), dense(knn_graph(X, 4)))


def test_input_is_not_changed():
    X = blobs()
    copy = X.copy()
    for scale in SCALES:
        for kernel in KERNELS:
            graph_and_similarity(X, kernel=kernel, scale=scale)[1].extremes()
    np.testing.assert_array_equal(X, copy)


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("neighbors", ["exact", "faiss", "sklearn"])
@pytest.mark.parametrize(
    "X",
    [
        np.ones((6, 3)),
        np.zeros((6, 3)),
        np.array([[0.0, 1.0], [2.0, 0.0]]),
        np.vstack([np.zeros((3, 4)), np.eye(4), np.eye(4)]),
        np.repeat(np.arange(8.0).reshape(4, 2), 9, axis=0),
    ],
    ids=["equal", "zero", "two", "zero-rows", "duplicates"],
)
@pytest.mark.parametrize("scale", SCALES)
def test_degenerate_samples_give_finite_positive_weights(X, kernel, neighbors, scale):
    graph, similarity = graph_and_similarity(X, kernel=kernel, neighbors=neighbors, scale=scale)
    assert graph.n == len(X)
    assert (graph.weights > 0).all()
    assert np.isfinite(graph.weights).all()
    assert np.isfinite(similarity.extremes()).all()
    if kernel in ("cosine", "correlation"):
        silent = Oracle(X, 10, kernel, scale=scale).silent
        assert np.isin(np.flatnonzero(silent), graph.isolated).all()


def test_equal_samples_are_joined_with_weight_one():
    graph = knn_graph(np.full((12, 3), 0.1), 3)
    assert graph.n_edges == 66  # all ties are kept
    np.testing.assert_array_equal(graph.weights, 1.0)


def test_local_bandwidth_is_the_distance_to_the_seventh_neighbour():
    X = np.arange(20.0)[:, None] ** 1.5
    graph, similarity = graph_and_similarity(X, 9)
    distance = np.abs(X - X.T)
    s = np.sort(distance, axis=1)[:, 7]
    expected = np.exp(-(distance**2) / np.outer(s, s))
    i, j, weights = graph.edges()
    np.testing.assert_allclose(weights, expected[i, j])
    np.testing.assert_allclose(similarity.pairs(np.array([0]), np.array([19])), expected[0, 19])


def test_local_bandwidth_of_duplicates_falls_back():
    X = np.array([0.0] * 9 + [1.0, 3.0, 50.0])[:, None]
    graph, similarity = graph_and_similarity(X, 9)  # ranks 7 and 9 of the duplicates: 0 and 1
    assert similarity.pairs(np.array([0]), np.array([1])) == 1.0
    s_one = np.sort(np.abs(X[9] - X[:, 0]))[7]
    assert similarity.pairs(np.array([0]), np.array([9])) == pytest.approx(
        np.exp(-1.0 / (1.0 * s_one))
    )
    assert np.isfinite(graph.weights).all()


def test_scale_free_local_bandwidth():
    X = blobs()
    np.testing.assert_allclose(knn_graph(X * 1e-90).weights, knn_graph(X).weights, rtol=1e-9)


def test_samples_whose_distances_vanish_are_refused():
    X = blobs() * 1e-170
    for kind in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match=r"largest value of X is 8.08e-170.*multiply X by"):
            knn_graph(kind)
    expected = dense(knn_graph(blobs(), scale="minmax"))
    np.testing.assert_allclose(dense(knn_graph(X, scale="minmax")), expected, rtol=1e-9)
    np.testing.assert_allclose(
        dense(knn_graph(X, kernel="cosine")), dense(knn_graph(blobs(), kernel="cosine")), rtol=1e-9
    )
    assert knn_graph(np.zeros((4, 2)), 2).n_edges == 6  # equal is not too small


def test_underflow_drops_edges():
    X = np.array([[0.0], [1.0], [1000.0]])
    graph, similarity = graph_and_similarity(X, 1, bandwidth=1.0)
    assert graph.n_edges == 1
    np.testing.assert_array_equal(graph.isolated, [2])
    np.testing.assert_array_equal(similarity.pairs(np.array([2]), np.array([0])), [0.0])


def test_negative_cosines():
    X = np.array([[1.0, 0.1], [1.0, -0.1], [-1.0, 0.0]])
    clip, similarity = graph_and_similarity(X, 2, kernel="cosine")
    assert clip.n_edges == 1
    np.testing.assert_array_equal(clip.isolated, [2])
    cosine = -1 / np.sqrt(1.01)
    np.testing.assert_allclose(similarity.pairs(np.array([0, 2]), np.array([2, 2])), [cosine, 0.0])
    assert similarity.extremes()[0] == pytest.approx(cosine)
    shift, similarity = graph_and_similarity(X, 2, kernel="cosine", negative="shift")
    assert shift.n_edges == 3
    np.testing.assert_allclose(similarity.pairs(np.array([0]), np.array([2])), (1 + cosine) / 2)
    assert similarity.extremes()[0] == 0.0
    with pytest.raises(ValueError, match=r"samples 0 and 2 are neighbours of similarity -0\.99"):
        knn_graph(X, 2, kernel="cosine", negative="error")


def test_orthogonal_samples_are_not_joined_by_rounding():
    X = np.array([[-1.0, 1.0, 3.0, 1.0], [2.0, 0.0, 1.0, -1.0]])  # the cosine comes out as 2e-16
    graph, similarity = graph_and_similarity(X, 1, kernel="cosine")
    assert graph.n_edges == 0
    np.testing.assert_array_equal(similarity.pairs(np.array([0]), np.array([1])), [0.0])


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine"])
def test_other_metrics(metric):
    X = blobs()
    graph, similarity = graph_and_similarity(X, 6, metric=metric)
    distance = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    s = np.sort(distance, axis=1)[:, 6]
    expected = np.exp(-(distance**2) / np.outer(s, s))
    i, j = np.triu_indices(60, 1)
    np.testing.assert_allclose(similarity.pairs(i, j), expected[i, j], rtol=1e-8)
    mask = distance <= s[:, None] * (1 + 1e-9)
    np.testing.assert_allclose(
        dense(graph), np.where((mask | mask.T) & ~np.eye(60, dtype=bool), expected, 0), rtol=1e-8
    )


@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "correlation", "binary"])
@pytest.mark.parametrize("neighbors", ["faiss", "sklearn"])
def test_searches_agree_where_nothing_ties(kernel, neighbors):
    X = blobs(600, 6)
    one = dense(knn_graph(X, 8, kernel=kernel, neighbors="exact"))
    other = dense(knn_graph(X, 8, kernel=kernel, neighbors=neighbors))
    same = (one > 0) == (other > 0)
    assert same.sum() >= (one.size if neighbors == "sklearn" else 0.95 * one.size)
    edges = (one > 0) & (other > 0)
    assert edges.sum() >= 0.95 * (one > 0).sum()
    if kernel == "gaussian" and neighbors == "faiss":
        return  # a neighbour missed changes a local bandwidth
    np.testing.assert_allclose(one[edges], other[edges], rtol=1e-9)


def test_faiss_weights_are_those_of_the_pairs():
    graph, similarity = graph_and_similarity(blobs(2000, 8), neighbors="faiss")
    i, j, weights = graph.edges()
    np.testing.assert_array_equal(similarity.pairs(i, j), weights)


@pytest.mark.parametrize("neighbors", ["exact", "faiss", "sklearn"])
def test_same_graph_for_any_number_of_jobs(neighbors):
    X = blobs(1500, 8)
    one, two = (knn_graph(X, neighbors=neighbors, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_random_state_may_be_a_generator_of_old():
    X = blobs(500, 8)
    a, b = (
        knn_graph(X, neighbors="faiss", random_state=np.random.RandomState(4)) for _ in range(2)
    )
    np.testing.assert_array_equal(a.weights, b.weights)


class TestTransformers:
    @pytest.mark.parametrize("kernel", ["gaussian", "cosine", "binary"])
    def test_equals_the_built_in_search(self, kernel):
        X = blobs()
        metric = "cosine" if kernel == "cosine" else "euclidean"
        transformer = KNeighborsTransformer(n_neighbors=7, metric=metric)
        graph = knn_graph(X, kernel=kernel, neighbors=transformer)
        np.testing.assert_allclose(dense(graph), dense(knn_graph(X, 7, kernel=kernel)), rtol=1e-7)
        assert not hasattr(transformer, "n_samples_fit_")  # a copy was fitted

    def test_keeps_the_nearest_where_a_number_is_given(self):
        X = blobs()
        graph = knn_graph(X, 4, kernel="binary", neighbors=KNeighborsTransformer(n_neighbors=20))
        np.testing.assert_array_equal(dense(graph), dense(knn_graph(X, 4, kernel="binary")))

    def test_scaled_samples_reach_the_transformer(self):
        X = blobs() * [1, 10, 100, 1000, 10000]
        transformer = KNeighborsTransformer(n_neighbors=5)
        graph = knn_graph(X, scale="zscore", neighbors=transformer)
        np.testing.assert_allclose(dense(graph), dense(knn_graph(X, 5, scale="zscore")), rtol=1e-7)

    def test_radius_neighbours_may_leave_rows_empty(self):
        X = np.vstack([blobs(30, 2), [[500.0, 500.0]]])
        graph = knn_graph(X, neighbors=RadiusNeighborsTransformer(radius=2.0))
        assert graph.n == 31
        assert 30 in graph.isolated
        assert graph.n_edges > 0

    def test_connectivity_is_for_the_binary_kernel(self):
        X = blobs()
        transformer = KNeighborsTransformer(mode="connectivity", n_neighbors=5)
        with pytest.raises(ValueError, match="mode='connectivity' gives no distances"):
            knn_graph(X, neighbors=transformer)
        graph = knn_graph(X, kernel="binary", neighbors=transformer)
        assert (graph.weights == 1.0).all()
        # connectivity counts a sample as its own neighbour
        np.testing.assert_array_equal(dense(graph), dense(knn_graph(X, 4, kernel="binary")))

    @pytest.mark.parametrize(
        ("transformer", "arguments", "theirs"),
        [
            (KNeighborsTransformer(), {"kernel": "cosine"}, "euclidean"),
            (KNeighborsTransformer(p=1), {}, "manhattan"),
            (KNeighborsTransformer(metric="cosine"), {}, "cosine"),
        ],
    )
    def test_metrics_must_agree(self, transformer, arguments, theirs):
        with pytest.raises(ValueError, match=f"the transformer measures '{theirs}' distances"):
            knn_graph(blobs(), neighbors=transformer, **arguments)

    def test_manhattan_under_two_names(self):
        X = blobs()
        graph = knn_graph(X, metric="manhattan", neighbors=KNeighborsTransformer(p=1))
        np.testing.assert_allclose(dense(graph), dense(knn_graph(X, 5, metric="manhattan")))

    def test_must_return_a_square_sparse_matrix(self):
        with pytest.raises(ValueError, match=r"sparse matrix of shape \(60, 60\), got ndarray"):
            knn_graph(blobs(), neighbors=StandardScaler())


class TestGraphFromDistances:
    def test_equals_the_graph_of_the_samples(self):
        X = blobs()
        distances = KNeighborsTransformer(n_neighbors=10).fit_transform(X)
        np.testing.assert_allclose(dense(graph_from_distances(distances)), dense(knn_graph(X, 10)))
        np.testing.assert_allclose(
            dense(graph_from_distances(distances, 6, bandwidth=2.0)),
            dense(knn_graph(X, 6, bandwidth=2.0)),
        )

    def test_cosine_distances(self):
        X = blobs()
        distances = KNeighborsTransformer(n_neighbors=5, metric="cosine").fit_transform(X)
        np.testing.assert_allclose(
            dense(graph_from_distances(distances, kernel="cosine", self_loops=True)),
            dense(knn_graph(X, 5, kernel="cosine")),
        )

    def test_duplicates_stored_as_zero(self):
        X = np.repeat(blobs(10), 2, axis=0)
        distances = KNeighborsTransformer(n_neighbors=3).fit_transform(X)
        assert dense(graph_from_distances(distances, kernel="binary"))[0, 1] == 1.0

    def test_the_nearer_direction_counts(self):
        distances = sp.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))
        graph = graph_from_distances(distances, bandwidth=1.0)
        np.testing.assert_allclose(graph.weights, np.exp(-1.0))

    def test_self_loops(self):
        distances = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
        graph = graph_from_distances(distances, kernel="binary", self_loops=True)
        np.testing.assert_array_equal(graph.degree, [2.0, 2.0])

    @pytest.mark.parametrize(
        ("distances", "error", "message"),
        [
            (np.eye(3), TypeError, "expected a scipy sparse matrix, got ndarray"),
            (sp.csr_array((2, 3)), ValueError, r"square with at least 2 rows, got shape \(2, 3\)"),
            (sp.csr_array([[0.0, -1.0], [1.0, 0.0]]), ValueError, "from 0 to 1 is -1"),
            (sp.csr_array([[0.0, 1.0], [np.nan, 0.0]]), ValueError, "from 1 to 0 is nan"),
        ],
    )
    def test_refusals(self, distances, error, message):
        with pytest.raises(error, match=message):
            graph_from_distances(distances)


def bad(value, row=1, column=2):
    X = np.ones((4, 3))
    X[row, column] = value
    return X


@pytest.mark.parametrize(
    ("X", "arguments", "message"),
    [
        (np.ones(5), {}, r"X must be 2-D \(samples by features\), got shape \(5,\)"),
        (np.ones((1, 3)), {}, r"at least 2 samples and 1 feature, got shape \(1, 3\)"),
        (np.ones((3, 0)), {}, r"at least 2 samples and 1 feature, got shape \(3, 0\)"),
        (bad(np.nan), {}, "X has nan in row 1, column 2; values must be finite"),
        (bad(-np.inf, 3, 0), {}, "X has -inf in row 3, column 0"),
        (bad(1e200), {}, r"X has 1e\+200 in row 1, column 2"),
        (sp.csr_array(bad(np.nan)), {}, "X has nan in row 1, column 2"),
        (np.ones((3, 3), dtype=complex), {}, "X must hold real numbers, got dtype complex"),
        (np.array([["a"], ["b"]]), {}, "X must hold real numbers, got dtype <U1"),
        (np.eye(3), {"kernel": "tanh"}, r"unknown kernel 'tanh'; choose from \['gaussian', "),
        (np.eye(3), {"scale": "log"}, r"unknown scale 'log'; choose from \[None, 'minmax', "),
        (np.eye(3), {"negative": "abs"}, r"unknown negative 'abs'; choose from \['clip', "),
        (np.eye(3), {"neighbors": "annoy"}, r"unknown neighbors 'annoy'; choose from \['auto', "),
        (np.eye(3), {"neighbors": 5}, "unknown neighbors 5; choose from"),
        (np.eye(3), {"neighbors": KNeighborsTransformer}, "unknown neighbors <class"),
        (np.eye(3), {"bandwidth": 0.0}, "bandwidth must be 'local' or a number > 0, got 0.0"),
        (np.eye(3), {"bandwidth": "global"}, "bandwidth must be 'local' or a number > 0"),
        (np.eye(3), {"bandwidth": np.nan}, "bandwidth must be 'local' or a number > 0, got nan"),
        (np.eye(3), {"n_neighbors": 0}, "n_neighbors must be 'auto' or an integer >= 1, got 0"),
        (np.eye(3), {"n_neighbors": 2.5}, "n_neighbors must be 'auto' or an integer >= 1, got 2.5"),
        (np.eye(3), {"n_neighbors": True}, "n_neighbors must be 'auto' or an integer >= 1"),
        (np.eye(3), {"n_neighbors": "many"}, "n_neighbors must be 'auto' or an integer >= 1"),
        (np.eye(3), {"kernel": "cosine", "metric": "manhattan"}, "takes no metric='manhattan'"),
        (np.eye(3), {"metric": "nope"}, "unknown metric 'nope' for dense data; choose from"),
        (sp.eye_array(3), {"kernel": "correlation"}, "'correlation' centres the rows"),
        (
            sp.eye_array(3),
            {"scale": "minmax", "kernel": "cosine"},
            "scale='minmax' moves zeros",
        ),
        (sp.eye_array(3), {"neighbors": "faiss"}, "neighbors='faiss' needs dense data"),
    ],
)
def test_refusals(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        knn_graph(X, **arguments)


def test_default_is_ten_neighbours():
    X = blobs(200)
    np.testing.assert_array_equal(knn_graph(X).indices, knn_graph(X, 10).indices)
