"""Samples out of files of every format, and what is said about files that are wrong."""

import gzip
import io
import subprocess
import sys

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from sentree import SSEPartition
from sentree.io import InputError, Samples, read_samples

X = np.array([[1.0, 2.5], [3.0, 4.0], [5.0, -6.0]])
TABLE = "x,y\n1,2.5\n3,4\n5,-6\n"


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write a file into an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


def stdin(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def saved(save, *args, **kwargs):
    buffer = io.BytesIO()
    save(buffer, *args, **kwargs)
    return buffer.getvalue()


# --- formats ---


@pytest.mark.parametrize(
    ("name", "content", "more"),
    [
        ("a.csv", TABLE, {}),
        ("a.csv", TABLE.replace("\n", "\r\n"), {}),
        ("a.csv", b"\xef\xbb\xbf" + TABLE.encode(), {}),
        ("a.csv", TABLE.rstrip(), {}),
        ("a.csv", '"x","y"\n"1","2.5"\n\n3,4\n5,-6\n', {}),
        ("a.csv", TABLE.replace(",", ";"), {"separator": ";"}),
        ("a.csv", TABLE.replace(",", "\t"), {"separator": "tab"}),
        ("a.csv.gz", gzip.compress(TABLE.encode(), mtime=0), {}),
        ("a.tsv", TABLE.replace(",", "\t"), {}),
        ("a.txt", TABLE.replace(",", "\t"), {}),
        ("a.txt", TABLE.replace(",", ";"), {}),
        ("a.txt", TABLE.replace(",", "   "), {}),
        ("a.txt", TABLE, {}),
        ("a.dat", TABLE, {}),
        ("a.any", TABLE, {"format": "csv"}),
        ("a.parquet", saved(lambda b: pd.DataFrame(X, columns=["x", "y"]).to_parquet(b)), {}),
    ],
)
def test_tables_with_names(put, name, content, more):
    samples = read_samples(put(content, name), **more)
    assert isinstance(samples.X, pd.DataFrame)
    assert list(samples.X.columns) == ["x", "y"]
    assert (samples.X.dtypes == np.float64).all()
    np.testing.assert_array_equal(samples.X.to_numpy(), X)
    assert (samples.n, samples.ids, samples.id_name, samples.columns) == (3, None, None, {})
    assert samples.key().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "content", "more"),
    [
        ("a.csv", TABLE[4:], {}),
        ("a.csv", TABLE[4:], {"header": False}),
        ("a.npy", saved(np.save, X), {}),
        ("a.npy", saved(np.save, np.asfortranarray(X.astype(np.float32))), {}),
        ("a.npz", saved(np.savez, X), {}),
        ("a.npz", saved(np.savez, other=X[:, :1], fea=X), {}),
        ("a.npz", saved(np.savez, X=np.zeros((2, 2)), Z=X), {"layer": "Z"}),
        ("a.mat", saved(scipy.io.savemat, {"fea": X, "gnd": [[1], [2], [1]]}), {}),
        ("a.mat", saved(scipy.io.savemat, {"anything": X, "k": 3}), {}),
        ("a.mtx", saved(scipy.io.mmwrite, X), {}),
    ],
)
def test_arrays_without_names(put, name, content, more):
    samples = read_samples(put(content, name), **more)
    assert isinstance(samples.X, np.ndarray)
    assert samples.X.dtype == np.float64
    assert samples.X.flags.c_contiguous
    np.testing.assert_array_equal(samples.X, X)
    assert samples.ids is None


@pytest.mark.parametrize("suffix", ["npz", "mtx", "mtx.gz", "mat"])
def test_sparse_matrices(put, suffix):
    matrix = sp.random(6, 4, density=0.5, random_state=0, format="coo")
    save = {"npz": sp.save_npz, "mat": lambda b, m: scipy.io.savemat(b, {"X": m})}
    content = saved(save.get(suffix, scipy.io.mmwrite), matrix)
    if suffix.endswith("gz"):
        content = gzip.compress(content, mtime=0)
    samples = read_samples(put(content, f"a.{suffix}"))
    assert samples.X.format == "csr"
    assert isinstance(samples.X, sp.csr_array)
    np.testing.assert_array_equal(samples.X.toarray(), matrix.toarray())


def test_labels_beside_the_matrix(put):
    mat = put(saved(scipy.io.savemat, {"fea": X, "gnd": [[1], [2], [1]]}), "a.mat")
    assert read_samples(mat, take=["gnd"]).columns["gnd"].tolist() == [1, 2, 1]
    npz = put(saved(np.savez, X=X, y=["a", "b", "a"]), "a.npz")
    assert read_samples(npz, take=["y"]).columns["y"].tolist() == ["a", "b", "a"]
    npy = put(saved(np.save, np.column_stack(([7, 8, 9], X, [1, 2, 1]))), "a.npy")
    samples = read_samples(npy, id_column="0", take=["3"])
    np.testing.assert_array_equal(samples.X, X)
    assert samples.ids.tolist() == ["7", "8", "9"]
    assert samples.columns["3"].tolist() == [1, 2, 1]
    with pytest.raises(InputError, match="no column '4'.*its columns are: 0, 1, 2, 3"):
        read_samples(npy, drop=["4"])


@pytest.mark.parametrize(
    "content",
    [TABLE.encode(), TABLE.replace(",", "\t").encode(), gzip.compress(TABLE.encode(), mtime=0)],
)
def test_standard_input(monkeypatch, content):
    stdin(monkeypatch, content)
    samples = read_samples("-")
    np.testing.assert_array_equal(samples.X.to_numpy(), X)
    assert samples.source == "standard input"


@pytest.mark.parametrize("save", [np.save, np.savez, lambda b, x: pd.DataFrame(x).to_parquet(b)])
def test_standard_input_of_numbers(monkeypatch, save):
    stdin(monkeypatch, saved(save, X))
    np.testing.assert_array_equal(np.asarray(read_samples("-").X), X)


def test_single_cells(put):
    rng = np.random.default_rng(0)
    cells = anndata.AnnData(
        sp.csr_matrix(rng.poisson(1.0, (5, 3)).astype(np.float32)),
        obs=pd.DataFrame(
            {"type": pd.Categorical(["B", None, "T", "T", "B"]), "n": [1, 2, 3, 4, 5]},
            index=[f"c{k}" for k in range(5)],
        ),
        var=pd.DataFrame(index=["g1", "g2", "g3"]),
        layers={"dense": np.ones((5, 3))},
    )
    cells.write_h5ad("cells.h5ad")
    whole = read_samples("cells.h5ad", take=["type"])
    assert isinstance(whole.X, sp.csr_array)
    np.testing.assert_array_equal(whole.X.toarray(), cells.X.toarray())
    assert whole.ids.tolist() == ["c0", "c1", "c2", "c3", "c4"]
    assert whole.id_name == "obs_names"
    assert whole.columns["type"].tolist() == ["B", None, "T", "T", "B"]
    dense = read_samples("cells.h5ad", layer="dense", drop=["g2"], id_column="n")
    assert dense.X.columns.tolist() == ["g1", "g3"]
    assert dense.ids.tolist() == ["1", "2", "3", "4", "5"]
    cells.obsm["X_pca"] = rng.normal(size=(5, 2))
    cells.write_h5ad("cells.h5ad")
    backed = anndata.read_h5ad("cells.h5ad", backed="r")  # others may have it open
    embedded = read_samples("cells.h5ad")
    np.testing.assert_array_equal(embedded.X, cells.obsm["X_pca"])
    assert embedded.layer == "X_pca"
    assert embedded.source == "cells.h5ad"
    backed.file.close()
    counts = read_samples("cells.h5ad", layer="X")
    assert counts.X.shape == (5, 3)
    assert (counts.layer, counts.features) == ("X", ["g1", "g2", "g3"])
    assert read_samples("cells.h5ad", layer="layers/dense").layer == "dense"
    for wrong, message in (
        ({"layer": "X_pcb"}, "no layer or embedding 'X_pcb'; did you mean 'X_pca'"),
        ({"take": ["typ"]}, "no column 'typ'; did you mean 'type'"),
        ({"drop": ["g4"], "layer": "X"}, "no feature 'g4'"),
    ):
        with pytest.raises(InputError, match=message):
            read_samples("cells.h5ad", **wrong)


def test_what_is_missing_is_named(put, monkeypatch):
    put(b"PAR1....", "a.parquet")
    put(b"\x89HDF....", "a.h5ad")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "anndata.io", None)
    with pytest.raises(InputError, match="pip install pyarrow"):
        read_samples("a.parquet")
    with pytest.raises(InputError, match="pip install anndata"):
        read_samples("a.h5ad")


# --- columns ---


@pytest.mark.parametrize(
    "name", ["id", "ID", "name", "Sample", "cell", "barcode", "gene", "", "index"]
)
def test_a_first_column_of_text_that_is_named_like_ids(put, name):
    samples = read_samples(put(f"{name},x\nr1,1\nNA,2\n 007 ,3\n"))
    assert samples.ids.tolist() == ["r1", "NA", " 007 "]
    assert samples.id_name == (name or "Unnamed: 0")
    assert list(samples.X.columns) == ["x"]


def test_the_index_of_a_parquet_file_is_ids(put):
    frame = pd.DataFrame(X, columns=["x", "y"], index=pd.Index(["a", "b", "c"], name="cell"))
    frame["kind"] = pd.Categorical(["u", None, "v"])
    samples = read_samples(put(saved(lambda b: frame.to_parquet(b)), "a.parquet"), take=["kind"])
    assert samples.ids.tolist() == ["a", "b", "c"]
    assert samples.columns["kind"].tolist() == ["u", None, "v"]
    np.testing.assert_array_equal(samples.X.to_numpy(), X)


def test_row_names_as_r_writes_them(put):
    samples = read_samples(put("x y\nr1 1 2.5\nr2 3 4\nr3 5 -6\n", "a.txt"))
    assert samples.ids.tolist() == ["r1", "r2", "r3"]
    np.testing.assert_array_equal(samples.X.to_numpy(), X)


def test_columns_set_aside_keep_their_text(put):
    content = 'key,x,class,note,y\na1,1,007,"a, b",2.5\na2,3,NA,,4\na3,5,1e5,"say ""x""\nhere",-6\n'
    samples = read_samples(put(content), id_column="key", take=["class"], drop=["note"])
    np.testing.assert_array_equal(samples.X.to_numpy(), X)
    assert samples.columns["class"].tolist() == ["007", "NA", "1e5"]
    assert samples.columns["note"].tolist() == ["a, b", "", 'say "x"\nhere']


def test_a_column_without_a_name_is_known_by_its_number(put):
    name = put("5.1,3.5,setosa\n4.9,3.0,setosa\n6.2,3.4,virginica\n")
    samples = read_samples(name, header=False, take=["2"])
    assert samples.columns["2"].tolist() == ["setosa", "setosa", "virginica"]
    assert samples.X.shape == (3, 2)


def test_names_of_features_reach_the_estimator(put):
    rows = "\n".join(f"{k % 2 * 9},{k}" for k in range(20))
    samples = read_samples(put(f"x,y\n{rows}\n"))
    assert SSEPartition(2).fit(samples.X).feature_names_in_.tolist() == ["x", "y"]


def test_many_columns(put):
    names = [f"gene_{k}" for k in range(12_000)]
    lines = [",".join(["cell", *names]), *(f"c{k}" + ",1" * len(names) for k in range(3))]
    samples = read_samples(put("\n".join(lines)), drop=names[:10])
    assert samples.X.columns.tolist() == names[10:]
    assert samples.ids.tolist() == ["c0", "c1", "c2"]


def test_a_name_may_begin_with_a_hash(put):
    samples = read_samples(put("#id\tx\nc1\t1\nc2\t2\n", "a.tsv"), id_column="#id")
    assert samples.ids.tolist() == ["c1", "c2"]


def test_truth_values_are_numbers(put):
    samples = read_samples(put("x,y\n1,True\n2,False\n"))
    assert samples.X["y"].tolist() == [1.0, 0.0]


# --- wrong files ---

WRONG = {
    "text column": (
        "x,species\n1,setosa\n2,setosa\n",
        {},
        r"'species' has 'setosa' in line 2.*take=\['species'\].*id_column='species'.*drop=\['spec",
    ),
    "text columns": (
        "x,p,q\n1,a,b\n2,a,b\n",
        {},
        "column 'p' has 'a' in line 2; column 'q' has 'b'",
    ),
    "text cell": (
        "id,x,y\na,1,1\nb,2,n/a?\nc,3,3\n",
        {},
        r"column 'y' has 'n/a\?' in line 3 \('b'\).*no number.*drop=\['y'\]",
    ),
    "decimal comma": (
        'x,y\n1.5,1\n2,"1,5"\n3,3\n',
        {},
        "'1,5' in line 3 .a decimal comma, or thousands",
    ),
    "thousands": ("x;y\n1,500;2\n2,500;3\n", {}, "'1,500' in line 2 .*thousands"),
    "line after a cell of two lines": (
        'id,x\n"a\nb",1\nc,oops\nd,1\ne,2\n',
        {},
        "'oops' in line 4",
    ),
    "empty cell": (
        "id,x,y\na,1,1\nb,,2\n",
        {},
        r"column 'x' is missing in line 3 \('b'\).*drop=\['x'\]",
    ),
    "empty cell of what may be ids": (
        "sample,x\n1.5,1\n,2\n",
        {},
        "column 'sample' is missing in line 3",
    ),
    "nan": ("x,y\n1,1\nNaN,2\n", {}, "column 'x' is missing in line 3"),
    "inf": ("x,y\n1,1\n-inf,2\n", {}, "column 'x' is -inf in line 3"),
    "empty column": ("x,y,\n1,1,\n2,2,\n", {}, r"'Unnamed: 2' is empty in every row.*drop=\['Unn"),
    "repeated ids": (
        "name,x\nbob,1\nann,2\nbob,3\n",
        {},
        r"must be finite numbers, but column 'name' has 'bob' in line 2.*id_column=.*drop=\['n",
    ),
    "repeated ids as asked": (
        "k,x\nb,1\nb,2\n",
        {"id_column": "k"},
        "'b' is in line 2 and in line 3",
    ),
    "empty id": ("id,x\na,1\n,2\n", {}, "the id in line 3, column 'id', is empty"),
    "no such column": ("x,species\n1,2\n3,4\n", {"take": ["Species"]}, "did you mean 'species'"),
    "columns there are": (
        "x,y\n1,2\n3,4\n",
        {"drop": ["qqq"]},
        "no column 'qqq'.*columns are: x, y",
    ),
    "ids dropped": ("id,x\na,2\nb,4\n", {"drop": ["id"], "id_column": "id"}, "cannot be the ids"),
    "nothing left": ("id,x\na,2\nb,4\n", {"drop": ["x"]}, "no column is left as a feature"),
    "too few cells": ("x,y,z\n1,2,3\n4,5\n6,7,8\n", {}, "line 3: expected 3 cells.*found 2"),
    "too few cells of labels": (
        "x,y,z\n1,2,\n4,5\n6,7,b\n",
        {"take": ["z"]},
        "line 3: expected 3 cells.*found 2",
    ),
    "too many cells": ("x,y\n1,2\n3,4,5\n", {}, "line 3: expected 2 cells.*found 3.*separator="),
    "wrong separator": ("x|y\n1|2\n3|4\n", {}, r"line 1 is 'x\|y'.*separator='\|'"),
    "tabs": ("x\ty\n1\t2\n3\t4\n", {"separator": ","}, "separator='tab'"),
    "no such separator": (TABLE, {"separator": "::"}, "one character or 'tab'"),
    "comment": ("# made by hand\nx,y\n1,2\n3,4\n", {}, "line 1 is '# made by hand', no part"),
    "title": ("Table 1\nx,y,z\n1,2,3\n3,4,5\n", {}, "line 1 is 'Table 1', no part of the table"),
    "separator of a spreadsheet": ("sep=;\nx;y\n1;2\n", {"separator": ";"}, "line 1 is 'sep='"),
    "open quote": ('x,y\n1,"2\n3,4\n', {}, "a quote .* in line 2 or after it is never closed"),
    "columns of one name": ("x,y,x\n1,2,3\n4,5,6\n", {}, "columns 1 and 3 are both called 'x'"),
    "empty": ("", {}, "data.csv is empty"),
    "blank": ("\n \n", {}, "data.csv is empty"),
    "names only": ("x,y\n", {}, "no rows, only the names of its columns"),
    "one row": ("x,y\n1,2\n", {}, "has 1 row, expected more"),
    "NUL": (b"x,y\n1,\x00\n", {}, "NUL byte in line 2.*format="),
    "not UTF-8": ("x,é\n1,2\n3,4\n".encode("latin1"), {}, "not UTF-8.*iconv"),
    "not UTF-8 far below": (
        b"id,x\n" + b"".join(b"r%d,1\n" % k for k in range(20000)) + b"\xe9,1\n",
        {},
        "not UTF-8",
    ),
    "UTF-16": (TABLE.encode("utf-16"), {}, "UTF-16: save it as UTF-8"),
    "spreadsheet": (b"PK\x03\x04zzz", {}, "begins like a zip archive"),
    "cut off gzip": (gzip.compress(TABLE.encode() * 99, mtime=0)[:40], {}, "damaged or cut off"),
    "header of numbers": (
        "0,1,2\n4,5,6\n",
        {},
        "names of columns or the first sample.*header=False",
    ),
    "header or sample": (
        "5.1,3.5,a\n4.9,3.0,b\n",
        {},
        r"numbers \('5.1'\) and text \('a'\).*header=True",
    ),
    "layer of a table": (TABLE, {"layer": "X"}, r"\(layer\)"),
    "no such format": (TABLE, {"format": "xml"}, "no format 'xml'.*csv, tsv"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_text(put, case):
    content, more, message = WRONG[case]
    with pytest.raises(InputError, match=f"(?s){message}"):
        read_samples(put(content), **more)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npy", TABLE.encode(), "no NPY file: its content looks like text.*format="),
        ("a.npz", TABLE.encode(), "no NPZ file"),
        ("a.parquet", TABLE.encode(), "no PARQUET file"),
        ("a.h5ad", TABLE.encode(), "no H5AD file"),
        ("a.mtx", TABLE.encode(), "no MTX file"),
        ("a.mat", TABLE.encode(), "damaged"),
        ("a.mat", b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "MATLAB 7.3.*-v7"),
        ("a.npz", saved(np.savez, X)[:60], "damaged or cut off"),
        ("a.npy", saved(np.save, X)[:-4], "damaged or cut off"),
        ("a.parquet", saved(lambda b: pd.DataFrame(X).to_parquet(b))[:-9], "damaged or cut off"),
        ("a.h5ad", b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "damaged or cut off"),
        ("a.npy", saved(np.save, X + 1j), "complex numbers"),
        ("a.npy", saved(np.save, np.array([["a", 1]], dtype=object)), "Python objects"),
        ("a.npy", saved(np.save, X[:, 0]), r"shape \(3,\), expected samples in rows.*reshape"),
        ("a.npy", saved(np.save, X[:1]), "has 1 row"),
        ("a.npy", saved(np.save, X[:0]), "has 0 rows"),
        ("a.npy", saved(np.save, np.where(X > 4, np.nan, X)), "row 2, column 0.*nan"),
        ("a.npz", saved(np.savez, a=X, b=X), r"a \(3, 2\), b \(3, 2\).*layer="),
        (
            "a.npz",
            saved(sp.save_npz, sp.csr_array([[1.0, np.inf], [0, 1]])),
            "row 0, column 1.*inf",
        ),
        ("a.xlsx", b"PK\x03\x04", "damaged or cut off"),
        ("a.xlsx", TABLE.encode(), "no XLSX file: its content looks like text"),
        ("a.csv", b"PK\x03\x04--[Content_Types].xml", "spreadsheet.*format='xlsx'"),
        ("a.xls", b"\xd0\xcf", "spreadsheet: save it as XLSX or CSV"),
        ("a.ods", b"PK\x03\x04", "spreadsheet: save it as XLSX or CSV"),
        ("a.foo", TABLE.encode(), r"ends with .foo.*\.csv.*\.h5ad.*format="),
        ("a", TABLE.encode(), "has no ending.*format="),
    ],
)
def test_wrong_binary(put, name, content, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        read_samples(put(content, name))


def test_sparse_columns_have_no_names(put):
    name = put(saved(sp.save_npz, sp.eye_array(3).tocsr()), "a.npz")
    with pytest.raises(InputError, match="sparse: its columns have no names"):
        read_samples(name, drop=["1"])


def test_files_that_are_not_there(put, tmp_path):
    put(TABLE, "iris.csv")
    with pytest.raises(InputError, match="no file irsi.csv; did you mean 'iris.csv'"):
        read_samples("irsi.csv")
    with pytest.raises(InputError, match="no file Iris.tsv; did you mean 'iris.csv'"):
        read_samples("Iris.tsv")
    with pytest.raises(InputError, match="no file q.csv; in . there are iris.csv"):
        read_samples("q.csv")
    with pytest.raises(InputError, match="nor a folder nowhere"):
        read_samples("nowhere/a.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_samples(tmp_path)


def test_a_graph_is_no_table(put):
    with pytest.raises(
        InputError, match="k.graphml holds a graph.*: read it with sentree.io.read_graph"
    ):
        read_samples(put("<graphml/>", "k.graphml"))


def test_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_samples("-")


def test_a_file_that_may_not_be_read(put, monkeypatch):
    name = put(TABLE)

    def refuse(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("sentree.io.sources.open", refuse, raising=False)
    with pytest.raises(InputError, match="cannot read data.csv: Permission denied"):
        read_samples(name)


def test_importing_loads_nothing_heavy():
    parts = "samples, graphs, statements, tables, trees, convert"
    heavy = "{'pandas', 'sklearn'}"
    code = f"import sys; from sentree.io import {parts}; print({heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_made_by_hand():
    samples = Samples(X)
    assert samples.n == 3
    assert samples.rows([2, "0"], "list").tolist() == [2, 0]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("id;x;y\na;1,5;2\nb;-2,25;3,1e2\n", ["x", "y"]),
        ("id\tx\ty\na\t1.5\t2\nb\t-2.25\t310\n", ["x", "y"]),
        ('id,x,y\na,"1,5",2\nb,"-2,25","3,1e2"\n', ["x", "y"]),
    ],
    ids=["semicolons", "tabs", "quoted"],
)
def test_what_some_programs_call_csv(put, content, names):
    found = read_samples(put(content, "a.csv"))
    assert list(found.X.columns) == names
    assert found.ids.tolist() == ["a", "b"]
    assert found.X.to_numpy().tolist() == [[1.5, 2.0], [-2.25, 310.0]]


def test_decimal_commas_without_names_of_columns(put):
    found = read_samples(put("1,5;2\n3,25;4\n", "a.csv"))
    assert np.asarray(found.X).tolist() == [[1.5, 2.0], [3.25, 4.0]]


def test_repeated_names_of_cells_are_not_to_be_dropped(tmp_path):
    cells = anndata.AnnData(np.ones((2, 1), dtype=np.float32))
    cells.obs_names = ["x", "x"]
    cells.write_h5ad(tmp_path / "c.h5ad")
    with pytest.raises(InputError, match="'obs_names' has the ids, but 'x' is in row 0") as caught:
        read_samples(tmp_path / "c.h5ad")
    assert "drop" not in str(caught.value)
    assert str(caught.value).endswith("or name another id column with id_column=...")


# --- tables as they are ---


def test_raw_tables_keep_text_dates_and_gaps(put):
    content = "id,when,paid,kind,x\na,2020-01-31,€ 12,u,1\nb,2020-02-01,€ 13,v,\nc,,€ 14,u,3\n"
    found = read_samples(put(content), raw=True, take=["kind"])
    assert (found.id_name, list(found.X)) == ("id", ["when", "paid", "x"])
    assert found.X["paid"].tolist() == ["€ 12", "€ 13", "€ 14"]
    assert found.X["x"].isna().tolist() == [False, True, False]
    assert found.columns["kind"].tolist() == ["u", "v", "u"]


def test_prices_and_dates_that_all_differ_are_no_ids(put):
    content = "when,paid,x\n2020-01-31,€ 12,1\n2020-02-01,€ 13,2\n2020-02-02,€ 14,3\n"
    assert read_samples(put(content), raw=True).ids is None


def test_raw_arrays_may_have_gaps(put):
    array = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert np.isnan(read_samples(put(saved(np.save, array), "data.npy"), raw=True).X[0, 1])
