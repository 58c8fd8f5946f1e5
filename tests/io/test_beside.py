import numpy as np
import pandas as pd
import pytest

from sentree.io import InputError, read_columns, read_parents, read_samples, write_table


def put(folder, content, name="data.csv"):
    path = folder / name
    path.write_text(content)
    return path


def test_columns_of_any_content_with_ids(tmp_path):
    table = read_columns(put(tmp_path, "id,cluster,note\na,0,x y\nb,1,\n"))
    assert table.ids.tolist() == ["a", "b"]
    assert {name: column.tolist() for name, column in table.columns.items()} == {
        "cluster": ["0", "1"],
        "note": ["x y", ""],
    }
    assert table.only("note").tolist() == ["x y", ""]


def test_rows_that_are_numbered_have_no_ids(tmp_path):
    table = read_columns(put(tmp_path, "row,class\n0,a\n1,b\n"))
    assert table.ids is None
    assert table.n == 2
    assert table.only().tolist() == ["a", "b"]


def test_one_column_is_never_ids(tmp_path):
    assert read_columns(put(tmp_path, "name\nx\ny\n")).only().tolist() == ["x", "y"]


def test_which_column_is_asked(tmp_path):
    table = read_columns(put(tmp_path, "id,a,b\np,1,2\nq,1,2\n"))
    with pytest.raises(InputError, match=r"several columns \(a, b\).*with name="):
        table.only()
    with pytest.raises(InputError, match="no column 'c'"):
        table.only("c")


def test_parquet(tmp_path):
    pd.DataFrame({"id": ["p", "q"], "class": ["x", "y"]}).to_parquet(tmp_path / "t.parquet")
    assert read_columns(tmp_path / "t.parquet").only().tolist() == ["x", "y"]


def test_parents(tmp_path):
    path = put(tmp_path, "class,parent\nCD4,T\nT,\nB,\n")
    assert read_parents(path) == [("CD4", "T"), ("T", None), ("B", None)]
    path = put(tmp_path, "name,parent\nCD4,T\nT,\n")
    assert read_parents(path) == [("CD4", "T"), ("T", None)]
    with pytest.raises(InputError, match="3 columns, expected two"):
        read_parents(put(tmp_path, "a,b,c\n1,2,3\n4,5,6\n"))


class TestFeaturesByName:
    """What a model asks for: its features in its order, and nothing else."""

    def test_order_and_other_columns(self, tmp_path):
        path = put(tmp_path, "id,b,note,a\np,2,x,1\nq,4,y,3\n")
        found = read_samples(path, features=["a", "b"])
        assert list(found.X.columns) == ["a", "b"]
        assert found.X.to_numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert found.ids.tolist() == ["p", "q"]
        assert list(found.columns) == ["note"]

    def test_a_first_column_of_numbers_named_like_ids(self, tmp_path):
        path = put(tmp_path, "sample,b,a\n1.5,2,1\n2.5,4,3\n")
        found = read_samples(path, features=["a", "b"])
        assert found.X.to_numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
        found = read_samples(path, features=["sample", "a"])
        assert found.X.to_numpy().tolist() == [[1.5, 1.0], [2.5, 3.0]]

    def test_the_same_columns_in_another_order(self, tmp_path):
        path = put(tmp_path, "b,a\n2,1\n4,3\n")
        assert np.asarray(read_samples(path, features=["a", "b"]).X).tolist() == [[1, 2], [3, 4]]

    def test_one_is_missing(self, tmp_path):
        with pytest.raises(InputError, match="no column 'c'"):
            read_samples(put(tmp_path, "id,a\np,1\nq,2\n"), features=["a", "c"])


class TestArraysAndJson:
    def test_one_value_per_sample(self, tmp_path):
        np.save(tmp_path / "truth.npy", np.array([2, 0, 1]))
        table = read_columns(tmp_path / "truth.npy")
        assert list(table.columns) == ["truth"]
        assert table.only().tolist() == ["2", "0", "1"]
        assert table.ids is None
        np.save(tmp_path / "wide.npy", np.ones((3, 2)))
        with pytest.raises(InputError, match=r"shape \(3, 2\), expected one value per sample"):
            read_columns(tmp_path / "wide.npy")

    def test_json(self, tmp_path):
        table = read_columns(put(tmp_path, '{"p": "x", "q": null, "r": 3}', "truth.json"))
        assert table.ids.tolist() == ["p", "q", "r"]
        assert table.only().tolist() == ["x", "", "3"]
        assert read_columns(put(tmp_path, "[1, 2]", "t.json")).only().tolist() == ["1", "2"]
        with pytest.raises(InputError, match="lists or objects where single values"):
            read_columns(put(tmp_path, '{"p": [1]}', "t.json"))
        with pytest.raises(InputError, match="expected an object of ids"):
            read_columns(put(tmp_path, "3", "t.json"))

    def test_rows_as_tables_are_written(self, tmp_path):
        write_table(tmp_path / "t.json", {"id": ["p", "q"], "cluster": [0, 1]})
        table = read_columns(tmp_path / "t.json")
        assert table.ids.tolist() == ["p", "q"]
        assert table.only().tolist() == ["0", "1"]


def test_ids_may_stand_anywhere_and_may_not_be_repeated(tmp_path):
    assert read_columns(put(tmp_path, "class,id\nu,7\nu,5\n")).ids.tolist() == ["7", "5"]
    with pytest.raises(InputError, match="'name' looks like ids, but 'p' is in row 0"):
        read_columns(put(tmp_path, "name,class\np,u\np,v\n"))


def test_parents_stay_in_order(tmp_path):
    path = put(tmp_path, "name,parent_id\nCD4,T\nCD4,L\n")
    assert read_parents(path) == [("CD4", "T"), ("CD4", "L")]
