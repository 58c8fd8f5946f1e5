"""``sentree cluster``."""

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import sentree
from command import executable, sentree_command, sentree_process
from flowers import IDS, IRIS, KNOWN, SPECIES, call, rows_of, write_csv


def test_a_table_with_known_classes(flowers):
    done = call(flowers, "cluster", "flowers.csv", "--labels", "species")
    assert done.stderr == ""
    told = done.stdout
    assert "flowers.csv: 150 samples, 4 features; ids from id" in told
    assert "15 labels, 3 classes" in told
    assert "constraints kept: 15 of 15" in told
    assert "wrote flowers-clusters.csv" in told
    rows = rows_of(flowers / "flowers-clusters.csv")
    assert list(rows[0]) == ["id", "cluster", "strength", "label"]
    assert [row["id"] for row in rows] == IDS
    assert all(0 <= float(row["strength"]) <= 1 for row in rows)
    found = [row["label"] for row in rows]
    assert np.mean(np.array(found) == SPECIES) > 0.85
    assert sorted(p.name for p in flowers.iterdir()) == ["flowers-clusters.csv", "flowers.csv"]


def test_it_tells_which_column_has_the_ids(tmp_path):
    rng = np.random.default_rng(0)
    points = make_blobs(30, random_state=0)[0]
    names = [f"s{row}" for row in range(30)]
    write_csv(tmp_path / "a.csv", ["sample", "x", "y"], rng.integers(0, 3, 30), *points.T)
    done = call(tmp_path, "cluster", "a.csv")
    assert "a.csv: 30 samples, 3 features; rows are numbered" in done.stdout
    assert "sample is a feature (--drop sample leaves it out)" in done.stderr
    write_csv(tmp_path / "b.csv", ["x", "y", "who"], *points.T, names)
    told = call(tmp_path, "cluster", "b.csv").stdout
    assert "b.csv: 30 samples, 2 features; ids from who" in told


def test_the_result_is_that_of_the_library(flowers):
    call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3", "--seed", "5")
    known = np.array([name or None for name in KNOWN], dtype=object)
    model = sentree.SSEPartition(3, random_state=5).fit(IRIS.data, known)
    rows = rows_of(flowers / "flowers-clusters.csv")
    assert [int(row["cluster"]) for row in rows] == model.labels_.tolist()
    strength = [float(row["strength"]) for row in rows]
    assert np.allclose(strength, model.membership_strength_, atol=1e-4)


def test_constraints_in_files_of_every_kind(flowers):
    (flowers / "same.csv").write_text("flower000,flower001\nflower050,flower051\n")
    (flowers / "different.json").write_text(json.dumps([["flower000", "flower050"]]))
    (flowers / "not.csv").write_text("id,class\nflower100,setosa\n")
    everything = {
        "must_link": [["flower002", "flower003"]],
        "together": [["flower060", "flower061", "flower062"]],
        "apart": [["flower000", "flower060"]],
    }
    (flowers / "all.json").write_text(json.dumps(everything))
    done = call(
        *(flowers, "cluster", "flowers.csv", "--labels", "species", "--n-clusters", "3"),
        *("--must-link", "same.csv", "--cannot-link", "different.json"),
        *("--not-label", "not.csv", "--constraints", "all.json", "--hard"),
        *("--model", "m.npz"),
    )
    assert done.stderr == ""
    model = sentree.load(flowers / "m.npz")
    given = model.constraints_
    assert given.must_link.tolist() == [[0, 1], [50, 51], [2, 3]]
    assert given.cannot_link.tolist() == [[0, 50]]
    assert [group.tolist() for group in given.together] == [[60, 61, 62]]
    assert [group.tolist() for group in given.apart] == [[0, 60]]
    assert given.negative_index.tolist() == [100]
    assert given.hard is not None
    assert model.constraint_report_.n_broken == 0


def test_rows_by_number_where_there_are_no_ids(tmp_path):
    X, _ = make_blobs(60, 3, centers=3, random_state=0)
    np.save(tmp_path / "data.npy", X)
    (tmp_path / "same.csv").write_text("0,59\n")
    call(tmp_path, "cluster", "data.npy", "--must-link", "same.csv", "--hard", "-o", "out.csv")
    rows = rows_of(tmp_path / "out.csv")
    assert list(rows[0]) == ["row", "cluster", "strength"]
    assert [row["row"] for row in rows] == [str(k) for k in range(60)]
    assert rows[0]["cluster"] == rows[59]["cluster"]


def test_a_graph(tmp_path):
    ring = [(f"{c}{k}", f"{c}{j}") for c in "ab" for k in range(6) for j in range(k)]
    lines = ["source,target,weight", *(f"{i},{j},1.5" for i, j in ring), "a0,b0,0.1"]
    (tmp_path / "friends.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "known.csv").write_text("id,class\na1,left\nb1,right\n")
    call(
        *(tmp_path, "cluster", "friends.csv", "--graph", "--labels", "known.csv"),
        *("--report", "report.html", "--plot", "friends.png"),
    )
    rows = rows_of(tmp_path / "friends-clusters.csv")
    assert {(row["id"][0], row["label"]) for row in rows} == {("a", "left"), ("b", "right")}
    assert len(rows) == 12


def test_labels_that_are_attributes_of_vertices(tmp_path):
    nodes = "".join(
        f'<node id="{c}{k}">' + (f'<data key="d0">{c}</data>' if k < 2 else "") + "</node>"
        for c in "ab"
        for k in range(5)
    )
    edges = "".join(
        f'<edge source="{c}{k}" target="{c}{j}"/>' for c in "ab" for k in range(5) for j in range(k)
    )
    (tmp_path / "g.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="d0" for="node" attr.name="club" attr.type="string"/>'
        f'<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    )
    call(tmp_path, "cluster", "g.graphml", "--graph", "--labels", "club")
    rows = rows_of(tmp_path / "g-clusters.csv")
    assert {(row["id"][0], row["label"]) for row in rows} == {("a", "a"), ("b", "b")}
    done = call(tmp_path, "cluster", "g.graphml", "--graph", "--labels", "clubb", code=1)
    assert "did you mean 'club'" in done.stderr
    assert "--graph" in call(tmp_path, "cluster", "g.graphml", code=1).stderr


def test_an_h5ad_file_says_what_was_read(tmp_path):
    import anndata

    X, _ = make_blobs(60, 6, centers=3, random_state=0)
    adata = anndata.AnnData(X.astype(np.float32))
    adata.obsm["X_pca"] = X[:, :3]
    adata.write_h5ad(tmp_path / "cells.h5ad")
    done = call(tmp_path, "cluster", "cells.h5ad", "--model", "m.npz")
    assert "60 samples, 3 features of X_pca (--layer X for X itself)" in done.stdout
    call(tmp_path, "cluster", "cells.h5ad", "--layer", "X", "--model", "m.npz")
    done = call(tmp_path, "predict", "m.npz", "cells.h5ad", code=1)
    assert "X_pca has 3 features, the model has 6" in done.stderr
    assert "--layer" in done.stderr
    call(tmp_path, "predict", "m.npz", "cells.h5ad", "--layer", "X")


def test_standard_input_and_output(flowers):
    text = (flowers / "flowers.csv").read_text()
    done = sentree_process("cluster", "-", "--labels", "species", input=text, cwd=flowers)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["id"] for row in rows] == IDS
    assert "150 samples" in done.stderr
    assert [path.name for path in flowers.iterdir()] == ["flowers.csv"]


def test_pictures_report_and_model(flowers):
    done = call(
        *(flowers, "cluster", "flowers.csv", "--labels", "species", "--model", "m.npz"),
        *("--plot", "p.png", "--report", "r.html", "--out", "o.parquet"),
    )
    for name in ("o.parquet", "m.npz", "p.png", "r.html"):
        assert f"wrote {name}" in done.stdout
    assert (flowers / "p.png").read_bytes().startswith(b"\x89PNG")
    page = (flowers / "r.html").read_text()
    assert "flowers.csv" in page
    assert "virginica" in page
    import pandas

    assert pandas.read_parquet(flowers / "o.parquet")["id"].tolist() == IDS
    call(flowers, "predict", "m.npz", "flowers.csv", "--out", "again.csv")
    again = [int(row["cluster"]) for row in rows_of(flowers / "again.csv")]
    assert adjusted_rand_score(again, sentree.load(flowers / "m.npz").labels_) > 0.9


def test_labels_behind_names_and_a_cluster_without_labels(tmp_path):
    X, y = make_blobs(200, 2, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    known = np.where((np.arange(200) % 10 == 0) & (y < 2), np.array(["oak", "ash", ""])[y], "")
    write_csv(tmp_path / "trees.csv", ["a", "b", "kind"], *X.T, known)
    done = call(tmp_path, "cluster", "trees.csv", "-l", "kind")
    for name in ("oak", "ash"):
        assert f"  {name} ({sum(known == name)} of {sum(known == name)} labels)" in done.stdout
    assert re.search(r"cluster \d \(\d+ samples\) has no label: its samples are", done.stdout)


def test_places_of_the_user(flowers):
    call(
        *(flowers, "cluster", "flowers.csv", "--labels", "species", "--model", "m.npz"),
        *("--map", "sepal length,sepal width", "--plot", "p.svg"),
    )
    names = sentree.load(flowers / "m.npz").feature_names_in_.tolist()
    assert names == ["petal length", "petal width"]


def test_quiet_and_verbose(flowers):
    assert call(flowers, "cluster", "flowers.csv", "-l", "species", "--quiet").stdout == ""
    done = call(flowers, "cluster", "flowers.csv", "-l", "species", "--verbose")
    assert "a graph of 150 samples" in done.stderr
    assert "s  searching for clusters" in done.stderr
    assert "done in " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["flowrs.csv"], ["flowrs.csv", "flowers.csv"]),
        (
            ["flowers.csv", "--prepare", "none"],
            ["species", "--labels species", "--drop species", "--prepare auto"],
        ),
        (["flowers.csv", "--labels", "specis"], ["specis", "species"]),
        (["flowers.csv", "--labels", "species", "--id", "name"], ["name", "id"]),
        (["flowers.csv", "--labels", "species", "-k", "500"], ["500", "150"]),
        (["flowers.csv", "-l", "species", "--must-link", "nobody.csv"], ["nobody.csv"]),
        (
            ["flowers.csv", "-l", "species", "--must-link", "wrong.csv"],
            ["flower01", "did you mean"],
        ),
        (["flowers.csv", "-l", "species", "--must-link", "rows.csv"], ["--by row"]),
        (["flowers.csv", "-l", "species", "--classes", "setosa, virginica"], ["versicolor"]),
        (["picture.csv"], ["picture.csv", "text"]),
        (["flowers.csv", "-l", "typo.csv", "--drop", "species"], ["flower00x", "flower00"]),
        (
            ["flowers.csv", "--map", "petal width,species", "--plot", "p.png"],
            ["two columns of num"],
        ),
    ],
)
def test_faults_of_files_are_told_with_the_remedy(flowers, arguments, expected):
    (flowers / "wrong.csv").write_text("flower01,flower002\n")
    (flowers / "rows.csv").write_text("0,1\n")
    (flowers / "typo.csv").write_text("id,species\nflower000,a\nflower00x,b\n")
    (flowers / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 50)
    before = sorted(flowers.iterdir())
    done = call(flowers, "cluster", *arguments, code=1)
    assert done.stderr.startswith("error: ")
    for part in expected:
        assert part in done.stderr
    assert sorted(flowers.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--resolution", "-1"], ["--resolution", "above 0"]),
        (["-k", "3", "-r", "2"], ["--n-clusters", "--resolution"]),
        (["--affinity", "gausian"], ["--affinity", "gaussian"]),
        (["--by", "name"], ["--by"]),
        (["--plot", "p.gif"], ["--plot", ".png"]),
        (["--model", "-"], ["--model", ".npz"]),
        (["--out", "out.xls"], ["--out", ".csv", ".xlsx"]),
        (["--out", "no/where.csv"], ["no"]),
        (["--out", "flowers.csv"], ["flowers.csv", "another"]),
        (["--out", "x.csv", "--report", "x.html", "--plot", "X/../x.png"], ["no folder"]),
        (["--map", "petal width,petal length"], ["--plot"]),
        (["--map", "petal width", "--plot", "p.png"], ["two columns"]),
        (["--graph", "--neighbors", "3"], ["--graph"]),
        (["--quiet", "--verbose"], ["--quiet"]),
        (["--must-link", "-", "--cannot-link", "-"], ["standard input"]),
    ],
)
def test_calls_that_make_no_sense_are_refused_before_any_work(flowers, arguments, expected):
    done = call(flowers, "cluster", "flowers.csv", "-l", "species", *arguments, code=2)
    for part in expected:
        assert part in done.stderr
    assert [path.name for path in flowers.iterdir()] == ["flowers.csv"]


def test_on_a_terminal_progress_is_shown_and_taken_away(flowers):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [*executable(), "cluster", "flowers.csv", "-l", "species"]
    with subprocess.Popen(command, cwd=flowers, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 1024):
                seen += part
    os.close(ours)
    assert process.returncode == 0, seen
    assert b"reading flowers.csv" in seen
    assert b"\x1b[2K" in seen
    assert b"wrote flowers-clusters.csv" in seen
    assert b"Traceback" not in seen


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_reader_that_has_seen_enough_is_no_error(flowers):
    command = (
        f"'{executable()[0]}' {' '.join(executable()[1:])} cluster flowers.csv -l species -o -"
    )
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -n 2; exit ${{PIPESTATUS[0]}}"],
        cwd=flowers,
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(done.stdout.splitlines()) == 2
    assert "rror" not in done.stderr
    assert done.returncode in (0, 141)


def test_labels_that_look_mistyped_are_doubted(flowers):
    known = [*KNOWN]
    known[1] = "setsoa"
    header = ["id", "a", "b", "c", "d", "species"]
    write_csv(flowers / "flowers.csv", header, IDS, *IRIS.data.T, known)
    done = call(flowers, "cluster", "flowers.csv", "-l", "species")
    assert "'setsoa'" in done.stderr
    assert "'setosa'" in done.stderr
    assert "flower001" in done.stderr


def test_contradictions_are_proved_by_id(flowers):
    (flowers / "same.csv").write_text("flower000,flower001\nflower001,flower100\n")
    done = call(
        flowers, "cluster", "flowers.csv", "-l", "species", "--must-link", "same.csv", code=3
    )
    assert "flower000 is 'setosa' (label)" in done.stderr
    assert "flower001 and flower100 must link" in done.stderr
    assert [path.name for path in sorted(flowers.iterdir())] == ["flowers.csv", "same.csv"]


def test_too_few_clusters_for_hard_constraints_are_told_by_id(flowers):
    done = call(flowers, "cluster", "flowers.csv", "-l", "species", "--hard", "-k", "2", code=3)
    assert "flower000, flower050, flower100" in done.stderr
    assert "--n-clusters 2" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_interrupting_leaves_nothing_behind(tmp_path):
    X, _ = make_blobs(60_000, 20, centers=50, cluster_std=4.0, random_state=0)
    np.save(tmp_path / "data.npy", X)
    process = subprocess.Popen(
        [*executable(), "cluster", "data.npy", "--verbose"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if "neighbours of" in line:
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped" in told
    assert [path.name for path in tmp_path.iterdir()] == ["data.npy"]


def test_help_has_examples():
    done = sentree_command("cluster", "--help")
    assert "sentree cluster flowers.csv --labels species" in done.stdout
    for option in ("--must-link", "--cannot-link", "--not-label", "--n-clusters", "--resolution"):
        assert option in done.stdout
