"""Tables and trees into files and back, and files from one format to another."""

import gzip
import io
import json
import os
import sys

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sentree
from sentree import Constraints, EncodingTree, Graph
from sentree.io import (
    InputError,
    Names,
    read_constraints,
    read_graph,
    read_samples,
    read_tree,
    write_constraints,
    write_graph,
    write_table,
    write_tree,
)
from sentree.io.convert import convert

fast = settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- tables ---

COLUMNS = {"id": ["a", 'b,"', "ü\n"], "cluster": [0, 1, 1], "strength": [0.5, np.nan, 1 / 3]}


def test_formats(folder):
    for name in ("t.csv", "t.tsv", "t.txt", "t.csv.gz"):
        write_table(name, COLUMNS)
    assert (folder / "t.csv").read_bytes().decode() == (
        'id,cluster,strength\na,0,0.5\n"b,""",1,\n"ü\n",1,0.3333333333333333\n'
    )
    assert (folder / "t.tsv").read_text().splitlines()[0] == "id\tcluster\tstrength"
    assert gzip.decompress((folder / "t.csv.gz").read_bytes()) == (folder / "t.csv").read_bytes()
    write_table("t.parquet", COLUMNS)
    pd.testing.assert_frame_equal(pd.read_parquet("t.parquet"), pd.DataFrame(COLUMNS))
    write_table("t.json", COLUMNS)
    assert json.loads((folder / "t.json").read_text())[1] == {
        "id": 'b,"',
        "cluster": 1,
        "strength": None,
    }
    write_table("t.npy", {"cluster": COLUMNS["cluster"]})
    assert np.load("t.npy").tolist() == [0, 1, 1]
    write_table("out", COLUMNS, format="csv")
    assert (folder / "out").read_bytes() == (folder / "t.csv").read_bytes()


def test_standard_output(capsysbinary):
    write_table("-", {"x": [1, 2]})
    assert capsysbinary.readouterr().out == b"x\n1\n2\n"


def test_a_closed_standard_output(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match="standard output is closed"):
        write_table("-", {"x": [1, 2]})


def test_wrong_targets(folder):
    (folder / "d.csv").mkdir()
    for target, columns, message in (
        ("t.csv", {"a": [1], "b": [1, 2]}, "same length"),
        ("t.npy", COLUMNS, "'id' holds no numbers"),
        ("t.xyz", COLUMNS, "known endings"),
        ("d.csv", COLUMNS, "is a folder"),
        ("no/t.csv", COLUMNS, "no folder no to write t.csv to"),
    ):
        with pytest.raises(InputError, match=message):
            write_table(target, columns)
    assert os.listdir(folder) == ["d.csv"]


texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)
numbers = st.floats(-1e12, 1e12)


@fast
@given(st.data(), st.sampled_from(["csv", "tsv", "csv.gz", "parquet"]))
def test_round_trip(tmp_path, data, suffix):
    ids = data.draw(st.lists(texts, min_size=2, max_size=5, unique=True))
    ids = [f"r{name}" for name in ids]  # text, not numbers
    n = len(ids)
    classes = data.draw(st.lists(st.just("") | texts, min_size=n, max_size=n))
    values = data.draw(st.lists(numbers, min_size=n, max_size=n))
    columns = {"id": np.array(ids, dtype=object), "x": values, "label": classes}
    target = tmp_path / f"t.{suffix}"
    write_table(target, columns)
    samples = read_samples(target, take=["label"])
    assert samples.ids.tolist() == ids
    assert samples.columns["label"].tolist() == classes
    np.testing.assert_allclose(samples.X["x"], values, rtol=1e-11)  # as pandas reads by default


# --- trees ---


@pytest.fixture
def tree():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], [1, 2, 1, 3])
    return EncodingTree.from_parent([5, 5, 7, 6, 6, 7, 8, 8, -1], graph)


@pytest.mark.parametrize("name", ["t.nwk", "t.newick", "t.json", "t.csv", "t.tsv", "t.npy"])
def test_trees(folder, tree, name):
    ids = ["a", "NA", "7", "d e", "é,'"]
    write_tree(name, tree, ids)
    again = read_tree(name, ids)
    assert again.to_newick(ids) == tree.to_newick(ids)
    if name in ("t.json", "t.csv", "t.tsv"):
        np.testing.assert_array_equal(again.cut, tree.cut)
        assert again.names == tuple(ids)
        with pytest.raises(InputError, match="leaf 0 is 'a', but sample 0 is .é,'"):
            read_tree(name, ids[::-1])
    with pytest.raises(InputError, match=name):
        read_tree(name, ids[:-1])


def test_the_leaves_of_newick_come_in_any_order(folder, tree):
    write_tree("t.nwk", tree, list("abcde"))
    again = read_tree("t.nwk", list("edcba"))
    assert again.names == tuple("edcba")
    assert again.to_newick(lengths=None).count("(") == 4


def test_trees_on_standard_streams(capsysbinary, monkeypatch, tree):
    write_tree("-", tree)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(capsysbinary.readouterr().out)))
    assert read_tree("-").to_newick() == tree.to_newick()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.nwk", "((a,b;", "no tree: Newick"),
        ("t.json", "{}", "no tree: this is not a sentree tree"),
        ("t.json", "{", "no tree"),
        ("t.csv", "a,b\n1,2\n", "no tree: the table has no column 'parent'"),
        ("t.npy", "text", "no NPY file"),
        ("t.xyz", "text", "known endings"),
    ],
)
def test_wrong_trees(folder, name, content, message):
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_tree(name)


# --- conversions ---


def test_tables_to_tables(folder):
    (folder / "a.csv").write_text("id,x,y,kind\n001,1,2,u\n002,3,4,v\n003,5,6,\n")
    assert "3 rows and 4 columns" in convert("a.csv", "a.parquet")
    frame = pd.read_parquet("a.parquet")
    assert frame["id"].tolist() == ["001", "002", "003"]
    convert("a.csv", "a.tsv")
    assert (folder / "a.tsv").read_text() == (folder / "a.csv").read_text().replace(",", "\t")
    with pytest.raises(InputError, match=r"'kind' holds text, which npy cannot hold.*drop=\['kind"):
        convert("a.csv", "a.npy")
    assert "without the ids" in convert("a.csv", "a.npy", drop=["kind"])
    assert np.load("a.npy").tolist() == [[1, 2], [3, 4], [5, 6]]
    assert convert("a.csv", "a.h5ad").startswith("wrote a.h5ad: 3 samples and 2 features")
    cells = anndata.read_h5ad("a.h5ad")
    assert cells.obs_names.tolist() == ["001", "002", "003"]
    assert cells.obs["kind"].astype(str).tolist() == ["u", "v", ""]
    assert cells.var_names.tolist() == ["x", "y"]
    for name in ("npz", "mat", "mtx"):
        convert("a.npy", f"a.{name}")
        convert(f"a.{name}", f"back-{name}.csv")
        back = read_samples(f"back-{name}.csv")
        assert back.X.to_numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
        assert list(back.X.columns) == ["x0", "x1"]
    convert("a.h5ad", "cells.csv", drop=["y"])
    assert (folder / "cells.csv").read_text().splitlines()[:2] == ["obs_names,x,kind", "001,1.0,u"]
    with pytest.raises(InputError, match="no column 'q'"):
        convert("a.csv", "b.csv", drop=["q"])
    with pytest.raises(InputError, match="kind='graph'"):
        convert("a.csv", "b.nwk", kind="table", drop=["kind"])
    with pytest.raises(InputError, match="is no kind"):
        convert("a.csv", "b.csv", kind="tabel")


def test_cells_to_tables(folder):
    counts = np.array([[1, 0, 2], [0, 3, 0], [4, 0, 0]], dtype=np.float32)
    cells = anndata.AnnData(
        sp.csr_matrix(counts),
        obs=pd.DataFrame({"type": ["B", "T", "B"], "depth": [3, 3, 4]}, index=["c1", "c2", "c3"]),
        var=pd.DataFrame(index=["g1", "g2", "g3"]),
        obsm={"X_pca": np.array([[0.5], [1.5], [2.5]])},
    )
    cells.write_h5ad("c.h5ad")
    assert "3 samples and 3 features (X of c.h5ad)" in convert("c.h5ad", "c.csv")
    frame = pd.read_csv("c.csv")
    assert list(frame) == ["obs_names", "g1", "g2", "g3", "type", "depth"]
    np.testing.assert_array_equal(frame[["g1", "g2", "g3"]], counts)
    assert frame["type"].tolist() == ["B", "T", "B"]
    convert("c.h5ad", "p.csv", layer="X_pca", drop=["type"])
    assert list(pd.read_csv("p.csv")) == ["obs_names", "x0", "depth"]
    assert "(X_pca of c.h5ad)" in convert("c.h5ad", "p.npy", layer="X_pca")
    assert np.load("p.npy").tolist() == [[0.5], [1.5], [2.5]]
    said = convert("c.h5ad", "c.npz")
    assert "without the ids of column 'obs_names' and columns type, depth" in said
    convert("c.h5ad", "again.h5ad")
    again = anndata.read_h5ad("again.h5ad")
    assert again.obs["depth"].tolist() == [3, 3, 4]
    assert again.var_names.tolist() == ["g1", "g2", "g3"]
    cells.obs["g2"] = 0
    cells.write_h5ad("c.h5ad")
    with pytest.raises(InputError, match="two columns called 'g2'"):
        convert("c.h5ad", "c.csv")
    convert("c.h5ad", "c.csv", drop=["g2"], layer="X_pca")


def test_remedies_of_a_conversion_are_its_own(folder):
    (folder / "a.csv").write_text("code;x\nu;1\nv;2\n")
    with pytest.raises(InputError, match=r"t.foo ends with .foo.*with target_format=... \("):
        convert("a.csv", "t.foo")
    with pytest.raises(InputError, match="no NPY file.*with source_format="):
        convert("a.csv", "b.csv", source_format="npy")
    with pytest.raises(InputError, match=r"\(layer\)"):
        convert("a.csv", "b.csv", layer="X")
    (folder / "t.nwk").write_text("((a,b),c);")
    with pytest.raises(
        InputError, match="holds a tree: id_column, take and drop are about columns"
    ):
        convert("t.nwk", "t.json", drop=["x"])
    with pytest.raises(InputError, match="no column 'q'"):
        convert("a.csv", "b.csv", id_column="q")
    convert("a.csv", "a.h5ad", id_column="code", separator=";")
    assert anndata.read_h5ad("a.h5ad").obs_names.tolist() == ["u", "v"]


def test_numbers_stay_numbers_and_names_stay_names(folder):
    (folder / "a.csv").write_text("sample,x,zip\n17,1,00501\n4,2,00501\n")
    convert("a.csv", "a.parquet")
    frame = pd.read_parquet("a.parquet")
    assert frame["sample"].tolist() == [17, 4]
    assert frame["zip"].tolist() == ["00501", "00501"]
    convert("a.csv", "b.parquet", id_column="sample")
    assert pd.read_parquet("b.parquet")["sample"].tolist() == ["17", "4"]


def test_graphs_to_graphs(folder):
    graph = Graph.from_edges([(0, 1), (1, 2)], [1, 2.5])
    write_graph("g.csv", graph, ["a", "b", "c"])
    assert convert("g.csv", "g.graphml") == "wrote g.graphml: a graph of 3 vertices and 2 edges"
    convert("g.graphml", "g.tsv")
    assert read_graph("g.tsv").ids.tolist() == ["a", "b", "c"]
    convert("g.tsv", "g.mtx")
    convert("g.mtx", "g.npz", kind="graph")
    convert("g.npz", "h.csv", kind="graph")
    np.testing.assert_array_equal(
        read_graph("h.csv").graph.to_scipy().toarray(), graph.to_scipy().toarray()
    )


def test_trees_to_trees(folder, tree):
    write_tree("t.json", tree, list("abcde"))
    assert "5 leaves" in convert("t.json", "t.csv")
    convert("t.csv", "t.nwk")
    assert "numbered as they come" in convert("t.nwk", "t.npy")
    convert("t.json", "t.npy")
    convert("t.npy", "back.nwk")
    assert read_tree("back.nwk").to_newick() == tree.to_newick()
    assert read_tree("t.nwk").to_newick() == tree.with_names(list("abcde")).to_newick()


def test_constraints_to_constraints(folder):
    given_ = Constraints.from_pairs([(0, 2)]) + Constraints.from_labels(["x", None, "y"])
    names = Names(3, np.array(["a", "b", "c"], dtype=object))
    write_constraints("c.csv", given_, names)
    assert convert("c.csv", "c.json") == "wrote c.json: 3 constraints about 2 samples"
    convert("c.json", "d.csv")
    for name in ("c.json", "d.csv"):
        again = read_constraints(name, names)
        assert again.must_link.tolist() == [[0, 2]]
        assert again.label_index.tolist() == [0, 2]


def test_what_is_in_a_model(folder):
    X = np.r_[np.zeros((5, 1)), np.ones((5, 1))] + np.linspace(0, 0.01, 10)[:, None]
    model = sentree.SSEPartition(2).fit(X, must_link=[(0, 1)])
    sentree.save(model, "model.npz")
    convert("model.npz", "labels.csv")
    assert pd.read_csv("labels.csv")["cluster"].tolist() == model.labels_.tolist()
    convert("model.npz", "tree.nwk")
    assert read_tree("tree.nwk").n_leaves == 10
    convert("model.npz", "c.json")
    assert read_constraints("c.json", Names(10)).must_link.tolist() == [[0, 1]]
    with pytest.raises(InputError, match="is a model of sentree.save, not data"):
        read_samples("model.npz")


def test_conversion_between_standard_streams(folder, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\ty\n1\t2\n")))
    assert convert("-", "-") == "wrote -: a table of 1 rows and 2 columns"
    assert capsysbinary.readouterr().out == b"x,y\n1,2\n"
