"""Spreadsheets (XLSX) in and out."""

import io
import sys
from datetime import datetime

import numpy as np
import openpyxl
import pandas as pd
import pytest

from sentree.io import (
    InputError,
    Names,
    read_columns,
    read_constraints,
    read_labels,
    read_pairs,
    read_samples,
    write_constraints,
    write_table,
)
from sentree.io.convert import convert
from sentree.io.samples import read_whole_table
from sentree.io.sources import open_source

#: A table that begins in the second row and column, as people have them.
ROWS = [
    ["id", "x", "day", "paid", "share", "typed"],
    ["007", 1.5, datetime(2024, 3, 1), True, "12 %", "5"],
    ["008", 2, datetime(2024, 3, 2, 12, 30), False, "7 %", "6.5"],
    [None, None, None, None, None, None],
    ["009", 3, None, True, "#N/A", "7"],
]


@pytest.fixture
def put(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name="data.xlsx", **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, (rows, top, left) in sheets.items():
            sheet = book.create_sheet(title)
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    sheet.cell(top + i, left + j, value)
        book.save(name)
        return name

    return write


def whole(name, **more):
    return read_whole_table(open_source(name, ("csv", "xlsx")), **more)


def test_cells_keep_their_types(put):
    frame = whole(put(Data=(ROWS, 2, 2)))
    assert list(frame) == ROWS[0]
    assert frame["id"].tolist() == ["007", "008", "009"]
    assert frame["x"].tolist() == [1.5, 2.0, 3.0]
    assert frame["day"].tolist()[:2] == [ROWS[1][2], ROWS[2][2]]
    assert frame["day"].isna().tolist() == [False, False, True]
    assert frame["paid"].tolist() == [True, False, True]
    assert frame["paid"].dtype == bool
    assert frame["share"].tolist() == ["12 %", "7 %", None]
    assert frame["typed"].tolist() == [5, 6.5, 7]  # numbers stored as text
    text = whole("data.xlsx", as_text=True)
    assert text.iloc[1].tolist() == ["008", "2", "2024-03-02 12:30:00", "False", "7 %", "6.5"]
    assert text.iloc[2].tolist() == ["009", "3", "", "True", "", "7"]


def test_samples(put):
    found = read_samples(put(Data=(ROWS, 1, 1)), drop=["day", "share"])
    assert found.ids.tolist() == ["007", "008", "009"]
    assert found.features == ["x", "paid", "typed"]
    assert found.X.to_numpy().tolist() == [[1.5, 1, 5], [2, 0, 6.5], [3, 1, 7]]
    with pytest.raises(InputError, match=r"'share' has '12 %' in row 2 \('007'\)"):
        read_samples("data.xlsx", drop=["day"])
    numbers = read_samples(put("n.xlsx", Data=([[1, 2.5], [3, 4.5]], 1, 1)))
    assert numbers.features is None
    assert numbers.X.tolist() == [[1, 2.5], [3, 4.5]]


def test_sheets(put):
    other = [["a", "b"], [1, 2], [3, 4]]
    name = put(Empty=([], 1, 1), Data=(other, 1, 1), Notes=([["a", "b"], [9, 9], [8, 8]], 1, 1))
    with pytest.warns(UserWarning, match=r"has 2 sheets \(Data, Notes\): 'Data' is read.*sheet="):
        assert read_samples(name).X["a"].tolist() == [1, 3]
    assert read_samples(name, sheet="Notes").X["a"].tolist() == [9, 8]
    with pytest.raises(InputError, match="no sheet 'Note'; did you mean 'Notes'"):
        read_samples(name, sheet="Note")
    with pytest.raises(InputError, match="no cells in sheet 'Empty'"):
        read_samples(name, sheet="Empty")
    with open("a.csv", "w") as file:
        file.write("a,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match="no XLSX file and has no sheets"):
        read_samples("a.csv", sheet="Data")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["x", "x"], [1, 2], [3, 4]], "both called 'x'"),
        ([["Sales 2024"], ["a", "b", "c"], [1, 2, 3], [4, 5, 6]], "'Sales 2024', no part"),
        ([["a", "b"]], "no rows"),
        ([], "no cells"),
    ],
)
def test_wrong_sheets(put, rows, message):
    with pytest.raises(InputError, match=message):
        read_samples(put(Data=(rows, 1, 1)))


def test_labels_pairs_constraints_and_columns(put):
    names = Names(3, np.array(["a", "b", "c"], dtype=object))
    rows = [["id", "class"], ["a", "x"], ["c", 3]]
    assert read_labels(put(S=(rows, 1, 1)), names).tolist() == ["x", None, "3"]
    pairs, weights = read_pairs(put(S=([["a", "b", 2], ["b", "c", 1]], 1, 1)), names)
    assert pairs.tolist() == [[0, 1], [1, 2]]
    assert weights.tolist() == [2, 1]
    given = read_constraints(
        put(S=([["kind", "a", "b"], ["must-link", "a", "c"], ["label", "b", "x"]], 1, 1)), names
    )
    assert given.must_link.tolist() == [[0, 2]]
    write_constraints("again.xlsx", given, names)
    again = read_constraints("again.xlsx", names)
    assert again.must_link.tolist() == [[0, 2]]
    assert again.label_index.tolist() == [1]
    columns = read_columns(put(S=(rows, 1, 1)))
    assert columns.ids.tolist() == ["a", "c"]
    assert columns.columns["class"].tolist() == ["x", "3"]


def test_tables_are_written(tmp_path):
    columns = {
        "id": np.array(["007", "=1+1", ""], dtype=object),
        "n": np.array([1, 2, 3]),
        "x": np.array([0.5, np.nan, 2]),
        "day": np.array(["2024-03-01", "NaT", "2024-03-02"], dtype="datetime64[ns]"),
    }
    write_table(tmp_path / "out.xlsx", columns)
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[0] == list(columns)
    assert cells[1] == ["007", 1, 0.5, datetime(2024, 3, 1)]
    assert cells[2] == ["=1+1", 2, None, None]
    assert sheet["A3"].data_type == "s"  # text, no formula
    assert cells[3][1:] == [3, 2, datetime(2024, 3, 2)]
    with pytest.raises(InputError, match="control characters"):
        write_table(tmp_path / "bad.xlsx", {"a": ["\x01", "b"]})
    assert not (tmp_path / "bad.xlsx").exists()


def test_conversion(put):
    put(Data=(ROWS, 2, 2))
    convert("data.xlsx", "data.csv")
    with open("data.csv") as file:
        assert file.read().splitlines()[1:3] == [
            "007,1.5,2024-03-01,True,12 %,5",
            "008,2,2024-03-02 12:30:00,False,7 %,6.5",
        ]
    convert("data.csv", "back.xlsx")
    assert whole("back.xlsx")["x"].tolist() == [1.5, 2, 3]
    assert whole("back.xlsx")["id"].tolist() == ["007", "008", "009"]
    convert("data.xlsx", "data.parquet")
    assert pd.read_parquet("data.parquet")["paid"].tolist() == [True, False, True]
    put("graph.xlsx", Edges=([["source", "target"], ["a", "b"], ["b", "c"]], 1, 1))
    assert "3 vertices and 2 edges" in convert("graph.xlsx", "graph.mtx")


def test_standard_input(put, monkeypatch):
    with open(put(Data=([["a", "b"], [1, 2], [3, 4]], 1, 1)), "rb") as file:
        content = io.TextIOWrapper(io.BytesIO(file.read()))
    monkeypatch.setattr(sys, "stdin", content)
    assert read_samples("-").X["b"].tolist() == [2, 4]


def test_without_openpyxl(put, monkeypatch):
    name = put(Data=(ROWS, 1, 1))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"XLSX files need openpyxl: .*sentree\[excel\]"):
        read_samples(name)
    with pytest.raises(InputError, match=r"XLSX files need openpyxl"):
        write_table("out.xlsx", {"a": [1]})
