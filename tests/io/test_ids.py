"""Which column names the samples: the first named like ids, or the first of text."""

import pandas as pd
import pytest

from sentree.io import InputError, read_samples


@pytest.fixture
def table(tmp_path):
    """Write columns of text to a file."""

    def write(**columns):
        path = tmp_path / "data.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return write


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", ["001", "2", "3"]),
        ("id", ["9", "2", "3"]),
        ("sample_id", ["5", "2", "3"]),
        ("PassengerId", ["5", "2", "3"]),
        ("customerID", ["5", "2", "3"]),
        ("patientid", ["5", "2", "3"]),
        ("index", ["5", "2", "3"]),
        ("Unnamed: 0", ["0", "1", "2"]),
        ("sample", ["0", "1", "2"]),
        ("patient", ["1", "2", "3"]),
        ("patient", ["0012", "0007", "0003"]),
        ("code", ["00033856", "00033857", "00043856"]),
        ("name", ["ann", "bob", "cid"]),
        ("barcode", ["17", "4", "250"]),
        ("customer", ["17", "4", "250"]),
        ("whatever", ["ann", "NA", "cid"]),
        ("id", ["12345678901234567891", "12345678901234567892", "12345678901234567893"]),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_ids_in_any_place(table, name, values, place):
    others = {"x": [0.5, 1, 2], "y": [3, 4, 5.5]}
    names = list(others)
    names.insert(place, name)
    found = read_samples(table(**{n: others.get(n, values) for n in names}))
    assert found.ids.tolist() == values
    assert found.id_name == name
    assert list(found.X.columns) == ["x", "y"]


def test_a_name_that_is_missing(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(",x\n5,1\n7,2\n")
    assert read_samples(path).ids.tolist() == ["5", "7"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", ["1", "2", "3"]),
        ("acid", ["1", "2", "4"]),
        ("n_genes", ["900", "20", "31"]),
        ("reads_per_cell", ["900", "20", "31"]),
        ("humid", ["0.5", "0.1", "0.2"]),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_features_stay_features(table, name, values, place):
    columns = {name: values, "x": [1.5, 2, 3]} if place == 0 else {"x": [1.5, 2, 3], name: values}
    found = read_samples(table(**columns))
    assert found.ids is None
    assert found.X[name].tolist() == [float(value) for value in values]
    assert list(found.X.columns) == list(columns)


def test_names_go_before_text_and_both_before_numbers(table):
    path = table(n=[1, 2, 3], note=["p", "q", "r"], x=[1, 2, 3.5], patient=[7, 5, 9])
    assert read_samples(path, take=["note"]).id_name == "patient"
    assert read_samples(path, drop=["patient"]).id_name == "note"
    assert read_samples(path, drop=["patient"], take=["note"]).ids is None
    with pytest.raises(
        InputError, match="must be finite numbers, but column 'note' has 'p' in line 2 .'7'."
    ):
        read_samples(path)


def test_text_that_is_repeated_or_partly_numbers_is_no_id(table):
    with pytest.raises(
        InputError, match="must be finite numbers, but column 'kind' has 'u' in line 2"
    ):
        read_samples(table(x=[1, 2, 3], kind=["u", "u", "v"]))
    with pytest.raises(InputError, match="'y' has 'two' in line 3, which is no number"):
        read_samples(table(x=[1, 2, 3], y=["1", "two", "3"]))
    assert read_samples(table(x=[1, 2], y=["true", "false"])).ids is None


def test_columns_named_like_ids_that_are_not_taken_are_features(table):
    path = table(id=["a", "b", "c"], x=[1, 2, 3.5], customer_id=[7, 5, 9])
    for chosen in (None, "id"):
        found = read_samples(path, id_column=chosen)
        assert (found.id_name, list(found.X.columns)) == ("id", ["x", "customer_id"])
        assert found.X["customer_id"].tolist() == [7, 5, 9]
    found = read_samples(path, id_column="customer_id", drop=["id"])
    assert (found.ids.tolist(), list(found.X.columns)) == (["7", "5", "9"], ["x"])
    with pytest.raises(InputError, match="column 'id' has 'a' in line 2 .'7'."):
        read_samples(path, id_column="customer_id")


def test_repeated_values_are_no_ids(table):
    found = read_samples(table(x=[1.5, 2, 3], sample=[1, 1, 2]))
    assert found.ids is None
    assert found.X["sample"].tolist() == [1, 1, 2]
    found = read_samples(table(index=[3, 3, 4], x=[1.5, 2, 3], patient=[7, 5, 9]))
    assert found.ids.tolist() == ["7", "5", "9"]
    assert found.X["index"].tolist() == [3, 3, 4]


def test_fractions_are_ids_only_where_asked_for(table, tmp_path):
    path = table(sample=["0.5", "1", "2"], x=[1, 2, 3])
    assert read_samples(path).ids is None
    assert read_samples(path).X["sample"].tolist() == [0.5, 1, 2]
    assert read_samples(path, id_column="sample").ids.tolist() == ["0.5", "1", "2"]
    path = tmp_path / "comma.csv"
    path.write_text("sample;x\n0,5;2\n1;3\n")
    assert read_samples(path).X["sample"].tolist() == [0.5, 1]
    path = tmp_path / "data.parquet"
    pd.DataFrame({"sample": [0.5, 1, 2], "x": [1, 2, 3]}).to_parquet(path)
    assert read_samples(path).X["sample"].tolist() == [0.5, 1, 2]


def test_zeros_in_front_are_no_numbers(table):
    with pytest.raises(
        InputError, match="'zip' has '00501' in line 2.*id_column='zip'.*drop=\\['zip'"
    ):
        read_samples(table(zip=["00501", "00501", "10001"], x=[1.5, 2, 3]))
    with pytest.raises(InputError, match="'zip' has '00501'"):
        read_samples(table(id=["a", "b", "c"], zip=["00501", "10001", "20001"], x=[1.5, 2, 3]))


def test_decimal_commas_are_no_names(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("id;body_index;x\na;1,5;2\nb;2,5;3,25\n")
    found = read_samples(path)
    assert found.X["body_index"].tolist() == [1.5, 2.5]
    assert found.ids.tolist() == ["a", "b"]


def test_where_features_are_named_ids_are_found_and_nothing_is_asked(table):
    path = table(x=[1.5, 2, 3], patient=[7, 5, 9], y=[1, 2, 3], donor_id=[1, 1, 2])
    found = read_samples(path, features=["y", "x"])
    assert found.ids.tolist() == ["7", "5", "9"]
    assert list(found.columns) == ["donor_id"]
    again = read_samples(path, features=["patient", "x"])
    assert again.ids is None
    assert again.X["patient"].tolist() == [7, 5, 9]


def test_numbers_of_a_parquet_file(tmp_path):
    path = tmp_path / "data.parquet"
    pd.DataFrame({"x": [1.5, 2, 3], "id": [7, 5, 9], "valid": [True, False, True]}).to_parquet(path)
    found = read_samples(path)
    assert found.ids.tolist() == ["7", "5", "9"]
    assert found.X["valid"].tolist() == [1, 0, 1]
