"""``--append``: clusters beside the original columns."""

import json

import numpy as np
import openpyxl
import pandas as pd
import pytest

from flowers import IDS, IRIS, KNOWN, call, rows_of, write_csv
from sentree.io import InputError, append_columns

#: Cells that must not change, though they look like numbers, dates or nothing.
ODD = ["007", "1,500", "1e3", " x ", "NA", "2024-01-05"]
HEADER = ["id", "cluster", "odd", "a", "b", "c", "d", "species"]


@pytest.fixture
def odd(tmp_path):
    odd = [ODD[k % len(ODD)] for k in range(150)]
    clusters = [f"old {k}" for k in range(150)]
    write_csv(tmp_path / "odd.csv", HEADER, IDS, clusters, odd, *IRIS.data.T, KNOWN)
    return tmp_path


ASIDE = ("--labels", "species", "--id", "id", "--drop", "odd,cluster", "-k", "3")


def test_cells_stay_as_they_are(odd):
    done = call(odd, "cluster", "odd.csv", *ASIDE, "--append", "--verbose")
    assert "s  reading odd.csv\n" in done.stderr
    assert "named cluster_2 (there is a column cluster)" in done.stdout
    before, after = rows_of(odd / "odd.csv"), rows_of(odd / "odd-clusters.csv")
    assert list(after[0]) == [*HEADER, "cluster_2", "strength", "label"]
    assert [{name: row[name] for name in HEADER} for row in after] == before
    call(odd, "cluster", "odd.csv", *ASIDE, "--out", "alone.csv")
    alone = rows_of(odd / "alone.csv")
    assert [row["cluster_2"] for row in after] == [row["cluster"] for row in alone]
    assert [row["label"] for row in after] == [row["label"] for row in alone]


def test_a_decimal_comma_and_semicolons_stay(tmp_path):
    table = pd.DataFrame(IRIS.data.round(1), columns=list("abcd"))
    table.to_csv(tmp_path / "iris.csv", sep=";", decimal=",", index=False)
    call(tmp_path, "cluster", "iris.csv", "-k", "3", "--append")
    before = (tmp_path / "iris.csv").read_text().splitlines()
    after = (tmp_path / "iris-clusters.csv").read_text().splitlines()
    assert after[0] == before[0] + ";cluster;strength"
    assert all(new.startswith(f"{old};") for old, new in zip(before, after, strict=True))
    assert after[1].endswith("0;1,0")


def test_from_format_to_format(odd):
    for target in ("out.xlsx", "out.parquet", "out.json"):
        call(odd, "cluster", "odd.csv", *ASIDE, "--append", "--out", target)
    rows = [[c.value for c in r] for r in openpyxl.load_workbook(odd / "out.xlsx").active.rows]
    assert rows[0][:4] == HEADER[:4]
    assert rows[1][:4] == ["flower000", "old 0", "007", 5.1]  # numbers are numbers, ids text
    frame = pd.read_parquet(odd / "out.parquet")
    assert frame["a"].tolist() == IRIS.data[:, 0].tolist()
    assert frame["cluster_2"].dtype.kind == "i"
    assert json.loads((odd / "out.json").read_text())[1]["odd"] == "1,500"
    call(
        odd,
        "cluster",
        "out.xlsx",
        *ASIDE,
        "--drop",
        "cluster_2,label,strength",
        "--append",
    )
    again = openpyxl.load_workbook(odd / "out-clusters.xlsx").active
    assert [c.value for c in again[1]][-3:] == ["cluster_3", "strength_2", "label_2"]
    assert [c.value for c in again[2]][:11] == rows[1]


def test_predict_and_tree(odd):
    call(odd, "cluster", "odd.csv", *ASIDE, "--model", "m.npz")
    done = call(odd, "predict", "m.npz", "odd.csv", "--append", "--id", "id")
    sizes = {line.split()[0]: line.split() for line in done.stdout.splitlines()[3:6]}
    after = rows_of(odd / "odd-predicted.csv")
    for number, size, _, label in sizes.values():
        assert sum(row["cluster_2"] == number for row in after) == int(size)
        assert {row["label"] for row in after if row["cluster_2"] == number} == {label}
    unsure = sum(float(row["strength"]) < 0.5 for row in after)
    assert f"uncertain: {unsure} of 150" in done.stdout
    call(odd, "tree", "odd.csv", *ASIDE, "--append", "--height", "3")
    after = rows_of(odd / "odd-clusters.csv")
    assert list(after[0])[8:] == ["cluster_2", "strength", "label", "level_1", "level_2"]
    assert [row["odd"] for row in after[:6]] == ODD


def test_standard_input_is_read_once(odd):
    text = (odd / "odd.csv").read_text()
    done = call(odd, "cluster", "-", *ASIDE, "--append", "--quiet", input=text)
    assert done.stdout.splitlines()[0] == ",".join([*HEADER, "cluster_2", "strength", "label"])


def test_what_has_no_columns_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", IRIS.data)
    done = call(tmp_path, "cluster", "x.npy", "--append", code=1)
    assert "--append is for CSV, TSV, XLSX and Parquet" in done.stderr
    (tmp_path / "g.csv").write_text("source,target\na,b\nb,c\n")
    done = call(tmp_path, "cluster", "g.csv", "--graph", "--append", code=2)
    assert "DATA is a graph" in done.stderr


def test_rows_that_were_left_out_get_empty_cells(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,5;x\n;y\n3,5;z\n")
    new = {"cluster": [4, None, 5], "strength": [0.5, None, 1.0], "label": ["p", None, "q"]}
    new = {name: np.array(values, dtype=object) for name, values in new.items()}
    append_columns(tmp_path / "t.csv", tmp_path / "out.csv", new)
    text = (tmp_path / "out.csv").read_text()
    assert text == "a;b;cluster;strength;label\n1,5;x;4;0,5;p\n;y;;;\n3,5;z;5;1,0;q\n"
    append_columns(tmp_path / "t.csv", tmp_path / "out.xlsx", new)
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert [c.value for c in sheet["C"]] == ["cluster", 4, None, 5]
    append_columns(tmp_path / "t.csv", tmp_path / "out.parquet", new)
    assert pd.read_parquet(tmp_path / "out.parquet")["strength"].tolist()[::2] == [0.5, 1.0]
    with pytest.raises(InputError, match="3 rows, but 2"):
        append_columns(tmp_path / "t.csv", tmp_path / "no.csv", {"cluster": [1, 2]})
