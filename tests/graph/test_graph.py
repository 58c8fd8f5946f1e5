import numpy as np
import pytest
import scipy.sparse as sp

from sentree import Graph

TRIANGLE = [[0, 1.0, 2], [1, 0, 3], [2, 3, 0]]


def test_from_dense_sparse_and_edges_agree():
    dense = Graph.from_dense(TRIANGLE)
    sparse = Graph.from_scipy(sp.coo_matrix(np.array(TRIANGLE)))
    edges = Graph.from_edges([(1, 0), (2, 0), (1, 2)], [1, 2, 3])
    for graph in (sparse, edges):
        for name in ("indptr", "indices", "weights", "degree"):
            assert np.array_equal(getattr(graph, name), getattr(dense, name))
    assert dense.degree.tolist() == [3, 4, 5]
    assert (dense.n, dense.n_edges, dense.volume) == (3, 3, 12)


def test_types_and_read_only():
    graph = Graph.from_dense(np.array(TRIANGLE, dtype=np.float32))
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int64, np.int32)
    assert (graph.weights.dtype, graph.degree.dtype) == (np.float64, np.float64)
    for name in ("indptr", "indices", "weights", "degree"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(graph, name)[0] = 1
    with pytest.raises(AttributeError):
        graph.weights = np.ones(6)


def test_the_input_is_left_alone():
    matrix = sp.csr_array(np.array([[5.0, 1], [1, 0]]))
    before = matrix.toarray()
    Graph.from_scipy(matrix)
    assert np.array_equal(matrix.toarray(), before)
    matrix.data[:] = 9
    assert Graph.from_dense(before).weights.tolist() == [1, 1]


def test_duplicate_edges_add_up_and_zeros_vanish():
    graph = Graph.from_edges([(0, 1), (1, 0), (1, 2)], [1, 2, 0], n=4)
    assert graph.n_edges == 1
    assert graph.degree.tolist() == [3, 3, 0, 0]
    assert graph.isolated.tolist() == [2, 3]


def test_self_loops():
    matrix = sp.csr_array(np.array([[2.0, 1], [1, 0]]))
    assert Graph.from_scipy(matrix).degree.tolist() == [1, 1]
    kept = Graph.from_scipy(matrix, self_loops="keep")
    assert kept.degree.tolist() == [3, 1]
    assert kept.strength.tolist() == [1, 1]
    with pytest.raises(ValueError, match="vertex 0 has a self-loop"):
        Graph.from_scipy(matrix, self_loops="error")


def test_edges_lists_each_edge_once():
    i, j, weight = Graph.from_dense(TRIANGLE).edges()
    assert list(zip(i.tolist(), j.tolist(), weight.tolist(), strict=True)) == [
        (0, 1, 1.0),
        (0, 2, 2.0),
        (1, 2, 3.0),
    ]


def test_to_scipy_round_trips():
    graph = Graph.from_dense(TRIANGLE)
    again = Graph.from_scipy(graph.to_scipy())
    assert np.array_equal(again.weights, graph.weights)
    matrix = graph.to_scipy()
    assert matrix.indptr.dtype == matrix.indices.dtype == np.int32  # scikit-learn insists
    matrix.data[:] = 0
    assert graph.volume == 12


def test_mirrored_weights_that_differ_by_rounding_are_made_equal():
    matrix = np.array([[0, 0.1 + 0.2], [0.3, 0]])
    graph = Graph.from_dense(matrix)
    assert graph.weights[0] == graph.weights[1]


def test_empty_graph():
    graph = Graph.from_edges([], n=3)
    assert (graph.n, graph.n_edges, graph.volume) == (3, 0, 0.0)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [2, 0]], r"not symmetric: weight \d to \d"),
        ([[0, 1e-9, 1], [2e-9, 0, 0], [1, 0, 0]], "not symmetric: weight"),
        ([[0, -1], [-1, 0]], "between vertices 0 and 1 is -1.0"),
        ([[0, np.nan], [np.nan, 0]], "between vertices 0 and 1 is nan"),
        ([[0, np.inf], [np.inf, 0]], "between vertices 0 and 1 is inf"),
        ([[0, 1, 2], [1, 0, 3]], "square"),
    ],
)
def test_bad_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_dense(matrix)
    with pytest.raises(ValueError, match=message):
        Graph.from_scipy(sp.csr_array(np.array(matrix)))


def test_not_a_matrix_and_not_real():
    with pytest.raises(TypeError, match="scipy sparse"):
        Graph.from_scipy(np.eye(2))
    with pytest.raises(ValueError, match="real numbers"):
        Graph.from_scipy(sp.csr_array(np.array([[0, 1j], [1j, 0]])))


@pytest.mark.parametrize(
    ("edges", "weights", "n", "message"),
    [
        ([(0, 5)], None, 3, r"edge 0 is \(0, 5\), outside 0..2"),
        ([(0, 1), (-1, 1)], None, 3, r"edge 1 is \(-1, 1\)"),
        ([(0, 1), (2, 2)], None, 3, "edge 1 joins vertex 2 to itself"),
        ([(0, 1)], [np.nan], 3, "edge 0 has weight nan"),
        ([(0, 1)], [-2], 3, "edge 0 has weight -2"),
        ([(0, 1)], [1, 2], 3, "1 edges but weights of shape"),
        ([(0, 1, 2)], None, 3, "shape"),
        ([(0.5, 1)], None, 3, "integers"),
    ],
)
def test_bad_edges_are_refused(edges, weights, n, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(edges, weights, n=n)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0, 1], [0], [1.0], None), "no diagonal"),
        (([0, 1, 2], [1, 0], [1.0], None), "2 indices but 1 weights"),
        (([0, 2, 1], [1, 0], [1.0, 1.0], None), "indptr"),
        (([0, 1, 2], [1, 7], [1.0, 1.0], None), "outside 0..1"),
        (([0, 1, 2], [1, 0], [1.0, 1.0], [0.5, 1.0]), "degree of vertex 0 is 0.5"),
        (([0, 1, 2], [1, 0], [1.0, 1.0], [1.0]), "degree has shape"),
        (([0, 2, 3, 4], [2, 1, 0, 0], [1.0] * 4, None), "increasing"),
    ],
)
def test_bad_arrays_are_refused(arrays, message):
    indptr, indices, weights, degree = arrays
    with pytest.raises(ValueError, match=message):
        Graph(np.array(indptr), np.array(indices), np.array(weights), degree)


def test_repr_tells_the_sizes():
    assert repr(Graph.from_dense(TRIANGLE)) == "Graph(n=3, n_edges=3, volume=12)"


def test_weights_that_mirror_one_another_stay_as_they_are_and_others_are_averaged():
    exact = np.array([[0, 0.1, 0.3], [0.1, 0, 0], [0.3, 0, 0]])
    assert np.array_equal(Graph.from_dense(exact).to_scipy().toarray(), exact)
    nearly = exact.copy()
    nearly[0, 1] *= 1 + 1e-10
    found = Graph.from_dense(nearly).to_scipy().toarray()
    assert found[0, 1] == found[1, 0] == (nearly[0, 1] + nearly[1, 0]) / 2


def test_a_zero_stored_on_one_side_alone_is_no_edge():
    matrix = sp.csr_array(([0.0, 1.0, 1.0], ([0, 0, 2], [1, 2, 0])), shape=(3, 3))
    assert matrix.nnz == 3
    assert Graph.from_scipy(matrix).n_edges == 1


def test_isolated_vertices_are_appended_as_if_the_graph_were_made_with_them():
    graph = Graph.from_dense(TRIANGLE)
    larger = graph.with_isolated([0.5, 2.0])
    made = Graph([*graph.indptr, 6, 6], graph.indices, graph.weights, [*graph.degree, 0.5, 2.0])
    for name in ("indptr", "indices", "weights", "degree"):
        assert np.array_equal(getattr(larger, name), getattr(made, name))
        assert getattr(larger, name).dtype == getattr(made, name).dtype
        assert not getattr(larger, name).flags.writeable
    assert larger.isolated.tolist() == [3, 4]
    assert graph.n == 3
    for wrong in ([-1.0], [np.nan], 1.0):
        with pytest.raises(ValueError, match="finite numbers"):
            graph.with_isolated(wrong)
