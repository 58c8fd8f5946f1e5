"""``sentree tree``, ``check``, ``score``, ``predict``, ``convert`` and ``version``."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import sentree
from command import executable, sentree_command
from flowers import IDS, IRIS, KNOWN, SPECIES, call, rows_of, write_csv
from sentree import EncodingTree, metrics


class TestTree:
    def test_a_tree_with_ids(self, flowers):
        done = call(flowers, "tree", "flowers.csv", "--labels", "species", "-k", "3")
        assert "wrote flowers-tree.nwk" in done.stdout
        text = (flowers / "flowers-tree.nwk").read_text()
        tree = EncodingTree.from_newick(text)
        assert sorted(tree.names) == IDS
        truth = dict(zip(IDS, IRIS.target, strict=True))
        assert metrics.dendrogram_purity(tree, [truth[name] for name in tree.names]) > 0.85

    def test_heights_levels_and_pictures(self, flowers):
        call(
            *(flowers, "tree", "flowers.csv", "--labels", "species", "--height", "3"),
            *("--out", "t.json", "--clusters", "levels.csv", "--plot", "t.png"),
            *("--report", "r.html", "--model", "m.npz"),
        )
        model = sentree.load(flowers / "m.npz")
        assert model.tree_.height <= 3
        rows = rows_of(flowers / "levels.csv")
        levels = [name for name in rows[0] if name.startswith("level_")]
        assert levels == [f"level_{k}" for k in range(1, model.tree_.height)]
        for k, name in enumerate(levels, start=1):
            assert [int(row[name]) for row in rows] == model.tree_.labels_at(k).tolist()
        assert json.loads((flowers / "t.json").read_text())
        assert (flowers / "t.png").read_bytes().startswith(b"\x89PNG")

    def test_labels_of_mixed_depth(self, flowers):
        paths = ["iris" if k % 20 else f"iris/{s}" for k, s in enumerate(SPECIES)]
        paths = [
            ("blue/" if s != "setosa" else "red/") + p for s, p in zip(SPECIES, paths, strict=True)
        ]
        write_csv(flowers / "flowers.csv", ["id", *"abcd", "kind"], IDS, *IRIS.data.T, paths)
        done = call(
            flowers, "tree", "flowers.csv", "--labels", "kind", "--paths", "--model", "m.npz"
        )
        assert "levels" in done.stdout
        assert sentree.load(flowers / "m.npz").constraints_.finer is not None
        species = [s if k % 2 else "iris" for k, s in enumerate(SPECIES)]
        write_csv(flowers / "flowers.csv", ["id", *"abcd", "kind"], IDS, *IRIS.data.T, species)
        write_csv(flowers / "kinds.csv", ["child", "parent"], sorted(set(SPECIES)), ["iris"] * 3)
        call(
            *(flowers, "tree", "flowers.csv", "--labels", "kind", "--ontology", "kinds.csv"),
            *("--model", "m.npz"),
        )
        assert len(sentree.load(flowers / "m.npz").constraints_.levels) >= 1

    def test_a_wrong_name_is_refused_before_the_work(self, flowers):
        done = call(flowers, "tree", "flowers.csv", "-l", "species", "--out", "t.xml", code=2)
        assert ".nwk" in done.stderr


class TestCheck:
    def test_consistent_constraints(self, flowers):
        given = {"must_link": [["flower001", "flower002"], ["flower002", "flower001"]]}
        (flowers / "c.json").write_text(json.dumps(given))
        done = call(flowers, "check", "c.json", "flowers.csv", "--labels", "species")
        assert "17 of 150 samples are named (11.3%)" in done.stdout
        assert "follow from others: 1 of 2 must-links" in done.stdout
        assert "no contradictions" in done.stdout

    def test_a_column_of_labels(self, flowers):
        done = call(flowers, "check", "species", "flowers.csv")
        assert "15 labels, 3 classes" in done.stdout

    def test_contradictions_with_their_chain(self, flowers):
        (flowers / "c.csv").write_text(
            "kind,a,b\n"
            "must-link,flower001,flower002\n"
            "must-link,flower002,flower003\n"
            "cannot-link,flower003,flower001\n"
        )
        done = call(flowers, "check", "c.csv", "flowers.csv", code=3)
        assert "contradictions: 1" in done.stdout
        assert "flower003 and flower001 cannot link (cannot-link 0)" in done.stdout
        assert "flower002 and flower001 must link" in done.stdout or (
            "flower001 and flower002 must link" in done.stdout
        )


class TestScore:
    def test_clusters(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3")
        write_csv(flowers / "truth.csv", ["id", "class"], IDS[::-1], SPECIES[::-1])
        done = call(flowers, "score", "flowers-clusters.csv", "truth.csv", "--json")
        found = [int(row["cluster"]) for row in rows_of(flowers / "flowers-clusters.csv")]
        told = json.loads(done.stdout)
        assert told["samples"] == 150
        assert told["ari"] == pytest.approx(adjusted_rand_score(SPECIES, found), abs=1e-6)
        assert told["nmi"] == pytest.approx(normalized_mutual_info_score(SPECIES, found), abs=1e-6)
        assert 0.85 < told["accuracy"] <= 1
        # The samples whose label was given do not count.
        held_out = [k for k in range(150) if not KNOWN[k]]
        done = call(
            *(flowers, "score", "flowers-clusters.csv", "truth.csv"),
            *("--known", "flowers.csv", "--known-column", "species", "--json"),
        )
        told = json.loads(done.stdout)
        assert told["samples"] == len(held_out)
        expected = adjusted_rand_score(SPECIES[held_out], np.array(found)[held_out])
        assert told["ari"] == pytest.approx(expected, abs=1e-6)

    def test_a_truth_with_many_columns(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3")
        write_csv(
            *(flowers / "all.csv", ["id", "a", "species", "note"]),
            *(IDS, IRIS.data[:, 0], SPECIES, ["x y"] * 150),
        )
        done = call(flowers, "score", "flowers-clusters.csv", "all.csv", code=1)
        assert "--truth-column" in done.stderr
        done = call(
            flowers, "score", "flowers-clusters.csv", "all.csv", "--truth-column", "species"
        )
        assert "ari" in done.stdout

    def test_a_tree(self, flowers):
        call(flowers, "tree", "flowers.csv", "-l", "species")
        write_csv(flowers / "truth.csv", ["id", "class"], IDS, SPECIES)
        done = call(flowers, "score", "flowers-tree.nwk", "truth.csv", "--tree", "--json")
        tree = EncodingTree.from_newick((flowers / "flowers-tree.nwk").read_text())
        truth = dict(zip(IDS, SPECIES, strict=True))
        expected = metrics.dendrogram_purity(tree, [truth[name] for name in tree.names])
        assert json.loads(done.stdout)["dendrogram_purity"] == pytest.approx(expected)

    def test_ids_that_do_not_match(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3")
        write_csv(flowers / "truth.csv", ["id", "class"], [f"x{k}" for k in IDS], SPECIES)
        done = call(flowers, "score", "flowers-clusters.csv", "truth.csv", code=1)
        assert "flower000" in done.stderr
        write_csv(flowers / "truth.csv", ["id", "class"], [*IDS, "x1", "x2"], [*SPECIES, "a", "b"])
        done = call(flowers, "score", "flowers-clusters.csv", "truth.csv")
        assert "2 of 152 samples of truth.csv are not in flowers-clusters.csv" in done.stderr


class TestPredict:
    def test_columns_are_found_by_name(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3", "--model", "m.npz")
        header = ["id", "petal width", "note", "sepal width", "petal length", "sepal length"]
        data = IRIS.data.T
        write_csv(
            *(flowers / "new.csv", header, IDS, data[3], ["?!"] * 150, data[1], data[2], data[0]),
        )
        done = call(flowers, "predict", "m.npz", "new.csv")
        assert "note" in done.stdout
        rows = rows_of(flowers / "new-predicted.csv")
        assert np.mean(np.array([row["label"] for row in rows]) == SPECIES) > 0.85

    def test_probabilities_of_all_clusters(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3", "--model", "m.npz")
        call(flowers, "predict", "m.npz", "flowers.csv", "--probabilities", "--out", "p.csv")
        for row in rows_of(flowers / "p.csv"):
            told = [float(row[f"probability_{k}"]) for k in range(3)]
            assert sum(told) == pytest.approx(1, abs=2e-4)
            assert max(told) == told[int(row["cluster"])] == float(row["strength"])

    def test_a_missing_column_is_named(self, flowers):
        call(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3", "--model", "m.npz")
        write_csv(flowers / "new.csv", ["id", "sepal length"], IDS, IRIS.data[:, 0])
        done = call(flowers, "predict", "m.npz", "new.csv", code=1)
        assert "sepal width" in done.stderr

    def test_something_that_is_no_model(self, flowers):
        done = call(flowers, "predict", "flowers.csv", "flowers.csv", "--out", "x.csv", code=1)
        assert "flowers.csv" in done.stderr


class TestConvert:
    def test_tables_trees_and_constraints(self, flowers):
        call(flowers, "tree", "flowers.csv", "-l", "species")
        done = call(flowers, "convert", "flowers-tree.nwk", "tree.json")
        assert "tree.json" in done.stdout
        call(flowers, "convert", "tree.json", "again.nwk")
        first = EncodingTree.from_newick((flowers / "flowers-tree.nwk").read_text())
        second = EncodingTree.from_newick((flowers / "again.nwk").read_text())
        assert first.n_nodes == second.n_nodes
        write_csv(flowers / "plain.csv", ["id", *"abcd"], IDS, *IRIS.data.T)
        call(flowers, "convert", "plain.csv", "plain.parquet")
        import pandas

        table = pandas.read_parquet(flowers / "plain.parquet")
        assert np.array_equal(table[list("abcd")], IRIS.data)

    def test_columns_and_layers(self, flowers):
        done = call(flowers, "convert", "flowers.csv", "f.npy", code=1)
        assert "--drop species" in done.stderr
        assert "--labels" not in done.stderr
        call(flowers, "convert", "flowers.csv", "f.npy", "--drop", "species")
        assert np.array_equal(np.load(flowers / "f.npy"), IRIS.data)
        call(flowers, "convert", "flowers.csv", "f.h5ad")
        done = call(flowers, "convert", "f.h5ad", "f.tsv", "--id", "species", code=1)
        assert "--id" in done.stderr
        done = call(flowers, "convert", "f.h5ad", "f.tsv", "--layer", "X_pca", code=1)
        assert "there are X" in done.stderr
        call(flowers, "convert", "f.h5ad", "f.tsv")
        assert (flowers / "f.tsv").read_text().startswith("obs_names\t")
        done = call(flowers, "convert", "flowers.csv", "f.foo", code=1)
        assert "--to" in done.stderr

    def test_it_does_not_write_over_its_input(self, flowers):
        done = call(flowers, "convert", "flowers.csv", "./flowers.csv", code=2)
        assert "another name" in done.stderr


def test_a_version_as_everywhere():
    assert sentree_command("--version").stdout == f"sentree {sentree.__version__}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*executable(), "version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_versions():
    done = sentree_command("version", "--all")
    assert f"sentree {sentree.__version__}" in done.stdout
    assert f"numpy {np.__version__}" in done.stdout
    assert "python 3." in done.stdout


def test_completion_is_offered():
    done = sentree_command("--help")
    assert "--install-completion" in done.stdout
    for name in ("cluster", "tree", "predict", "check", "score", "convert", "demo", "reproduce"):
        assert f"\n  {name} " in done.stdout
