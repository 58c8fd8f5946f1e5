"""``sentree describe``: from a model or clusters and a table to what makes each cluster."""

import csv
import json

import numpy as np
import pytest

from flowers import IDS, IRIS, SPECIES, call, rows_of, write_csv


@pytest.fixture
def table(tmp_path):
    """The flowers, with a column of text and one with gaps, and their species as clusters."""
    names = ["id", *(name.removesuffix(" (cm)") for name in IRIS.feature_names), "colour", "seen"]
    colour = ["red" if name == "setosa" else "blue" for name in SPECIES]
    seen = ["" if k % 3 == 0 else f"{k % 28 + 1}/5/2021" for k in range(150)]
    write_csv(tmp_path / "flowers.csv", names, IDS, *IRIS.data.T, colour, seen)
    write_csv(tmp_path / "kinds.csv", ["id", "cluster"], IDS[::-1], list(SPECIES)[::-1])
    return tmp_path


def test_what_makes_each_cluster_of_a_file(table):
    done = call(table, "describe", "kinds.csv", "flowers.csv", "--top", "2")
    assert "cluster setosa (50 samples, 33 %)" in done.stdout
    assert "low petal length (median 1.5 against 4.9)" in done.stdout
    assert "rule: petal length ≤ 2.0" in done.stdout
    assert "    and 3 more\n" in done.stdout
    typical = done.stdout.partition("typical: ")[2].partition("\n")[0].split(", ")
    assert set(typical) <= set(IDS[:50])


def test_a_model_a_table_and_a_picture(table):
    call(table, "cluster", "flowers.csv", "-k", "3", "--drop", "colour,seen", "--model", "m.npz")
    options = ("--out", "features.csv", "--plot", "profile.png")
    done = call(table, "describe", "m.npz", "flowers.csv", *options)
    assert "wrote features.csv" in done.stdout
    rows = rows_of(table / "features.csv")
    features = {row["feature"] for row in rows}
    assert {"petal length", "colour", "seen is missing"} <= features
    assert all(abs(float(row["effect"])) <= 1 for row in rows)
    assert (table / "profile.png").read_bytes().startswith(b"\x89PNG")


def test_two_clusters_as_json(table):
    done = call(
        *(table, "describe", "kinds.csv", "flowers.csv", "--json"),
        *("--compare", "virginica", "versicolor"),
    )
    told = json.loads(done.stdout)
    assert [one["cluster"] for one in told["clusters"]] == ["virginica", "versicolor"]
    top = told["clusters"][0]["features"][0]
    assert (top["feature"], top["direction"]) == ("petal length", "high")


def test_clusters_beside_their_columns(table):
    with open(table / "flowers.csv", newline="") as file:
        header, *rows = csv.reader(file)
    beside = [[*row, name] for row, name in zip(rows, SPECIES, strict=True)]
    write_csv(table / "both.csv", [*header, "cluster"], *map(list, zip(*beside, strict=True)))
    done = call(table, "describe", "both.csv", "both.csv", "--json")
    features = {x["feature"] for x in json.loads(done.stdout)["clusters"][0]["features"]}
    assert "colour" in features
    assert "cluster" not in features


def test_what_is_wrong_is_said(table):
    np.savetxt(table / "few.csv", [[0], [1]], header="cluster", comments="")
    cases = (
        (1, ("few.csv", "flowers.csv"), "few.csv has 2 rows and flowers.csv has 150"),
        (
            1,
            ("kinds.csv", "flowers.csv", "--compare", "setosa", "rose"),
            "--compare: there is no cluster 'rose'; there are setosa, versicolor, virginica",
        ),
        (
            2,
            ("kinds.csv", "flowers.csv", "--plot", "p.txt"),
            "--plot p.txt: the name must end with",
        ),
        (1, ("kinds.csv", "flowers.csv", "--column", "sort"), "kinds.csv has no column 'sort'"),
    )
    for code, arguments, said in cases:
        done = call(table, "describe", *arguments, code=code)
        assert said in done.stderr
