"""Graphs in and out of files."""

import gzip
import io

import anndata
import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentree import Graph
from sentree.io import InputError, read_graph, write_graph

DENSE = np.array([[0.0, 1, 2], [1, 0, 0], [2, 0, 0]])


def weights(found):
    """The weight of each edge by the names of its ends."""
    key = [str(name) for name in found.key()]
    edges = zip(*(part.tolist() for part in found.graph.edges()), strict=True)
    return {frozenset((key[i], key[j])): w for i, j, w in edges}


def pair(a, b):
    return frozenset((a, b))


@pytest.fixture
def put(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(content, name="g.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


def saved(save, *args):
    buffer = io.BytesIO()
    save(buffer, *args)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.csv", "source,target,weight\nb,a,1\nc,b,2\n"),
        ("g.csv", "from,to,w\nb,a,1\nc,b,2\n"),
        ("g.csv", "b,a,1\nc,b,2\n"),
        ("g.csv", "b,a,0.5\nc,b,2\na,b,0.5\n"),
        ("g.csv", "note,source,target,weight\nx,b,a,1\ny,c,b,2\n"),
        ("g.tsv", "b\ta\t1\nc\tb\t2\n"),
        ("g.txt", "b a 1\nc b 2\n"),
        ("g.edges.gz", gzip.compress(b"b a 1\nc b 2\n", mtime=0)),
    ],
)
def test_lists_of_edges(put, name, content):
    found = read_graph(put(content, name))
    assert found.ids.tolist() == ["b", "a", "c"]
    assert weights(found) == {pair("a", "b"): 1, pair("b", "c"): 2}
    assert found.n == 3
    assert found.rows(["c", "a"]).tolist() == [2, 1]


def test_ids_that_are_numbers(put):
    assert read_graph(put("2,1\n0,2\n")).ids is None
    assert weights(read_graph(put("2,1\n0,2\n"))) == {pair("1", "2"): 1, pair("0", "2"): 1}
    assert read_graph(put("first,second\n2,1\n0,2\n")).ids is None
    one = read_graph(put("3,1\n10,3\n2,1\n4,5\n6,7\n8,9\n"))
    assert one.ids.tolist() == [str(k) for k in range(1, 11)]
    assert weights(one)[pair("10", "3")] == 1
    assert read_graph(put("7,1\n9,7\n")).ids.tolist() == ["7", "1", "9"]
    assert read_graph(put("01,02\n02,03\n")).ids.tolist() == ["01", "02", "03"]


def test_the_first_line_of_text_is_an_edge_unless_it_says_otherwise(put):
    name = put("ann,bob\nbob,cid\n")
    assert read_graph(name).ids.tolist() == ["ann", "bob", "cid"]
    assert read_graph(name, header=True).ids.tolist() == ["bob", "cid"]
    assert read_graph(put("a,b\nb,c\n")).ids.tolist() == ["a", "b", "c"]
    assert read_graph(put("A,B\nC,D\nE,F\n")).ids.tolist() == list("ABCDEF")
    assert read_graph(put("i,j\nx,y\n")).graph.n_edges == 2
    assert read_graph(put("a,b\n1,2\n")).ids.tolist() == ["1", "2"]
    assert read_graph(put("a,b,weight\nx,y,2\n")).ids.tolist() == ["x", "y"]
    assert read_graph(put("source,target\nx,y\n")).ids.tolist() == ["x", "y"]
    with pytest.raises(InputError, match="has no edges, only the names"):
        read_graph(put("source,target\n"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.mtx", saved(scipy.io.mmwrite, sp.coo_array(DENSE))),
        ("g.npz", saved(sp.save_npz, sp.csr_array(DENSE))),
        ("g.npz", saved(lambda b, x: np.savez(b, X=x), DENSE)),
        ("g.npy", saved(np.save, DENSE + np.eye(3))),
    ],
)
def test_matrices(put, name, content):
    found = read_graph(put(content, name))
    assert found.ids is None
    np.testing.assert_array_equal(found.graph.to_scipy().toarray(), DENSE)


def test_neighbours_of_cells(put):
    cells = anndata.AnnData(np.ones((3, 1), dtype=np.float32))
    cells.obs_names = ["x", "y", "z"]
    cells.write_h5ad("c.h5ad")
    with pytest.raises(InputError, match="no graph 'connectivities' in obsp.*scanpy.pp.neighbors"):
        read_graph("c.h5ad")
    cells.obsp["connectivities"] = sp.csr_matrix(DENSE)
    cells.obsp["other"] = sp.csr_matrix(2 * DENSE)
    cells.write_h5ad("c.h5ad")
    assert weights(read_graph("c.h5ad")) == {pair("x", "y"): 1, pair("x", "z"): 2}
    assert weights(read_graph("c.h5ad", layer="other"))[pair("x", "y")] == 2
    cells.obs["type"] = ["B", "T", "B"]
    cells.write_h5ad("c.h5ad")
    assert read_graph("c.h5ad").columns["type"].tolist() == ["B", "T", "B"]
    with pytest.raises(InputError, match="no graph 'othr' in obsp; did you mean 'other'"):
        read_graph("c.h5ad", layer="othr")


def test_graphml_of_networkx(put):
    graph = nx.Graph()
    graph.add_nodes_from(["lonely", "a & b"])
    graph.add_weighted_edges_from([("a & b", "c", 0.25), ("c", "d", 2.0)])
    nx.write_graphml(graph, "g.graphml")
    found = read_graph("g.graphml")
    assert found.ids.tolist() == ["lonely", "a & b", "c", "d"]
    assert weights(found) == {pair("a & b", "c"): 0.25, pair("c", "d"): 2.0}
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]), "g.graphml")
    with pytest.warns(UserWarning, match="directed graph: its edges lose their direction"):
        both = read_graph("g.graphml")
    assert weights(both) == {pair("a", "b"): 2, pair("b", "c"): 1}


def test_graphml_with_names(put):
    text = """<graphml><key id="v" for="node" attr.name="name"/><graph edgedefault="undirected">
      <node id="n0"><data key="v">ann</data></node><node id="n1"><data key="v">bob</data></node>
      <edge source="n1" target="n0"/></graph></graphml>"""
    found = read_graph(put(text, "g.graphml"))
    assert found.ids.tolist() == ["ann", "bob"]
    assert found.id_name == "name"
    same = read_graph(put(text.replace("bob", "ann"), "g.graphml"))
    assert same.ids.tolist() == ["n0", "n1"]


def test_attributes_of_nodes(put):
    graph = nx.Graph([("x", "y"), ("y", "z")])
    nx.set_node_attributes(graph, {"x": "u", "z": "v"}, "team")
    nx.set_node_attributes(graph, {"x": 1, "y": 2, "z": 3}, "size")
    nx.write_graphml(graph, "g.graphml")
    found = read_graph("g.graphml")
    assert {name: column.tolist() for name, column in found.columns.items()} == {
        "team": ["u", None, "v"],
        "size": [1, 2, 3],
    }
    assert read_graph(put("a,b\nb,c\n")).columns == {}


def test_defaults_of_attributes(put):
    text = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <key id="t" for="node" attr.name="team"><default>red</default></key>
      <key id="w" for="edge" attr.name="weight" attr.type="double"><default>3</default></key>
      <graph edgedefault="undirected"><node id="x"/>
      <node id="y"><data key="t">blue</data></node>
      <edge source="x" target="y"/></graph></graphml>"""
    found = read_graph(put(text, "g.graphml"))
    assert {name: column.tolist() for name, column in found.columns.items()} == {
        "team": ["red", "blue"]
    }
    assert weights(found) == {pair("x", "y"): 3}


def test_comments_before_the_edges(put):
    snap = '# Directed graph: say "x\n# FromNodeId\tToNodeId\n\n2\t1\n0\t2\n'
    assert weights(read_graph(put(snap, "g.txt"))) == {pair("1", "2"): 1, pair("0", "2"): 1}
    assert weights(read_graph(put("% sym\n%\nb a 2\n", "g.edges"))) == {pair("a", "b"): 2}
    assert weights(read_graph(put("# x, y, z\nb,a,2\n"))) == {pair("a", "b"): 2}
    assert read_graph(put("#love,#peace\n#peace,#war\n")).ids.tolist() == [
        *("#love", "#peace", "#war")
    ]


def test_a_graph_has_no_id_column_to_name(put):
    found = read_graph(put("ann,bob\nbob,cid\n"))
    with pytest.raises(InputError, match="no sample 'zzzz'.*take it out$"):
        found.rows(["zzzz"])


GRAPHML = (
    '<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"/>'
    '<graph edgedefault="undirected"><node id="a"/><node id="b"/>{}</graph></graphml>'
)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.csv", "a,b\nb,b\n", "line 2: an edge joins 'b' to itself"),
        ("g.csv", "a,b,1\nb,c,-2\n", "line 2: the weight is '-2'.*at least 0"),
        ("g.csv", "a,b,1\nb,c,x\n", "line 2: the weight is 'x'"),
        ("g.csv", "a,b,1\nb,c,\n", "line 2: the weight is ''"),
        ("g.csv", "a,b,1\nb,c,nan\n", "line 2: the weight is 'nan'"),
        ("g.csv", "a,b,1\nb,c\n", "line 2: expected 3 cells.*found 2"),
        ("g.csv", "a,b\nb,\n", "line 2: an id is empty"),
        ("g.csv", "a\nb\n", "has 1 column .*two, or three"),
        ("g.csv", "1,2,3,4\n5,6,7,8\n", "has 4 columns.*source, target and weight"),
        ("g.txt", "#Nodes: 3\n1 2 3\n", "line 1 is '#Nodes:', no part of the table"),
        ("g.txt", "%%MatrixMarket matrix\n3 3\n1 2\n", "line 1 is '%%MatrixMarket', no part"),
        ("g.txt", "# a\n\n# b\n", "comments alone"),
        ("g.txt", "# a\n% b\n1 2\n2 2\n", "line 4: an edge joins '2' to itself"),
        ("g.csv", "# a\nx,y,1\ny,z\n", "line 3: expected 3 cells.*found 2"),
        ("g.npy", saved(np.save, np.triu(DENSE)), "not symmetric.*symmetrise"),
        ("g.npy", saved(np.save, DENSE[:2]), "square matrix"),
        ("g.npy", saved(np.save, -DENSE), "between vertices 0 and 1 is -1.0"),
        ("g.npy", saved(np.save, np.where(DENSE == 2, np.nan, DENSE)), "is nan"),
        ("g.npy", saved(np.save, DENSE + 1j), "real numbers"),
        ("g.graphml", "<graphml><graph>", "cannot be read as GraphML"),
        ("g.graphml", "<graphml></graphml>", "cannot be read as GraphML"),
        ("g.graphml", '<graphml><graph edgedefault="directed"/></graphml>', "no nodes"),
        ("g.graphml", GRAPHML.format('<edge source="a" target="a"/>'), "joins 'a' to itself"),
        ("g.graphml", GRAPHML.format('<edge source="a" target="c"/>'), "names the node 'c'"),
        ("g.graphml", GRAPHML.format('<node id="b"/>'), "two nodes have the id 'b'"),
        (
            "g.graphml",
            GRAPHML.format('<edge source="a" target="b"><data key="w">-1</data></edge>'),
            "'a' to 'b' has weight -1.0",
        ),
        ("g.parquet", b"PAR1", "known endings"),
    ],
)
def test_wrong_graphs(put, name, content, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        read_graph(put(content, name))


names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=5)


@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.data(), st.sampled_from(["csv", "tsv", "graphml", "mtx", "npz"]))
def test_round_trip(tmp_path, data, suffix):
    ids = data.draw(st.lists(names, min_size=2, max_size=6, unique_by=str.strip))
    ids = [f"n{name}" for name in ids]
    edges = [(k, k + 1) for k in range(len(ids) - 1)] + [(0, len(ids) - 1)]
    weight = data.draw(st.lists(st.floats(0.01, 99), min_size=len(edges), max_size=len(edges)))
    graph = Graph.from_edges(edges, weight)
    write_graph(tmp_path / f"g.{suffix}", graph, ids)
    again = read_graph(tmp_path / f"g.{suffix}")
    order = np.arange(len(ids)) if suffix in ("mtx", "npz") else again.rows(ids)
    back = again.graph.to_scipy().toarray()[np.ix_(order, order)]
    np.testing.assert_allclose(back, graph.to_scipy().toarray(), rtol=1e-14)


def graphml(folder, body, keys='<key id="w" for="edge" attr.name="weight" attr.type="double"/>'):
    path = folder / "g.graphml"
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}{body}</graphml>'
    )
    return path


NODES = '<node id="a"/><node id="b"/><node id="c"/>'


def test_graphml_names_that_are_numbers_are_ids_of_text(tmp_path):
    keys = '<key id="n" for="node" attr.name="name" attr.type="int"/>'
    nodes = "".join(f'<node id="{k}"><data key="n">{k + 7}</data></node>' for k in range(3))
    body = f'<graph edgedefault="undirected">{nodes}<edge source="0" target="1"/></graph>'
    assert read_graph(graphml(tmp_path, body, keys)).ids.tolist() == ["7", "8", "9"]


def test_graphml_weights_without_a_type_are_numbers(tmp_path):
    edge = '<edge source="a" target="b"><data key="w">2.5</data></edge>'
    body = f'<graph edgedefault="undirected">{NODES}{edge}</graph>'
    keys = '<key id="w" for="edge" attr.name="weight" attr.type="string"/>'
    assert read_graph(graphml(tmp_path, body, keys)).graph.weights.tolist() == [2.5, 2.5]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f'<graph edgedefault="undirected">{NODES}</graph>' * 2, "two nodes|holds 2 graphs"),
        (
            f'<graph edgedefault="undirected">{NODES}<edge id="e" source="a" target="b"/>'
            '<edge id="e" source="a" target="b"/></graph>',
            "same id or key",
        ),
    ],
)
def test_what_networkx_would_pass_over_is_refused(tmp_path, body, message):
    with pytest.raises(InputError, match=message):
        read_graph(graphml(tmp_path, body))
