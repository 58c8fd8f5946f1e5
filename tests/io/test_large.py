"""Large tables and arrays: mapped to memory or read block by block, with the same values."""

import numpy as np
import pandas as pd
import pytest

from sentree import io
from sentree.constraints import parsing
from sentree.graph import large
from sentree.io import arrays
from sentree.io import large as tables


@pytest.fixture
def small_limit(monkeypatch):
    """Take anything for large."""
    monkeypatch.setattr(large, "LARGE", 50)
    monkeypatch.setattr(large, "_RANGE", 16)
    monkeypatch.setattr(tables, "_ROWS", 7)
    monkeypatch.setattr(tables, "_MANY_VALUES", 10)
    monkeypatch.setattr(arrays, "_MAPPED", 100)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    known = pd.array([1, None, 2, 1] * 10, dtype="Int16")
    made = pd.DataFrame(rng.normal(size=(40, 3)).astype(np.float32), columns=list("abc"))
    return made.assign(whole=np.arange(40, dtype=np.int8) % 5, known=known, kind=["x", None] * 20)


def both(path, monkeypatch, **options):
    """Read a file as a large one and as a small one."""
    as_large = io.read_samples(path, **options)
    monkeypatch.setattr(large, "LARGE", 1 << 25)
    return as_large, io.read_samples(path, **options)


@pytest.mark.parametrize("raw", [False, True])
def test_parquet(tmp_path, monkeypatch, small_limit, frame, raw):
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=11)
    found, usual = both(tmp_path / "t.parquet", monkeypatch, take=["known", "kind"], raw=raw)
    assert found.X.to_numpy().dtype == np.float32
    pd.testing.assert_frame_equal(found.X, usual.X.astype(np.float32))
    assert found.features == usual.features == ["a", "b", "c", "whole"]
    for name in ("known", "kind"):
        assert found.columns[name].tolist() == usual.columns[name].tolist()
    assert found.ids is None


def test_parquet_numbers_that_single_precision_does_not_hold(tmp_path, small_limit, frame):
    frame["whole"] = np.arange(40) + 2**40
    frame.drop(columns=["known", "kind"]).to_parquet(tmp_path / "t.parquet")
    found = io.read_samples(tmp_path / "t.parquet").X
    assert found.to_numpy().dtype == np.float64
    assert found["whole"].iloc[3] == 2**40 + 3


def test_parquet_with_ids_and_dropped_columns(tmp_path, monkeypatch, small_limit, frame):
    frame["name"] = [f"s{k}" for k in range(40)]
    frame["yes"] = frame["whole"] > 2
    frame.to_parquet(tmp_path / "t.parquet")
    found, usual = both(tmp_path / "t.parquet", monkeypatch, drop=["kind", "a"], take=["known"])
    assert found.id_name == usual.id_name == "name"
    assert found.ids.tolist() == usual.ids.tolist()
    assert found.features == usual.features == ["b", "c", "whole", "yes"]
    np.testing.assert_array_equal(found.X, usual.X)
    np.testing.assert_array_equal(found.columns["a"].astype(float), frame["a"])


def test_parquet_gaps_are_told_or_kept(tmp_path, monkeypatch, small_limit, frame):
    frame.loc[5, "whole"] = np.nan
    frame["whole"] = frame["whole"].astype("Int16")
    frame = frame[["a", "b", "c", "whole"]]
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(io.InputError, match="'whole' is missing in row 5"):
        io.read_samples(tmp_path / "t.parquet")
    found, usual = both(tmp_path / "t.parquet", monkeypatch, raw=True)
    np.testing.assert_array_equal(found.X, usual.X.astype("float64"))


def test_parquet_of_text_or_with_an_index_is_read_as_before(tmp_path, monkeypatch, small_limit):
    table = pd.DataFrame({"a": np.arange(60.0), "b": ["x", "y"] * 30})
    table.to_parquet(tmp_path / "text.parquet")
    found, usual = both(tmp_path / "text.parquet", monkeypatch, raw=True)
    pd.testing.assert_frame_equal(found.X, usual.X)
    monkeypatch.setattr(large, "LARGE", 50)
    named = pd.DataFrame({"a": np.arange(60.0)}, index=[f"r{k}" for k in range(60)])
    named.to_parquet(tmp_path / "index.parquet")
    assert io.read_samples(tmp_path / "index.parquet").ids[7] == "r7"


def test_parquet_without_a_column_that_is_asked_for(tmp_path, small_limit, frame):
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(io.InputError, match="has no column 'knwon'; did you mean 'known'"):
        io.read_samples(tmp_path / "t.parquet", take=["knwon"])


def test_npy_is_mapped(tmp_path, small_limit):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    found = io.read_samples(tmp_path / "X.npy").X
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, X)


def test_npy_columns_are_set_aside(tmp_path, small_limit):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    X[:, 1] = np.arange(40) % 4
    np.save(tmp_path / "X.npy", X)
    found = io.read_samples(tmp_path / "X.npy", take=["1"], drop=["2"])
    np.testing.assert_array_equal(found.X, X[:, :1])
    assert found.columns["1"].tolist() == [0, 1, 2, 3] * 10


def test_npy_with_gaps_is_refused_by_place(tmp_path, small_limit):
    X = np.ones((40, 3))
    X[31, 1] = np.nan
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(io.InputError, match="row 31, column 1"):
        io.read_samples(tmp_path / "X.npy")


def test_zarr_arrays(tmp_path):
    zarr = pytest.importorskip("zarr")
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    zarr.save(str(tmp_path / "one.zarr"), X)
    np.testing.assert_array_equal(io.read_samples(tmp_path / "one.zarr").X, X)
    zarr.save_group(str(tmp_path / "two.zarr"), X=X, y=np.arange(40) % 2)
    found = io.read_samples(tmp_path / "two.zarr", take=["y"])
    np.testing.assert_array_equal(found.X, X)
    assert found.columns["y"].tolist() == [0, 1] * 20
    with pytest.raises(io.InputError, match="folder"):
        io.read_samples(tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_zarr_of_cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    pytest.importorskip("zarr")
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    obs = pd.DataFrame({"type": ["B", "T"] * 20}, index=[f"c{k}" for k in range(40)])
    cells = anndata.AnnData(X, obs=obs, obsm={"X_pca": X[:, :2]})
    cells.write_zarr(tmp_path / "cells.zarr")
    found = io.read_samples(tmp_path / "cells.zarr", take=["type"])
    assert found.layer == "X_pca"
    np.testing.assert_array_equal(found.X, X[:, :2])
    assert found.ids[3] == "c3"
    assert found.columns["type"].tolist() == ["B", "T"] * 20
    assert io.read_samples(tmp_path / "cells.zarr", layer="X").X.shape == (40, 3)


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2.0", "", "unknown", "1"],
        ["B", "1", None, "B", float("nan")],
        np.array([3.0, np.nan, -1.0, 4.0]),
        np.array([5, -1, 5, 7]),
    ],
)
def test_many_labels_are_cleaned_like_few(values, monkeypatch):
    few = io.clean_labels(values)
    monkeypatch.setattr(parsing, "_MANY_VALUES", 2)
    many = io.clean_labels(values)
    assert many.tolist() == few.tolist()
    assert list(map(type, many)) == list(map(type, few))
